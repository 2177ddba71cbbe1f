import t from 'tap'
import { startFakeHost, startWithClock } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server, clock } = await startWithClock(t)
  const open = async (id: string, mode = 'edit') => await server.open(host.config('K', { name: 'notes.txt', user: { id, name: id }, mode }))
  const ada = await open('ada')
  await ada.edit('by Ada')
  const saved = async () => await (await fetch(String(host.callbacks(2).at(-1)!.url))).text()
  return { host, clock, server, open, ada, saved }
}

t.test('an editor that opens the key between two attempts joins at once, with the unsaved changes; the attempts end', async t => {
  const { host, clock, open, ada, saved } = await start(t)
  host.answers[2] = { status: 503, body: '' }
  const closing = ada.close()
  await clock.advance(500)
  t.strictSame(host.statuses(), [1, 2])
  const grace = await open('grace')
  t.equal(grace.viewOnly, false)
  t.match(await grace.nextEvent('unsavedChanges'), { count: 1 })
  t.equal((await grace.content()).toString(), 'by Ada')
  await clock.advance(60_000)
  t.match(await closing, { status: 2, httpStatus: 503, accepted: false })
  t.strictSame(host.statuses(), [1, 2, 1], 'not sent again')
  t.strictSame(ada.events.filter(({ type }) => type === 'saved'), [])

  host.answers = {}
  t.match(await grace.close(), { status: 2, accepted: true })
  t.match(host.callbacks(2).at(-1), { users: ['ada'], actions: [{ type: 0, userid: 'grace' }] })
  t.equal(await saved(), 'by Ada')
  t.match(await ada.saved(), { accepted: true })
})

t.test('an editor that reconnects between two attempts is in the session again, and the attempts end', async t => {
  const { host, clock, ada } = await start(t)
  host.answers[2] = { status: 503, body: '' }
  await ada.disconnect()
  await clock.advance(5500)
  t.strictSame(host.statuses(), [1, 2])
  await ada.reconnect()
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 2, 1])
})

t.test('a viewer does not end the attempts', async t => {
  const { host, clock, open, ada } = await start(t)
  host.answers[2] = { status: 503, body: '' }
  const closing = ada.close()
  await clock.advance(500)
  await open('vera', 'view')
  host.answers = {}
  await clock.advance(500)
  t.match(await closing, { status: 2, accepted: true })
})

t.test('an editor that opens the key during assembly continues editing, and no 2 is sent', async t => {
  const { host, clock, server, open, ada, saved } = await start(t)
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const closing = ada.close()
  await clock.advance(500)
  const grace = await open('grace')
  await grace.edit('by Grace')
  await clock.advance(60_000)
  t.strictSame(await closing, { status: null, httpStatus: null, answer: null, accepted: false })
  t.strictSame(host.statuses(), [1, 1])
  t.match(await grace.close(), { status: 2, accepted: true })
  t.equal(await saved(), 'by Grace')
})

t.test('of two saves only the later one is sent, whichever is assembled first', async t => {
  const { host, clock, server, open, ada, saved } = await start(t)
  server.fault('assembly', { type: 'slow', ms: 2000 })
  const closing = ada.close()
  await clock.advance(1000)
  const grace = await open('grace')
  await grace.edit('by Grace')
  t.match(await grace.close(), { status: 2, accepted: true })
  await clock.advance(2000)
  t.match(await closing, { status: null })
  t.strictSame(host.statuses(), [1, 1, 2])
  t.equal(await saved(), 'by Grace')
})
