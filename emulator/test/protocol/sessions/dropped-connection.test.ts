import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const open = async (id: string) => await server.open(host.config('K', { name: 'notes.txt', user: { id, name: id } }))
  return { host, clock, open }
}

t.test('a cut connection delays the 2 by 5 s', async t => {
  const { host, clock, open } = await start(t)
  const ada = await open('ada')
  await ada.edit('changed')
  await ada.close({ abrupt: true })
  await clock.advance(4999)
  t.strictSame(host.statuses(), [1])
  await clock.advance(1)
  t.strictSame(host.statuses(), [1, 2])
})

t.test('a clean close saves at once', async t => {
  const { host, open } = await start(t)
  const ada = await open('ada')
  await ada.edit('changed')
  await ada.close()
  t.strictSame(host.statuses(), [1, 2])
})

t.test('a reconnect cancels the save', async t => {
  const { host, clock, open } = await start(t)
  const ada = await open('ada')
  await ada.edit('changed')
  await ada.disconnect()
  await clock.advance(4999)
  await ada.reconnect()
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 1])
  await ada.edit('changed again')
  await ada.close()
  t.strictSame(host.statuses(), [1, 1, 2])
})

t.test('a reconnect cancels the save for good: the next cut starts the 5 s anew', async t => {
  const { host, clock, open } = await start(t)
  const ada = await open('ada')
  await ada.edit('changed')
  await ada.disconnect()
  await clock.advance(2000)
  await ada.reconnect()
  await clock.advance(1000)
  await ada.disconnect()
  await clock.advance(4999)
  t.strictSame(host.statuses(), [1, 1])
  await clock.advance(1)
  t.strictSame(host.statuses(), [1, 1, 2])
})

t.test('a reload cancels the save and restores the changes', async t => {
  const { host, clock, open } = await start(t)
  const ada = await open('ada')
  await ada.edit('changed')
  await ada.disconnect()
  await clock.advance(2000)
  const reloaded = await open('ada')
  t.match(await reloaded.nextEvent('unsavedChanges'), { count: 1 })
  t.equal((await reloaded.content()).toString(), 'changed')
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 1])
  t.match(await reloaded.close(), { status: 2, accepted: true })
})

t.test('with others present the 1 comes at once, without a change the 4', async t => {
  const { host, clock, open } = await start(t)
  const ada = await open('ada')
  const grace = await open('grace')
  await ada.disconnect()
  t.match(host.callbacks().at(-1), { status: 1, users: ['grace'], actions: [{ type: 0, userid: 'ada' }] })
  await grace.disconnect()
  t.match(host.callbacks().at(-1), { status: 4, actions: [{ type: 0, userid: 'grace' }] })
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 1, 1, 4])
})
