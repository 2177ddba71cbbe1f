import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { ConversionRequest } from '../../lib/index.js'
import { startReverseProxy, startUpstream } from '../kit/http.js'
import { type ServiceOptions, startService } from '../kit/sessions.js'

const QUICK = { interval: 10 }
const TEXT = Buffer.from('What is not stored anywhere')
const SCRIPT =
  'builder.CreateFile("docx"); builder.SaveFile("docx", "hello.docx"); builder.CloseFile();'
/** Nothing is reached there: what the document server downloads fails. */
const UNREACHABLE = 'http://127.0.0.1:9'
const NEW = { version: '10.0', purposeCheck: 'strict' } as const

const toPdf = { content: TEXT, fileType: 'txt', outputType: 'pdf' } as const

async function start (t: Test, options: ServiceOptions = {}) {
  const service = await startService(t, options)
  const { app: { editorServer }, documentServer } = service
  const paths = () =>
    documentServer.receivedRequests.map(({ url }) => new URL(url, documentServer.url).pathname).filter(path =>
      !path.startsWith('/coauthoring')
    )
  return {
    ...service,
    editorServer,
    paths,
    downloads: () => documentServer.sentRequests.filter(({ method }) => method === 'GET').length
  }
}

t.test('content is converted without a download, by a document server that cannot reach the application', async t => {
  const { editorServer, documentServer, downloads, paths } = await start(t, { emulated: NEW, publicBaseUrl: UNREACHABLE })
  for (const content of [TEXT, new Uint8Array(TEXT).buffer, new Blob([TEXT]), Readable.from([TEXT.subarray(0, 5), TEXT.subarray(5)])]) {
    const result = await editorServer.convert({ ...toPdf, content }, QUICK)
    t.match(result, { fileType: 'pdf', mediaType: 'application/pdf' })
    t.equal((await result.bytes()).subarray(0, 5).toString(), '%PDF-')
  }
  const image = await editorServer.convert({ ...toPdf, outputType: 'png', thumbnail: { width: 100, height: 80, aspect: 1 } }, QUICK)
  t.equal((await image.bytes()).subarray(1, 4).toString(), 'PNG')
  const all = await editorServer.convert({ ...toPdf, outputType: 'png', thumbnail: { first: false } }, QUICK)
  t.equal(all.fileType, 'zip')
  await all.bytes()
  t.equal(downloads(), 0)
  t.strictSame(new Set(paths()), new Set(['/converter/from-file']))
  t.equal(documentServer.receivedRequests.filter(({ url }) => url.includes('CommandService')).length, 1, 'the version is asked for once')
})

t.test('the file is sent once, and the conversion polled until it is done', async t => {
  const { editorServer, documentServer, paths } = await start(t, { emulated: NEW, publicBaseUrl: UNREACHABLE })
  documentServer.fault('conversion', { type: 'slow', ms: 3000 })
  const progress: number[] = []
  const result = await editorServer.convert(toPdf, { ...QUICK, onProgress: ({ percent }) => { progress.push(percent) } })
  t.equal((await result.bytes()).subarray(0, 5).toString(), '%PDF-')
  t.ok(paths().length >= 2)
  t.strictSame([progress[0], progress.at(-1)], [0, 100])
  const lengths = documentServer.receivedRequests.filter(({ url }) => url.includes('from-file')).map(({ headers }) => Number(headers['content-length']))
  t.ok(lengths.slice(1).every(length => length < lengths[0]!), String(lengths))
})

t.test('the same content and options are one conversion, others another one', async t => {
  const { editorServer, documentServer } = await start(t, { emulated: NEW })
  const keyOf = async (request: Partial<Extract<ConversionRequest, { readonly content: unknown }>>) => {
    await (await editorServer.convert({ ...toPdf, ...request }, QUICK)).bytes()
    return new URL(documentServer.receivedRequests.at(-1)!.url, documentServer.url).searchParams.get('shardkey')
  }
  const key = await keyOf({})
  t.match(key, /^[\w-]{32}$/)
  t.equal(await keyOf({}), key)
  for (const other of [{ content: Buffer.from('another') }, { title: 'Other.txt' }, { codePage: 1252 }]) t.not(await keyOf(other), key)
})

