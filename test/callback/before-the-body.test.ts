import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { type Editing, NEW, startEditing } from '../kit/editing.js'
import { HANDLER, signed } from '../kit/host.js'
import { exchange } from '../kit/http.js'
import { memoryLog, WARN } from '../kit/log.js'

const ANNOUNCED = 200 * 1024

interface Sent {
  readonly path: string
  readonly headers?: string
  /** What of the body is sent. Default: its first byte. */
  readonly body?: string
  /** How long it is to become. */
  readonly length?: number
}

/** Sends a POST, but for its body. Resolves to the answer when the connection closes. */
function post (t: Test, { origin }: Editing, { path, headers = '', body = '{', length = ANNOUNCED }: Sent): Promise<string> {
  return exchange(t, origin, `POST ${path} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n${body}`)
}

const REFUSED = /^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close[\s\S]*\r\n\r\n\{"error":1\}$/i
/** Of refusals for another reason, such as a body that does not arrive. */
const reasonsIn = (log: ReturnType<typeof memoryLog>, expected: RegExp) =>
  log.records().filter(({ level }) => level >= WARN).map(({ err }) => String(err?.message)).filter(reason => !expected.test(reason))
const unsigned = (fileId: string) => `${HANDLER}?action=callback&fileId=${fileId}`

t.test('a callback without a fileId, with an empty one or with two is refused before its body has arrived', async t => {
  const log = memoryLog()
  const editing = await startEditing(t, { server: log.server, timeouts: { body: 1000 } })
  for (const query of ['', '&fileId=', '&fileId', '&fileId=a&fileId=b', '&fileId=a&key=1&key=2']) {
    t.match(await post(t, editing, { path: `${HANDLER}?action=callback${query}` }), REFUSED, query)
  }
  t.strictSame(reasonsIn(log, /exactly one fileId/), [])
})

t.test('a body that trickles in is abandoned after timeouts.body and its connection is closed', async t => {
  const editing = await startEditing(t, { timeouts: { body: 100 } })
  const path = editing.urls.callback(editing.fileId).slice(editing.origin.length)
  t.match(await post(t, editing, { path, body: '{"status":' }), REFUSED)
  t.equal(await editing.post({ status: 2, url: editing.url }), 0, 'the service is alive')
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('a body whose Content-Length exceeds bodyLimit is refused without reading it', async t => {
  const editing = await startEditing(t, { bodyLimit: ANNOUNCED - 1 })
  t.match(await post(t, editing, { path: editing.urls.callback(editing.fileId).slice(editing.origin.length) }), REFUSED)
})

t.test('a body that breaks off in a hook of the application is refused at once, and the next callback is stored', async t => {
  let endOf: ((body: Readable) => void) | undefined
  const body = () => new Readable({ read () { setImmediate(endOf!, this) } })
  const prepare = (app: FastifyInstance) => { app.addHook('preParsing', async (_request, _reply, payload) => endOf ? body() : payload) }
  const editing = await startEditing(t, { prepare })
  for (endOf of [(body: Readable) => body.destroy(new Error('not compressed')), (body: Readable) => body.destroy()]) t.equal(await editing.post({ status: 2, url: editing.url }), 1)
  endOf = undefined
  t.equal(await editing.post({ status: 2, url: editing.url }), 0)
})

t.test('a body of more than 256 KiB is refused before it has arrived, but for the document server\'s token for this callback URL in the header', async t => {
  const editing = await startEditing(t, { requireToken: true })
  const { fileId, key, keys, url, origin, postCallback, urls } = editing
  const { fileId: other } = await editing.storage.create('txt', Buffer.from('of a stranger'))
  const path = urls.callback(fileId).slice(origin.length)
  const page = { document: { key }, editorConfig: { user: { id: '7' } } }
  for (const claims of [page, { payload: page }, { payload: { url } }, { payload: { key: keys.of({ fileId: other, revision: 'x' }), status: 1 } }]) {
    t.match(await post(t, editing, { path, headers: `Authorization: Bearer ${signed(claims)}\r\n`, length: 300 * 1024 }), REFUSED, JSON.stringify(claims))
  }

  const fields = { key, status: 1 }
  const bodyOf = (length: number) => {
    const token = signed({ ...fields, history: { serverVersion: 'x'.repeat(length) } })
    return { ...fields, token }
  }
  t.match((await postCallback(fileId, bodyOf(180_000))).body, '{"error":0}', 'less, without a header')
  t.match((await postCallback(fileId, bodyOf(200_000))).body, '{"error":1}', 'chunked or not')
  const proof = { authorization: `Bearer ${signed({ payload: fields })}`, 'content-type': 'application/json' }
  t.match((await postCallback(fileId, bodyOf(1_000_000), proof)).body, '{"error":0}')
})

t.test('an unsigned callback is refused before its body has arrived, without calling authorize, which could not let it in', async t => {
  let asked = 0
  const log = memoryLog()
  const editing = await startEditing(t, { server: log.server, timeouts: { body: 1000 }, authorize () { asked++; return 'grant' } })
  for (const headers of ['', `Origin: ${editing.origin}\r\n`, 'Sec-Fetch-Site: same-origin\r\n']) {
    t.match(await post(t, editing, { path: unsigned(editing.fileId), headers }), REFUSED, headers)
  }
  t.equal(asked, 0)
  t.strictSame(reasonsIn(log, /not signed/), [])
})
