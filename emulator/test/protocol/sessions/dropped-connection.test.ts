import t from 'tap'
import { startFakeHost, startWithClock } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server, clock } = await startWithClock(t)
  const open = async (id: string) => await server.open(host.config('K', { name: 'notes.txt', user: { id, name: id } }))
  return { host, clock, open }
}

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
