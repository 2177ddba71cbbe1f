import t, { type Test } from 'tap'
import { type ControlConvertOptions, fileStorage, type ThumbnailRequest } from '../../lib/index.js'
import { claimsOf, PDF, ready, startConversionService } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { OLD, startService } from '../kit/sessions.js'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)])
const JPG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)])

async function startControl (t: Test, options: HostOptions = {}) {
  const service = await startConversionService(t, (response, _attempt, origin) => {
    const { outputtype } = service.conversions.at(-1)!.body
    response.end(JSON.stringify({ fileUrl: `${origin}/result.${outputtype}`, fileType: outputtype, endConvert: true }))
  }, (request, response) => {
    response.end(
      request.url === '/saved'
        ? 'force saved'
        : request.url!.endsWith('png')
          ? PNG
          : request.url!.endsWith('jpg')
            ? JPG
            : PDF
    )
  })
  const host = await startHost(t, { documentServerOrigin: service.origin, ...options })
  const control = host.app.editorControl()
  const { fileId } = await control.uploadDocument(Buffer.from('content'), 'Übung.docx')
  return { service, host, control, fileId }
}

t.test('the opened document is converted: its signed URL, the format of its bytes, its name and all options', async t => {
  const { service, control } = await startControl(t)
  const progress: number[] = []
  const result = await control.convert({
    outputType: 'pdf',
    password: 'secret',
    watermark: { strokeWidth: 2 },
    interval: 1,
    timeout: 60_000,
    onProgress: ({ percent }) => {
      progress.push(percent)
    }
  })
  t.strictSame(await result.bytes(), PDF)
  t.strictSame(progress, [100])
  const [{ body: { token, key, ...fields } }] = service.conversions as [typeof service.conversions[0]]
  t.strictSame(fields, {
    async: true,
    filetype: 'docx',
    outputtype: 'pdf',
    title: 'Übung.docx',
    url: control.documentUrl,
    password: 'secret',
    watermark: { 'stroke-width': 2 }
  })
  t.strictSame(claimsOf(token), { ...fields, key, operation: 'converter' })
  await control.convert({ outputType: 'pdf', title: 'Another.docx' }).then(async result => await result.bytes())
  t.equal(service.conversions.at(-1)!.body.title, 'Another.docx')
})

t.test('the same content and options have the same key on every instance, other ones another key', async t => {
  const storage = fileStorage({ directory: t.testdir() })
  const { service, host, fileId } = await startControl(t, { storage })
  const { fileId: otherId } = await storage.create('docx', Buffer.from('content'))
  const second = await startHost(t, { documentServerOrigin: service.origin, storage, publicBaseUrl: host.origin })
  const keyOf = async ({ app }: typeof host, options: ControlConvertOptions, id = fileId): Promise<unknown> => {
    const control = await app.editorControl().openDocument(id, { title: 'A.docx' })
    const { body } = await control.convert(options)
    body.destroy()
    return service.conversions.pop()!.body.key
  }
  const key = await keyOf(host, { outputType: 'pdf', region: 'de-DE' })
  t.equal(await keyOf(second, { outputType: 'pdf', region: 'de-DE' }), key)
  t.not(await keyOf(second, { outputType: 'pdf', region: 'de-AT' }), key)
  t.not(await keyOf(host, { outputType: 'pdf', region: 'de-DE' }, otherId), key)
  const control = await host.app.editorControl().openDocument(fileId)
  await control.convertToPdf()
  t.not(service.conversions.pop()!.body.key, await keyOf(host, { outputType: 'pdf' }), 'convertToPdf keeps its own')
  await storage.replace(fileId, Buffer.from('changed'))
  t.not(await keyOf(host, { outputType: 'pdf', region: 'de-DE' }), key)
})

t.test('after a force save the new content is converted, although the session keeps its key', async t => {
  const { app, documentServer, fileId, open } = await startService(t)
  const control = await app.editorControl().openDocument(fileId)
  const convert = async () => String(await (await control.convert({ outputType: 'txt', interval: 10 })).bytes())
  t.equal(await convert(), OLD)
  const session = await open()
  await session.edit('forced')
  await session.forceSave()
  t.equal(await convert(), 'forced')
  t.equal(await convert(), 'forced')
  await session.close()
  t.equal(documentServer.receivedRequests.filter(({ method, url }) => method === 'GET' && url.startsWith('/cache/files/data/conv_')).length, 3)
})

