import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { type Editing, errorOf, NEW, startEditing } from '../helpers/editing.js'
import { HANDLER, signed } from '../helpers/host.js'
import { exchange } from '../helpers/raw.js'

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
  t.test(`row 81: a callback without a fileId, with an empty one or with two is refused before its body has arrived, ${profile}`, async t => {
    const editing = await startEditing(t, { profile })
    for (const query of ['', '&fileId=', '&fileId', '&fileId=a&fileId=b', '&fileId=a&key=1&key=2']) {
      t.match(await post(t, editing, { path: `${HANDLER}?action=callback${query}` }), REFUSED, query)
    }
  })

  t.test(`row 81: a body that drips is given up after timeouts.body, its connection closed, ${profile}`, async t => {
    const editing = await startEditing(t, { profile, timeouts: { body: 50 } })
    const path = editing.urls.callback(editing.fileId).slice(editing.origin.length)
    t.match(await post(t, editing, { path, body: '{"status":' }), REFUSED)
    t.equal(await editing.post({ status: 2, url: editing.url }), 0, 'the service is alive')
    t.equal(await editing.storedText(editing.fileId), NEW)
  })

  t.test(`row 81: a body that is announced as longer than bodyLimit is not waited for, ${profile}`, async t => {
    const editing = await startEditing(t, { profile, bodyLimit: ANNOUNCED - 1 })
    t.match(await post(t, editing, { path: editing.urls.callback(editing.fileId).slice(editing.origin.length) }), REFUSED)
  })

  t.test(`a client that leaves in the middle of a body is one line in the log, and no more, ${profile}`, async t => {
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

t.test('row 81: of large bodies that anyone may have sent one is read at a time; what the document server sends waits for none of them', async t => {
  const editing = await startEditing(t, { requireToken: true })
  const { fileId, key, url, origin } = editing
  const path = editing.urls.callback(fileId).slice(origin.length)
  const bodyOf = (fields: object) => JSON.stringify({ ...fields, token: signed({ ...fields, history: { serverVersion: 'x'.repeat(200_000) } }) })
  const send = (body: string, headers = '') => exchange(t, origin, `POST ${path} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`)
  const answers: string[] = []
  const note = (name: string) => () => { answers.push(name) }
  const fields = { key, status: 1 }

  const { hostname, port, host } = new URL(origin)
  const first = net.connect(Number(port), hostname)
  t.teardown(() => first.destroy())
  const arrived = once(editing.app.server, 'request')
  first.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${ANNOUNCED}\r\n\r\n${'x'.repeat(100_000)}`)
  await arrived
  await send(bodyOf(fields), `Authorization: Bearer ${signed({ payload: fields })}\r\n`).then(note('large, with a token in the header'))
  t.equal(await editing.post({ status: 6, url }), 0)
  note('small')()

  const second = send(bodyOf(fields)).then(note('large, second'))
  await once(editing.app.server, 'request')
  t.equal(await editing.post({ status: 6, url: `${url}&again` }), 0)
  note('small')()
  first.destroy()
  await second
  t.strictSame(answers, ['large, with a token in the header', 'small', 'small', 'large, second'])
})

t.test('row 81: the host is asked about an unsigned callback before its body has arrived, once', async t => {
  const asked: Array<string | undefined> = []
  const editing = await startEditing(t, {
    authorize ({ headers }) {
      asked.push(headers['x-user'] as string | undefined)
      return headers['x-user'] === 'ada' ? true : undefined
    }
  })
  t.match(await post(t, editing, { path: unsigned(editing.fileId), headers: 'x-user: eve\r\n' }), REFUSED)
  t.strictSame(asked, ['eve'])

  const fields = { key: editing.key, status: 2, url: editing.url }
  const answer = await fetch(editing.origin + unsigned(editing.fileId), { method: 'POST', headers: { 'x-user': 'ada', 'content-type': 'application/json' }, body: JSON.stringify({ ...fields, token: signed(fields) }) })
  t.equal(errorOf(await answer.text()), 0)
  t.strictSame(asked, ['eve', 'ada'])
})

t.test('row 81: a browser\'s unsigned callback is refused before its body has arrived, and nobody is asked', async t => {
  let asked = 0
  const editing = await startEditing(t, { authorize () { asked++; return true } })
  for (const headers of [`Origin: ${editing.origin}\r\n`, 'Sec-Fetch-Site: same-origin\r\n']) {
    t.match(await post(t, editing, { path: unsigned(editing.fileId), headers }), REFUSED, headers)
  }
  t.equal(asked, 0)
})
