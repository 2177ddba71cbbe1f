import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type EditorHttpClient, type EditorHttpResponse, memoryStorage, type StorageReadResult, undiciClient } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

const ORIGIN = 'http://docs.example.com'
const FILE = `${ORIGIN}/cache/files/data/x_1/output.docx/output.docx`

/** A host with a hook that waits before each answer that is a stream is sent. */
async function startWaitingHost (t: Test, options: HostOptions) {
  const [waiting, mayGoOn] = [deferred(), deferred()]
  const host = await startHost(t, {
    documentServerOrigin: ORIGIN,
    authorize: () => 'grant',
    prepare (app) {
      app.addHook('onSend', async (_request, _reply, payload) => {
        if (!(payload instanceof Readable)) return payload
        waiting.resolve()
        await mayGoOn.promise
        return payload
      })
    },
    ...options
  })
  return { host, waiting: waiting.promise, goOn: mayGoOn.resolve }
}

async function proxied (host: Host): Promise<string> {
  const response = await fetch(host.handler({ action: 'proxy', url: FILE }))
  return `${response.status} ${await response.text().catch(() => 'cut off')}`
}

function client (body: Readable, headers: Record<string, string> = {}): EditorHttpClient {
  return { request: async (): Promise<EditorHttpResponse> => ({ status: 200, header: name => headers[name], body }) }
}

t.test('a compressed answer of the default client that fails while nobody listens does not end the process, and a later reader gets the error', async t => {
  for (const encoding of ['gzip', 'x-gzip', 'deflate', 'br']) {
    const empty = await startUpstream(t, `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 0\r\n\r\n`)
    const other = await startUpstream(t, (_request, response) => response.end())
    const { request, close } = undiciClient()
    t.teardown(() => close?.())
    const get = async (origin: string) => await request({ purpose: 'proxy', method: 'GET', url: new URL(origin), signal: new AbortController().signal })
    const { body } = await get(empty.origin)
    for (let exchanges = 0; exchanges < 3; exchanges++) await (await get(other.origin)).body.toArray()
    await t.rejects(body.toArray(), { code: 'Z_BUF_ERROR' }, encoding)
  }
})

const failures: Record<string, (body: Readable) => void> = {
  'is destroyed by an error': body => { body.destroy(new Error('reset')) },
  'is destroyed without one': body => { body.destroy() },
  'emits an error and then ends as if it were whole': body => {
    body.emit('error', new Error('reset'))
    body.push(null)
  }
}

for (const [how, fail] of Object.entries(failures)) {
  t.test(`a body of a custom client that ${how}, before it is read, is answered 502`, async t => {
    const body = new Readable({ read () {} })
    const { host, waiting, goOn } = await startWaitingHost(t, { httpClient: client(body) })
    const answer = proxied(host)
    await waiting
    fail(body)
    await turn()
    goOn()
    t.match(await answer, /^502 .*"FST_EDITOR_UPSTREAM"/)
  })
}

t.test('a body of a custom client that ignores the deadline is answered 504 even if nobody read it until then', async t => {
  const body = new Readable({ read () {} })
  const { host, waiting, goOn } = await startWaitingHost(t, { httpClient: client(body), timeouts: { total: 100 } })
  const answer = proxied(host)
  await waiting
  await new Promise(resolve => body.once('close', resolve))
  goOn()
  t.match(await answer, /^504 .*"FST_EDITOR_UPSTREAM_TIMEOUT"/)
})

t.test('a stored file whose stream fails before it is read is answered 500, and the service continues', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('txt', Buffer.from('content'))
  const body = new Readable({ read () {} })
  const storage = { ...memory, read: async (id: string) => ({ ...await memory.read(id) as StorageReadResult, body }) }
  const { host, waiting, goOn } = await startWaitingHost(t, { storage })
  const answer = fetch(host.handler({ action: 'download', fileId }))
  await waiting
  body.destroy(new Error('the bucket is gone'))
  await turn()
  goOn()
  t.equal((await answer).status, 500)
})
