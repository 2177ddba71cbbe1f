import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { type Editing, type EditingOptions, errorOf, NEW, startEditing } from '../kit/editing.js'
import { HANDLER, signed } from '../kit/host.js'
import { exchange } from '../kit/http.js'

const ANNOUNCED = 4 * 1024 * 1024

interface Sent {
  readonly path: string
  readonly headers?: string
  /** What of the body is sent. Default: its first byte. */
  readonly body?: string
}

/** Sends a POST of 4 MiB, but for its body. Resolves to the answer when the connection closes. */
function post (t: Test, { origin }: Editing, { path, headers = '', body = '{' }: Sent): Promise<string> {
  return exchange(t, origin, `POST ${path} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nContent-Type: application/json\r\nContent-Length: ${ANNOUNCED}\r\n${headers}\r\n${body}`)
}

const REFUSED = /^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close[\s\S]*\r\n\r\n\{"error":1\}$/i
const unsigned = (fileId: string) => `${HANDLER}?action=callback&fileId=${fileId}`

for (const profile of ['secure', 'classic'] as const) {
  t.test(`a callback without a fileId, with an empty one or with two is refused before its body has arrived (${profile})`, async t => {
    const editing = await startEditing(t, { profile })
    for (const query of ['', '&fileId=', '&fileId', '&fileId=a&fileId=b', '&fileId=a&key=1&key=2']) {
      t.match(await post(t, editing, { path: `${HANDLER}?action=callback${query}` }), REFUSED, query)
    }
  })

  t.test(`a body that trickles in is abandoned after timeouts.body and its connection is closed (${profile})`, async t => {
    const editing = await startEditing(t, { profile, timeouts: { body: 100 } })
    const path = editing.urls.callback(editing.fileId).slice(editing.origin.length)
    t.match(await post(t, editing, { path, body: '{"status":' }), REFUSED)
    t.equal(await editing.post({ status: 2, url: editing.url }), 0, 'the service is alive')
    t.equal(await editing.storedText(editing.fileId), NEW)
  })

  t.test(`a body whose Content-Length exceeds bodyLimit is refused without reading it (${profile})`, async t => {
    const editing = await startEditing(t, { profile, bodyLimit: ANNOUNCED - 1 })
    t.match(await post(t, editing, { path: editing.urls.callback(editing.fileId).slice(editing.origin.length) }), REFUSED)
  })

  t.test(`a client that disconnects in the middle of a body causes exactly one log line (${profile})`, async t => {
    const editing = await startEditing(t, { profile })
    const { hostname, port, host } = new URL(editing.origin)
    const socket = net.connect(Number(port), hostname)
    const path = editing.urls.callback(editing.fileId).slice(editing.origin.length)
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${ANNOUNCED}\r\n\r\n{`)
    await once(editing.app.server, 'request')
    socket.destroy()
    t.equal(await editing.post({ status: 2, url: editing.url }), 0)
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}

/** More than is read without a proof. */
const LARGE = 'x'.repeat(100_000)

/** A service, and a stranger with the callback URL of one of its pages who has begun to send a body of 4 MiB. */
async function startWithStranger (t: Test, options: EditingOptions = {}) {
  const editing = await startEditing(t, { requireToken: true, ...options })
  const { fileId: other } = await editing.storage.create('txt', Buffer.from('of the stranger'))
  const pathOf = (fileId: string) => editing.urls.callback(fileId).slice(editing.origin.length)
  const { hostname, port, host } = new URL(editing.origin)

  /** Posts a callback unchanged, and resolves when every part of the service has processed it. */
  async function begin (fileId: string, body: string, { length = Buffer.byteLength(body), headers = '' } = {}) {
    const socket = net.connect(Number(port), hostname)
    t.teardown(() => socket.destroy())
    const arrived = once(editing.app.server, 'request')
    const closed = once(socket, 'close')
    let text = ''
    socket.on('error', () => {}).on('data', data => { text += data.toString() })
    socket.write(`POST ${pathOf(fileId)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${length}\r\n${headers}\r\n${body}`)
    await arrived
    return { socket, answer: closed.then(() => errorOf(text.slice(text.indexOf('\r\n\r\n') + 4))) }
  }
  const large = (fields: object) => JSON.stringify({ ...fields, token: signed({ ...fields, history: { serverVersion: LARGE } }) })
  const stranger = await begin(other, LARGE, { length: ANNOUNCED })
  return { ...editing, other, begin, large, stranger }
}

t.test('large callback bodies without a valid token are read one at a time; callbacks of the document server wait for none of them', async t => {
  const { fileId, key, url, post, begin, large, stranger } = await startWithStranger(t)
  const answers: string[] = []
  const fields = { key, status: 1 }
  const proven = await begin(fileId, large(fields), { headers: `Authorization: Bearer ${signed({ payload: fields })}\r\n` })
  t.equal(await proven.answer, 0)
  t.equal(await post({ status: 6, url }), 0, 'a small one')

  const waiting = await begin(fileId, large(fields))
  const answered = waiting.answer.then(error => { answers.push(`large: ${error}`) })
  t.equal(await post({ status: 6, url: `${url}&again` }), 0, 'a small one')
  answers.push('small')
  stranger.socket.destroy()
  await answered
  t.strictSame(answers, ['small', 'large: 0'])
})

t.test('only the document server\'s token for this callback URL exempts a large body from the queue; a token issued to a page does not', async t => {
  const { fileId, other, key, keys, post, url, begin, large, stranger } = await startWithStranger(t)
  const answers: unknown[] = []
  const fields = { key, status: 1 }
  const page = { document: { key }, editorConfig: { user: { id: '7' } } }
  for (const claims of [page, { payload: page }, { payload: { url } }, { payload: { key: keys.of({ fileId: other, revision: 'x' }), status: 1 } }]) {
    const { answer } = await begin(fileId, large(fields), { headers: `Authorization: Bearer ${signed(claims)}\r\n` })
    answer.then(error => answers.push(error)).catch(() => {})
  }
  t.equal(await post({ status: 6, url }), 0)
  t.strictSame(answers, [], 'they wait')
  stranger.socket.destroy()
})

t.test('large bodies from one client do not delay those of another', async t => {
  const { fileId, other, key, begin, large, stranger } = await startWithStranger(t)
  const more = [
    await begin(other, LARGE, { length: ANNOUNCED }),
    await begin(other, LARGE, { length: ANNOUNCED }),
    await begin(other, LARGE, { length: ANNOUNCED })
  ]
  const waiting = await begin(fileId, large({ key, status: 1 }))
  stranger.socket.destroy()
  t.equal(await waiting.answer, 0)
  t.ok(more.every(({ socket }) => !socket.closed), 'they are queued or being read')
  await begin(other, LARGE, { length: ANNOUNCED })
  const { answer } = await begin(other, LARGE, { length: ANNOUNCED })
  t.equal(await answer, 1, 'and only a few per page may be queued')
})

t.test('however many large bodies a file has had, there is room for the next one', async t => {
  const { other, keyOf, begin, large, stranger } = await startWithStranger(t)
  stranger.socket.destroy()
  for (let count = 1; count <= 6; count++) {
    const { answer } = await begin(other, large({ key: keyOf(other), status: 1 }))
    t.equal(await answer, 0, `number ${count}`)
  }
})

t.test('a client that disconnects while queued delays nobody, and closing the service ends the queue', async t => {
  const { app, fileId, key, other, begin, large, stranger } = await startWithStranger(t)
  const leaving = await begin(other, LARGE, { length: ANNOUNCED })
  leaving.socket.destroy()
  stranger.socket.destroy()
  const waiting = await begin(fileId, large({ key, status: 1 }))
  t.equal(await waiting.answer, 0)

  await begin(other, LARGE, { length: ANNOUNCED })
  const late = await begin(fileId, large({ key, status: 1 }))
  await app.close()
  t.equal(await late.answer, 1)
})

t.test('an unsigned callback is refused before its body has arrived, without calling authorize, which could not let it in', async t => {
  let asked = 0
  const editing = await startEditing(t, { authorize () { asked++; return 'grant' } })
  for (const headers of ['', `Origin: ${editing.origin}\r\n`, 'Sec-Fetch-Site: same-origin\r\n']) {
    t.match(await post(t, editing, { path: unsigned(editing.fileId), headers }), REFUSED, headers)
  }
  t.equal(asked, 0)
})
