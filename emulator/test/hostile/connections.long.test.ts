import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import type { DocumentServer } from '../../lib/index.js'
import { fixture, sign, startBoth, startDocumentServer } from '../support.js'
import { connect } from './page.js'

const typed = (text: string) => ({ stepType: 'replace', from: 1, to: 1, slice: { content: [{ type: 'text', text }] } })

/** Sections in sections. */
function nested (depth: number): object {
  let content: object = { type: 'paragraph' }
  for (let level = 0; level < depth; level++) content = { type: 'section', content: [content] }
  return { stepType: 'replace', from: 0, to: 0, slice: { content: [content] } }
}

t.test('the page of a user who may only comment or fill in forms cannot change a text, whatever it sends', async t => {
  const { host, server } = await startBoth(t)
  for (const right of ['comment', 'fillForms', 'review']) {
    const { token, ...unsigned } = host.config(right, { name: 'notes.txt' })
    const config = { ...unsigned, document: { ...unsigned.document, permissions: { edit: false, [right]: true } } }
    const page = await connect(t, server)
    page.send({ type: 'open', config: { ...config, token: sign(config) } })
    await page.message({ type: 'opened', viewOnly: false, mayWrite: right === 'review' })
    page.send({ type: 'edit', batch: 1, operations: [{ op: 'steps', version: 0, client: 'x', steps: [typed('x')] }] })
    await page.message({ type: 'received', batch: 1 })
    page.send({ type: 'insertText', id: 1, data: null })
    t.match(await page.message({ type: 'answer', id: 1 }), { error: { code: right === 'review' ? Number : -23 } })
    const session = await server.open(host.config(right, { name: 'notes.txt' }))
    t.equal((await session.content()).equals(fixture('notes.txt')), right !== 'review', right)
  }
})

t.test('malformed messages change nothing in an editor or the server', async t => {
  const { host, server } = await startBoth(t)
  const page = await connect(t, server)
  page.send('before it is open')
  page.send({ type: 'edit', operations: [{ op: 'steps', version: 0, client: 'x', steps: [typed('too early')] }] })
  page.send({ type: 'open', config: host.config('K', { name: 'notes.txt' }) })
  const { content } = await page.message({ type: 'opened' })

  const messages = [
    '', '{', 'null', '[]', '1', '"edit"', '[{"type":"edit"}]', '['.repeat(100_000), new Uint8Array([0xFF, 0xFE, 0]),
    '{"__proto__":{"type":"close"}}', '{"type":"__proto__"}', '{"type":"constructor"}', '{"type":{"toString":1}}', '{"type":"nothing"}',
    { type: 'edit' }, { type: 'edit', operations: 'text' }, { type: 'edit', operations: { length: 1 } },
    { type: 'open', config: host.config('other') },
    { type: 'place', place: { toString: 1 } }
  ]
  const operations = [
    null,
    1,
    'text',
    [],
    {},
    { op: 'steps' },
    { op: 'steps', version: 0, client: 'x', steps: 1 },
    { op: 'steps', version: 0, client: 'x', steps: [null] },
    { op: 'steps', version: 0, client: 1, steps: [typed('x')] },
    { op: 'steps', version: '0', client: 'x', steps: [typed('x')] },
    { op: 'steps', version: 5, client: 'x', steps: [typed('x')] },
    { op: 'steps', version: 0, client: 'x', steps: [{ stepType: '__proto__' }] },
    { op: 'steps', version: 0, client: 'x', steps: [{ ...typed('x'), from: 1e9, to: 1e9 }] },
    { op: 'steps', version: 0, client: 'x', steps: [nested(100)] },
    { op: 'steps', version: 0, client: 'x', steps: [nested(1000)] },
    { op: 'constructor' },
    { op: 'toString', text: 'x' },
    '{"op":"__proto__"}',
    { op: ['steps'], version: 0, client: 'x', steps: [typed('x')] }
  ]
  for (const message of messages) page.send(message)
  page.send({ type: 'edit', batch: 7, operations })
  await page.message({ type: 'received', batch: 7 })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  t.match(content, { kind: 'prose', version: 0 })
  t.ok((await session.content()).equals(fixture('notes.txt')), 'nothing has been changed')

  for (const [id, format] of [{ toString: 1 }, '../../../tmp/x'].entries()) {
    page.send({ type: 'download', id, format })
    t.match(await page.message({ type: 'answer', id }), { result: { fileType: id === 0 ? 'txt' : 'docx' } })
  }
  for (const data of [null, 1, 'text', [], { url: 'file:///etc/passwd' }, { images: [{ url: {} }] }, { token: { toString: 1 } }]) {
    for (const [id, type] of ['insertImages', 'readDocument', 'readRecipients', 'readCell'].entries()) {
      page.send({ type, id, data })
      t.match(await page.message({ type: 'answer', id }), { error: { code: Number, message: String } }, `${type} ${JSON.stringify(data)}`)
    }
  }
  t.notOk(server.sentRequests.some(({ url }) => !url.startsWith(host.origin)))
  page.send({ type: 'edit', batch: 8, operations: [{ op: 'steps', version: 0, client: 'x', steps: [typed('still here')] }] })
  await page.message({ type: 'received', batch: 8 })
  t.match((await session.content()).toString(), /^still here/)
})

t.test('invalid configurations are refused', async t => {
  const server = await startDocumentServer(t)
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  for (const config of [
    '[]', '{}', '{"token":1}', '{"token":{"toString":1}}', '{"token":"a.b.c"}', '{"__proto__":{"token":"x"}}',
    `{"token":"x","document":${deep}}`
  ]) {
    const page = await connect(t, server)
    page.send(`{"type":"open","config":${config}}`)
    t.match(await page.message({ type: 'refused' }), { code: Number }, config.slice(0, 40))
  }
})

const frames: Record<string, Buffer> = {
  'a message of 65 MiB': Buffer.from('81ff00000000041000000000000000000000', 'hex'),
  'bytes that are no frame': Buffer.from('fffffffffffffffffffff0', 'hex'),
  'text that is not UTF-8': Buffer.from('818200000000c328', 'hex'),
  'a frame without a mask': Buffer.from('810161', 'hex')
}

for (const [title, frame] of Object.entries(frames)) {
  t.test(`${title}: the connection is closed, the server keeps running`, async t => {
    const { host, server } = await startBoth(t)
    const socket = await upgraded(t, server)
    socket.write(frame)
    socket.resume()
    await once(socket, 'close')
    const session = await server.open(host.config('K'))
    t.match(await session.close(), { status: 4 })
  })
}

t.test('a page that does not answer does not prevent the server from closing', { timeout: 300_000 }, async t => {
  const server = await startDocumentServer(t)
  const socket = await upgraded(t, server)
  socket.resume()
  await Promise.all([server.close(), once(socket, 'close')])
  t.pass()
})

async function upgraded (t: Test, server: DocumentServer): Promise<net.Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.write(
    `GET /doc/socket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
  )
  const [answer] = await once(socket, 'data') as [Buffer]
  t.match(answer.toString(), /^HTTP\/1\.1 101 /)
  return socket
}