for (const version of ['9.3', '9.4'] as const) {
  t.test(`version ${version} downloads content and scripts from the application, until the work is done`, async t => {
    const { editorServer, documentServer, paths, downloads } = await start(t, { emulated: { version } })
    const result = await editorServer.convert(toPdf, QUICK)
    t.equal((await result.bytes()).subarray(0, 5).toString(), '%PDF-')
    const { files } = await editorServer.build({ script: SCRIPT, argument: { name: 'Ada' } }, QUICK)
    t.match(String(await (await files[0]!.fetch()).bytes()), 'PK')
    t.equal(downloads(), 2)
    t.notOk(paths().some(path => path.includes('from-file')))
    for (const { url } of documentServer.sentRequests.filter(({ method }) => method === 'GET')) t.equal((await fetch(url)).status, 404, 'withdrawn')
  })
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }
for (const [status, isRemembered] of [[200, true], [403, true], [404, true], [413, false], [429, false]] as const) {
  t.test(`where a proxy answers ${status} for the endpoint, content is downloaded; the endpoint is ${isRemembered ? 'not tried again at once' : 'tried again the next time'}`, async t => {
    const blocked: string[] = []
    const proxy = await startReverseProxy(t, {
      answer (request, response) {
        if (!request.url!.includes('/from-file')) return false
        blocked.push(request.url!.split('?')[0]!)
        request.resume().once('end', () => response.writeHead(status, HTML).end('<html>'))
        return true
      }
    })
    const { editorServer, documentServer, downloads } = await start(t, { emulated: NEW, documentServerOrigin: proxy.origin })
    proxy.forwardTo(documentServer.url)
    for (let round = 1; round <= 2; round++) {
      t.equal((await (await editorServer.convert({ ...toPdf, content: Buffer.from(`round ${round}`) }, QUICK)).bytes()).subarray(0, 5).toString(), '%PDF-')
      await editorServer.build({ script: SCRIPT, argument: { name: 'Ada' } }, QUICK)
    }
    t.equal(downloads(), 4)
    const endpoints = ['/converter/from-file', '/docbuilder/from-file']
    t.strictSame(blocked, isRemembered ? endpoints : [...endpoints, ...endpoints])
  })
}

t.test('errors of the document server are those of any conversion', async t => {
  const { editorServer, documentServer } = await start(t, { emulated: NEW, publicBaseUrl: UNREACHABLE })
  for (const code of [-1, -2, -3, -5]) {
    documentServer.fault('conversion', { type: 'error', error: code })
    await t.rejects(editorServer.convert({ ...toPdf, content: Buffer.from(`fails with ${code}`) }, QUICK), {
      code: 'FST_EDITOR_CONVERSION_FAILED',
      serverCode: code
    })
  }
  await t.rejects(editorServer.convert({ ...toPdf, outputType: 'nonsense' }, QUICK), { code: 'FST_EDITOR_CONVERSION_FAILED', serverCode: -7 })
})

t.test('answers that cannot be used: a large file, a failing server, another format, HTML', async t => {
  const answers: Array<readonly [status: number, headers: Record<string, string>, body: string, error: Record<string, unknown>]> = [
    [413, {}, '', { code: 'FST_EDITOR_UPSTREAM' }],
    [500, {}, '', { code: 'FST_EDITOR_UPSTREAM', retryable: true }],
    [
      200,
      { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="a.docx"' },
      'PK',
      { code: 'FST_EDITOR_CONVERSION_FAILED', message: /the result is docx instead of pdf/ }
    ],
    [200, { 'content-type': 'text/html' }, '<html>', { code: 'FST_EDITOR_CONVERSION_FAILED' }],
    [200, { 'content-type': 'application/json' }, '{"error":-8}', { code: 'FST_EDITOR_CONVERSION_FAILED', serverCode: -8 }],
    [200, { 'content-type': 'application/json' }, '{"percent":0,"endConvert":false}', { code: 'FST_EDITOR_CONVERSION_TIMEOUT' }],
    [200, { 'content-type': 'application/json' }, 'nonsense', { code: 'FST_EDITOR_CONVERSION_FAILED' }]
  ]
  for (const [status, headers, body, error] of answers) {
    const server = await startUpstream(t, (request, response) => {
      request.resume()
      if (request.url!.includes('CommandService')) return response.end('{"error":0,"version":"10.0.0"}')
      response.writeHead(status, headers).end(body)
    })
    const { app } = await startService(t, { documentServerOrigin: server.origin })
    t.match(await app.editorServer.convert(toPdf, { ...QUICK, timeout: body.includes('percent') ? 200 : 60_000 }).catch(error => error), error, body)
  }
})

t.test('content and url exclude each other, and what is no content is refused before anything is sent', async t => {
  const { editorServer, documentServer } = await start(t, { emulated: NEW, maxFileSize: 100 })
  const url = 'http://docs.example/a.txt'
  for (const [request, message] of [
    [{ ...toPdf, url }, /^Option url or content must be set, and not both/],
    [{ fileType: 'txt', outputType: 'pdf' }, /^Option url or content must be set/],
    [{ ...toPdf, key: 'k' }, /^Option key is only for a url/],
    [{ ...toPdf, content: 'text' }, /^Option content must be a Uint8Array/],
    [{ ...toPdf, content: Readable.from(['text']) }, /^Option content must be a stream of Uint8Arrays/]
  ] as const) await t.rejects(editorServer.convert(request as unknown as ConversionRequest), { code: 'FST_EDITOR_INVALID_OPTION', message })
  await t.rejects(editorServer.convert({ ...toPdf, content: Buffer.alloc(101) }), { code: 'FST_EDITOR_TOO_LARGE' })
  t.strictSame(documentServer.receivedRequests, [])
})
