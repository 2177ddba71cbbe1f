import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { type DownloadMessage, fileStorage, memoryStorage, type EditorStorage } from '../../lib/index.js'
import { collect } from '../kit/log.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

const CONTENT = Buffer.alloc(100_000, 'content')

/** Requests a URL, reads the whole answer, and lets its connection go. */
async function read (url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  await response.arrayBuffer()
  return response.status
}

for (const [kind, storageIn] of [['files', (directory: string) => fileStorage({ directory })], ['memory', () => memoryStorage()]] as const) {
  t.test(`every download has one message with the bytes of its body (${kind})`, async t => {
    const host = await startHost(t, { storage: storageIn(join(t.testdir(), 'uploads')) })
    const { fileId } = await host.storage.create('docx', CONTENT)
    const { until } = collect(t, 'download')
    const url = host.urls.download(fileId)
    const { headers } = await host.downloadAsDocumentServer(fileId)
    const etag = headers.get('etag')!
    await read(url)
    await read(url, { headers: { range: 'bytes=10-19' } })
    await read(url, { headers: { range: 'bytes=200000-' } })
    await read(url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })
    await read(url, { method: 'HEAD' })
    await read(url.replace(/signature=.../, 'signature=xxx'))
    await read(host.handler({ action: 'download' }))
    await read(`${url}&fileId=another`)
    await read(host.urls.download('absent'))
    await read(url, { method: 'DELETE' })
    await read(host.urls.download('x'.repeat(5000)))
    t.match(await until(12), [
      { fileId, outcome: 'sent', httpStatus: 200, bytes: CONTENT.length },
      { fileId, outcome: 'sent', httpStatus: 200, bytes: CONTENT.length },
      { fileId, outcome: 'sent', httpStatus: 206, bytes: 10 },
      { fileId, outcome: 'sent', httpStatus: 416 },
      { fileId, outcome: 'sent', httpStatus: 304, bytes: 0 },
      { fileId, outcome: 'sent', httpStatus: 200, bytes: 0 },
      { fileId, outcome: 'failed', httpStatus: 403, code: 'FST_EDITOR_FORBIDDEN' },
      { outcome: 'failed', httpStatus: 404, code: 'FST_EDITOR_FILE_NOT_FOUND' },
      { outcome: 'failed', httpStatus: 404, code: 'FST_EDITOR_FILE_NOT_FOUND' },
      { fileId: 'absent', outcome: 'failed', httpStatus: 404, code: 'FST_EDITOR_FILE_NOT_FOUND' },
      { fileId, outcome: 'failed', httpStatus: 405, code: 'FST_EDITOR_METHOD_NOT_ALLOWED' },
      { fileId: /^x{1,300}$/, outcome: 'failed', httpStatus: 404 }
    ])
  })
}

t.test('a download that the storage serves, or fails to serve, has one message', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', CONTENT)
  const info = (await memory.stat(fileId))!
  const elsewhere = { ...memory, downloadUrl: async () => ({ url: 'http://127.0.0.1:9/elsewhere', info }) }
  const redirecting = await startHost(t, { storage: elsewhere })
  const failing = await startHost(t, { storage: { ...memory, read: async () => { throw Object.assign(new Error('the disk failed'), { code: 'EIO' }) } } })
  const { until } = collect(t, 'download')
  await read(redirecting.urls.download(fileId))
  await read(failing.urls.download(fileId))
  t.match(await until(2), [
    { fileId, outcome: 'sent', httpStatus: 302, bytes: 0 },
    { fileId, outcome: 'failed', httpStatus: 500, code: 'EIO' }
  ])
})

/** A storage of one file that gives some bytes, and then nothing more or an error. */
async function halting (t: import('tap').Test, end: (body: Readable) => void) {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', CONTENT)
  const info = (await memory.stat(fileId))!
  const storage: EditorStorage = {
    ...memory,
    async read () {
      const body = new Readable({ read () {} })
      body.push(CONTENT.subarray(0, 50_000))
      end(body)
      return { info, body }
    }
  }
  return { fileId, host: await startHost(t, { storage, timeouts: { idle: 100 } }) }
}

t.test('a download that is cut off by the client or the storage has one message with the bytes that its connection has taken', async t => {
  for (const by of ['client', 'storage'] as const) {
    const bodies: Readable[] = []
    const { fileId, host } = await halting(t, body => { bodies.push(body) })
    const { messages, until } = collect(t, 'download')
    const request = http.get(host.urls.download(fileId))
    request.on('error', () => {})
    const [response] = await once(request, 'response') as [IncomingMessage]
    response.on('error', () => {})
    await once(response, 'data')
    t.strictSame(messages, [], 'not before it has ended')
    if (by === 'client') request.destroy()
    else bodies[0]!.destroy(new Error('the storage failed halfway'))
    const [message] = await until(1) as [DownloadMessage]
    t.match(message, { fileId, outcome: 'interrupted', httpStatus: 200 })
    t.ok(message.bytes! > 1000 && message.bytes! < 60_000, `${by}: ${message.bytes} of ${CONTENT.length} bytes`)
    t.notOk('code' in message)
  }
})

t.test('a hook of the application that refuses a download has one message', async t => {
  const host = await startHost(t, {
    prepare (app) {
      app.addHook('onRequest', async () => {
        throw Object.assign(new Error('too many'), { statusCode: 429, code: 'LIMITED' })
      })
    }
  })
  const { messages } = collect(t, 'download')
  t.equal(await read(host.urls.download('some')), 429)
  t.match(messages, [{ fileId: 'some', outcome: 'failed', httpStatus: 429, code: 'LIMITED' }])
  t.equal(messages.length, 1)
})

t.test('every proxy request has one message', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    if (request.url!.includes('absent')) return response.writeHead(404, { 'content-length': 4 }).end('gone')
    if (request.url!.includes('chunked')) return response.write(CONTENT, () => response.end(CONTENT))
    if (request.url!.includes('dying')) {
      return response.writeHead(200, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, 50_000), () =>
        response.destroy())
    }
    response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT)
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin, allowPrivateAddresses: true })
  const { until } = collect(t, 'proxy')
  const proxied = async (path: string, init: RequestInit = {}) =>
    await host.proxied(path.startsWith('http') ? path : `${upstream.origin}/cache/files/data/${path}`, init).then(
      response => response.arrayBuffer()
    ).catch(() => {})
  await proxied('whole')
  await proxied('absent')
  await proxied('chunked')
  await proxied('whole', { method: 'HEAD' })
  await proxied('dying')
  await proxied('http://elsewhere.invalid/x')
  await proxied('whole', { headers: { 'x-editor-proxy-token': 'wrong' } })
  const messages = await until(7)
  t.match(messages, [
    { outcome: 'sent', httpStatus: 200, bytes: CONTENT.length },
    { outcome: 'sent', httpStatus: 404, bytes: 4 },
    { outcome: 'sent', httpStatus: 200, bytes: Number },
    { outcome: 'sent', httpStatus: 200, bytes: 0 },
    { outcome: 'interrupted', httpStatus: 200 },
    { outcome: 'failed', httpStatus: 403, code: 'FST_EDITOR_ADDRESS_BLOCKED' },
    { outcome: 'failed', httpStatus: 403, code: 'FST_EDITOR_FORBIDDEN' }
  ])
  const { bytes } = messages[2]!
  t.ok(bytes! > 2 * CONTENT.length && bytes! < 2 * CONTENT.length + 2000, 'of unknown length: with headers, but without what the connection had taken before')
  t.notOk('fileId' in messages[0]!)
})