t.test('a thumbnail is an image of the first page, by default a PNG with the proportions of the page', async t => {
  const { service, control } = await startControl(t)
  const sent = async (request: ThumbnailRequest, bytes: Buffer) => {
    const image = await control.thumbnail(request)
    t.strictSame(await image.bytes(), bytes)
    const { outputtype, thumbnail, password } = service.conversions.pop()!.body
    return { mediaType: image.mediaType, outputtype, thumbnail, password }
  }
  t.strictSame(await sent({ width: 200, height: 280 }, PNG), {
    mediaType: 'image/png',
    outputtype: 'png',
    thumbnail: { aspect: 1, first: true, width: 200, height: 280 },
    password: undefined
  })
  t.strictSame(await sent({ width: 20, height: 28, aspect: 0, outputType: 'jpg', password: 'secret' }, JPG), {
    mediaType: 'image/jpeg',
    outputtype: 'jpg',
    thumbnail: { aspect: 0, first: true, width: 20, height: 28 },
    password: 'secret'
  })
  for (const [field, request] of [
    ['outputType', { width: 1, height: 1, outputType: 'pdf' }],
    ['width', { width: 0, height: 1 }],
    ['height', { width: 1, height: '1' }],
    ['size', { width: 1, height: 1, size: 1 }]
  ] as const) {
    await t.rejects(control.thumbnail(request as ThumbnailRequest), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${field} `)
    })
  }
  t.strictSame(service.conversions, [])
})

t.test('a route can send the result, or the error', async t => {
  const { origin, documentServer } = await startService(t, {
    prepare (app) {
      app.get('/notes.pdf', async (_request, reply) => {
        const control = await app.editorControl().uploadDocument(Buffer.from(OLD), 'Notes.txt')
        const result = await control.convert({ outputType: 'pdf', interval: 10 })
        return reply.type(result.mediaType).send(result.body)
      })
    }
  })
  const response = await fetch(`${origin}/notes.pdf`)
  t.strictSame([response.status, response.headers.get('content-type')], [200, 'application/pdf'])
  t.match(await response.text(), /^%PDF-/)
  documentServer.fault('file', { type: 'html' })
  const failed = await fetch(`${origin}/notes.pdf`)
  t.equal(failed.status, 502)
  t.match(await failed.json(), { code: 'FST_EDITOR_CONVERSION_FAILED', statusCode: 502 })
})

t.test('what cannot be converted rejects, and nothing is sent', async t => {
  const service = await startConversionService(t, ready)
  const { app } = await startHost(t, { documentServerOrigin: service.origin })
  await t.rejects(app.editorControl().convert({ outputType: 'pdf' }), { code: 'FST_EDITOR_NO_DOCUMENT' })
  await t.rejects(app.editorControl().thumbnail({ width: 1, height: 1 }), { code: 'FST_EDITOR_NO_DOCUMENT' })
  const control = app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const calls: ReadonlyArray<readonly [field: string, call: () => Promise<unknown>]> = [
    // @ts-expect-error without options
    ['outputType', async () => await control.convert()],
    // @ts-expect-error without options
    ['width', async () => await control.thumbnail()],
    // @ts-expect-error without height
    ['height', async () => await control.thumbnail({ width: 1 })]
  ]
  for (const [field, call] of calls) await t.rejects(call(), { code: 'FST_EDITOR_INVALID_OPTION', message: new RegExp(`^Option ${field} `) })
  const elsewhere = Object.assign(app.editorControl(), { documentName: 'Report', documentKey: 'k', documentUrl: 'https://files.example/1' })
  await t.rejects(elsewhere.convert({ outputType: 'pdf' }), { code: 'FST_EDITOR_INVALID_NAME' })
  for (const [field, options] of [['outputType', {}], ['url', { outputType: 'pdf', url: 'https://files.example/2' }], [
    'key',
    { outputType: 'pdf', key: 'k' }
  ], ['region', { outputType: 'pdf', region: '' }]] as const) {
    await t.rejects(elsewhere.convert(options as ControlConvertOptions), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${field} `)
    })
  }
  t.strictSame(service.conversions, [])
})
