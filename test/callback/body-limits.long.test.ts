import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { bodyFor, errorOf, NEW, startEditing } from '../kit/editing.js'
import { HANDLER, signed } from '../kit/host.js'

const MiB = 1024 * 1024

t.test('a callback body over the limit is refused', async t => {
  const editing = await startEditing(t, { bodyLimit: 10_000 })
  const body = (userdata: string) => JSON.stringify(bodyFor({ key: editing.key, status: 2, url: editing.url, userdata }))
  t.equal(errorOf((await editing.postCallback(editing.fileId, body('x'.repeat(10_000)))).body), 1)
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'over the limit')
  t.equal(errorOf((await editing.postCallback(editing.fileId, body('x'.repeat(100)))).body), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('a chunked callback body over the limit is answered before it ends', async t => {
  const editing = await startEditing(t, { bodyLimit: 10_000 })
  const { hostname, port, host } = new URL(editing.origin)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const chunk = 'x'.repeat(20_000)
  socket.write(
      `POST ${HANDLER}?action=callback&fileId=${editing.fileId} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  )
  socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  const [answer] = await once(socket, 'data') as [Buffer]
  t.match(answer.toString(), /^HTTP\/1\.1 200 OK[\s\S]*\{"error":1\}/)
})

t.test('a callback with a long history is accepted', async t => {
  const editing = await startEditing(t)
  const changes = Array.from({ length: 10_000 }, (_, index) => ({ created: '2026-11-20 15:12:59', user: { id: `u${index}`, name: 'John' } }))
  const fields = { key: editing.key, status: 2, url: editing.url }
  const body = JSON.stringify(bodyFor({ ...fields, history: { changes } }))
  t.ok(body.length > MiB / 2 && body.length < 4 * MiB)
  const authorization = `Bearer ${signed({ payload: { ...fields, history: {} } })}`
  t.equal(errorOf((await editing.postCallback(editing.fileId, body, { 'content-type': 'application/json', authorization })).body), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
})

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
for (const [name, extra] of Object.entries({
  '100,000 levels deep': `"x":${deep(100_000)}`,
  '1,000 levels deep': `"x":${deep(1000)}`,
  'objects and arrays in turn': `"x":${'{"a":['.repeat(10_000)}${']}'.repeat(10_000)}`,
  'unclosed levels': `"x":${'['.repeat(1_000_000)}`,
  'a million keys': Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join()
})) {
  t.test(`${name}: the callback is refused`, async t => {
    const editing = await startEditing(t)
    const fields = JSON.stringify(bodyFor({ key: editing.key, status: 2, url: editing.url })).slice(0, -1)
    t.equal(errorOf((await editing.postCallback(editing.fileId, `${fields},${extra}}`)).body), 1)
    t.strictSame(editing.documentServer.requests, [])
    await editing.unchanged(t, name)
    t.equal(await editing.post({ status: 2, url: editing.url }), 0, 'the service is alive')
  })
}

t.test('brackets inside strings do not count as nesting', async t => {
  const editing = await startEditing(t)
  const userdata = '[{'.repeat(200) + '\\"' + '"[{\\'.repeat(200)
  t.equal(await editing.post({ status: 2, url: editing.url, userdata }), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
})
