import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

const ADA = { id: 'ada', name: 'Ada' }
const GRACE = { id: 'grace', name: 'Grace' }

t.test('status 1 says who joined and who left while others stay', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { user: ADA }))
  const grace = await server.open(host.config('K', { user: GRACE }))
  await ada.close()
  await grace.close()
  t.strictSame(host.callbacks(), [
    { key: 'K', status: 1, users: ['ada'], actions: [{ type: 1, userid: 'ada' }] },
    { key: 'K', status: 1, users: ['ada', 'grace'], actions: [{ type: 1, userid: 'grace' }] },
    { key: 'K', status: 1, users: ['grace'], actions: [{ type: 0, userid: 'ada' }] },
    { key: 'K', status: 4, actions: [{ type: 0, userid: 'grace' }] }
  ])
})

t.test('a restored connection and a reloaded page join without having left', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { user: ADA }))
  await session.edit('changed')
  await session.disconnect()
  await session.reconnect()
  const joined = { key: 'K', status: 1, users: ['ada'], actions: [{ type: 1, userid: 'ada' }] }
  t.strictSame(host.callbacks(), [joined, joined], 'restored')

  await session.disconnect()
  const reloaded = await server.open(host.config('K', { user: ADA }))
  t.strictSame(host.callbacks(), [joined, joined, joined], 'reloaded')
  await reloaded.close()
})

t.test('viewers are not reported', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const viewer = await server.open(host.config('K', { user: ADA, mode: 'view' }))
  await viewer.close()
  t.strictSame(host.callbacks(), [])
})

t.test('a refused status 1 is a warning in the editor and nothing else', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.answers[1] = { status: 500, body: 'no' }
  const session = await server.open(host.config('K', { user: ADA }))
  t.match(await session.event('warning'), { message: 'Error on save server subscription!' })
  await session.edit('changed')
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2], 'it was not sent again')
})

t.test('status 1 and the download of the document may come in either order', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('first'))).close()
  server.fault('callback', { type: 'reorder' })
  await (await server.open(host.config('second'))).close()
  const order = host.received.map(({ body }) => body === null ? 'GET' : `${String(body.key)} ${String(body.status)}`)
  t.strictSame(order, ['first 1', 'GET', 'first 4', 'GET', 'second 4', 'second 1'])
})
