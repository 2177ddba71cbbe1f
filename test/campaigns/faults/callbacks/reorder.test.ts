import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../../../emulator/test/support.js'

t.test('reorder: a force save is held back until the next callback has been answered', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('first')
  server.fault('callback', { type: 'reorder' })
  t.strictSame(await session.forceSave(), { status: null, httpStatus: null, answer: null, accepted: false })
  t.strictSame(host.statuses(), [1])
  const answered: unknown[] = []
  host.beforeAnswer = async ({ status }) => { answered.push(status, host.statuses().length) }
  await session.edit('second')
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2, 6])
  t.strictSame(answered, [2, 2, 6, 3], 'the 6 was sent after the 2 had been answered')
  t.match(host.received.at(-1)!.body, { key: 'K', status: 6, forcesavetype: 1, token: String })
})

t.test('reorder: a finished save is never held back and does not use up the fault', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('first')
  server.fault('callback', { type: 'reorder' })
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2])
  const other = await server.open(host.config('L', { name: 'notes.txt' }))
  t.strictSame(host.statuses(), [1, 2], 'the next callback is held back')
  await other.close()
  t.strictSame(host.statuses(), [1, 2, 4, 1])
})

t.test('reorder: callbacks for other documents do not release a held callback', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  server.fault('callback', { type: 'reorder' })
  const held = await server.open(host.config('K', { name: 'notes.txt' }))
  const other = await server.open(host.config('L', { name: 'notes.txt' }))
  await other.close()
  const keys = () => host.received.flatMap(({ body }) => body === null ? [] : [`${body.key} ${body.status}`])
  t.strictSame(keys(), ['L 1', 'L 4'])
  await held.close()
  t.strictSame(keys(), ['L 1', 'L 4', 'K 4', 'K 1'])
})
