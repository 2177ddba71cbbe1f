import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { startDocumentServer, startFakeHost } from '../../../../emulator/test/support.js'

t.test('duplicate: the callback is sent twice in a row, each time with tokens; the first answer counts', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('twice')
  let answered = 0
  host.beforeAnswer = async ({ status }) => {
    if (status === 2 && ++answered === 2) host.answers[2] = { body: '{"error":1}' }
  }
  server.fault('callback', { type: 'duplicate' })
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2, 2])
  const [first, second] = host.received.filter(({ body }) => body?.status === 2).map(({ body }) => ({ ...body, token: '' }))
  t.strictSame(second, first)
  t.equal(server.forgotten.size, 0)
})

t.test('duplicate: the two copies are never sent at the same time', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  let side = 0
  host.beforeAnswer = async () => {
    t.equal(++side, 1)
    await new Promise(resolve => setImmediate(resolve))
    side--
  }
  server.fault('callback', { type: 'duplicate' }, { times: 2 })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.close()
  t.strictSame(host.statuses(), [1, 1, 4, 4])
})

t.test('duplicate: of a retried save only the selected attempts are duplicated', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { clock: fakeClock({ autoAdvance: true }) })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('twice')
  host.answers[2] = { status: 500 }
  server.fault('callback', { type: 'duplicate' }, { after: 1 })
  await session.close()
  t.strictSame(host.statuses(), [1, 2, 2, 2, 2, 2], 'four attempts, the second of them twice')
})
