import type { RequestListener, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { ConversionProgress, ConvertOptions } from '../../lib/index.js'
import { type ConversionAnswer, PDF, pending, ready, startConversionService } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { zipOf } from '../kit/packages.js'

const REQUEST = { url: 'http://127.0.0.1:9/a.docx', fileType: 'docx', outputType: 'pdf' }

async function startConverting (t: Test, answer: ConversionAnswer, { result, ...options }: HostOptions & { readonly result?: RequestListener } = {}) {
  const service = await startConversionService(t, answer, result)
  const { app } = await startHost(t, { documentServerOrigin: service.origin, ...options })
  return { service, app, convert: async (options?: ConvertOptions) => await app.editorServer.convert(REQUEST, { interval: 1, ...options }) }
}

const answerXml = (response: ServerResponse, fields: string) => response.end(`<?xml version="1.0" encoding="utf-8"?><FileResult>${fields}</FileResult>`)

t.test('onProgress is called with every answer, in JSON and in XML, up to 100', async t => {
  const answers: ConversionAnswer[] = [
    response => response.end('{"percent":10,"endConvert":false}'),
    response => answerXml(response, '<FileUrl/><FileType/><Percent>55</Percent><EndConvert>False</EndConvert>'),
    response => response.end('{"percent":100,"endConvert":false}'),
    response => response.end('{"percent":1000,"endConvert":false}'),
    response => response.end('{"endConvert":false}'),
    (response, _attempt, origin) =>
      answerXml(
        response,
        `<FileUrl>${origin}/a.pdf</FileUrl><FileType>pdf</FileType><Percent>100</Percent><EndConvert>true</EndConvert>`
      )
  ]
  const { convert } = await startConverting(t, (response, attempt, origin) => answers[attempt - 1]!(response, attempt, origin))
  const progress: ConversionProgress[] = []
  const result = await convert({ onProgress: told => { progress.push(told) } })
  t.strictSame(progress.map(({ percent }) => percent), [10, 55, 100, 0, 0, 100])
  t.strictSame(await result.bytes(), PDF)
})

t.test('a conversion that is not ready in time rejects; the same request later gets the result', async t => {
  let isReady = false
  const { service, convert } = await startConverting(
    t,
    (response, attempt, origin) => (isReady ? ready : pending)(response, attempt, origin)
  )
  await t.rejects(convert({ timeout: 100 }), {
    code: 'FST_EDITOR_CONVERSION_TIMEOUT',
    statusCode: 504,
    retryable: true,
    message: 'The conversion did not finish in the expected time (100 ms)'
  })
  isReady = true
  t.strictSame(await (await convert()).bytes(), PDF)
  for (const { body } of service.conversions) t.strictSame(body, service.conversions[0]!.body, 'every request is the same')
})

/** Sends without an end, and tells when the connection is closed. */
function endlessPdf (onClose: () => void): RequestListener {
  return (_request, response) => {
    response.once('close', onClose)
    response.write(PDF)
    const send = () => {
      while (!response.destroyed) if (!response.write(Buffer.alloc(65536))) return response.once('drain', send)
    }
    send()
  }
}

t.test('a result is limited by maxFileSize', async t => {
  const { convert } = await startConverting(t, ready, { result: endlessPdf(() => {}), maxFileSize: 100_000 })
  await t.rejects(convert().then(async result => await result.bytes()), {
    code: 'FST_EDITOR_TOO_LARGE',
    message: /100000 bytes/
  })
  const announced = await startConverting(t, ready, {
    result: (_request, response) => {
      response.writeHead(200, { 'content-length': 100_001 }).write(PDF)
    },
    maxFileSize: 100_000
  })
  await t.rejects(announced.convert(), { code: 'FST_EDITOR_TOO_LARGE' })
})

t.test('a result of another format than was requested or announced is refused', async t => {
  const announced = (fileType: string | undefined, path = '/cache/files/output.x/a.bin'): ConversionAnswer => (response, _attempt, origin) =>
    response.end(JSON.stringify({ fileUrl: origin + path, fileType, percent: 100, endConvert: true }))
  const zip = zipOf(Buffer.alloc(600))
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(600)])
  const jpg = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(600)])
  const gif = Buffer.from('GIF89a…')
  const bmp = Buffer.from('BM…')
  const table: ReadonlyArray<readonly [outputType: string, announced: string | undefined, bytes: Buffer, fileType: string | undefined, thumbnail?: object]> = [
    ['pdf', 'docx', zip, undefined],
    ['pdf', '.PDF', PDF, 'pdf'],
    ['pdf', undefined, PDF, 'pdf'],
    ['pdfa', 'pdf', PDF, 'pdf'],
    ['pdfa', 'docx', zip, undefined],
    ['ooxml', 'docm', zip, 'docm'],
    ['ooxml', 'xlsx', zip, 'xlsx'],
    ['ooxml', 'odt', zip, undefined],
    ['ooxml', 'pdf', PDF, undefined],
    ['odf', 'ods', zip, 'ods'],
    ['odf', 'docx', zip, undefined],
    ['png', 'png', png, 'png'],
    ['png', 'png', jpg, undefined],
    ['png', 'zip', zip, undefined],
    ['png', 'zip', zip, 'zip', { first: false }],
    ['png', 'png', png, undefined, { first: false }],
    ['jpeg', 'jpg', jpg, 'jpg'],
    ['jpg', 'jpeg', jpg, 'jpg'],
    ['jpg', 'jpeg', gif, undefined],
    ['pdfa', 'pdfa', PDF, 'pdf'],
    ['pdf', 'pdfa', zip, undefined],
    ['jpg', 'jpg', gif, undefined],
    ['gif', 'gif', gif, 'gif'],
    ['bmp', 'bmp', bmp, 'bmp'],
    ['bmp', 'bmp', PDF, undefined],
    ['htm', 'html', Buffer.from('<html>'), 'html'],
    ['docx', 'docx', PDF, undefined]
  ]
  for (const [outputType, fileType, bytes, expected, thumbnail] of table) {
    const service = await startConversionService(t, announced(fileType), (_request, response) => { response.end(bytes) })
    const { app } = await startHost(t, { documentServerOrigin: service.origin })
    const converting = app.editorServer.convert({ ...REQUEST, outputType, ...(thumbnail && { thumbnail }) })
    const name = JSON.stringify({ outputType, fileType, thumbnail, expected })
    if (expected === undefined) {
      await t.rejects(converting, { code: 'FST_EDITOR_CONVERSION_FAILED', message: new RegExp(`the result is (.* instead of|not) ${outputType}`) }, name)
    } else {
      const result = await converting
      t.equal(result.fileType, expected, name)
      t.not(result.mediaType, 'application/octet-stream', name)
      t.strictSame(await result.bytes(), bytes)
    }
  }
  const truncated = await startConverting(t, announced('docx'), { result: (_request, response) => { response.end(zip.subarray(0, 604)) } })
  const { bytes } = await truncated.app.editorServer.convert({ ...REQUEST, outputType: 'docx' })
  await t.rejects(bytes(), { code: 'FST_EDITOR_UPSTREAM', retryable: true, message: /the docx file is truncated or damaged/ })

  const service = await startConversionService(t, announced(undefined, '/cache/files/conv_1/output.odt/a.odt?md5=x'), (_request, response) => {
    response.end(zip)
  })
  const { app } = await startHost(t, { documentServerOrigin: service.origin })
  t.equal((await app.editorServer.convert({ ...REQUEST, outputType: 'odf' })).fileType, 'odt', 'an older document server names it in the URL only')
})
