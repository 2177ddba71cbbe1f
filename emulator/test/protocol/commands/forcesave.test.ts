import t from 'tap'
import { postSigned, startFakeHost, startWithClock } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server, clock } = await startWithClock(t)
  const forceSave = async (fields: object = {}) => await (await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K', ...fields })).json()
  const session = await server.open(host.config('K'))
  /** A command whose answer takes a second. Resolves when the document server has read it. */
  async function askSlowly () {
    server.fault('command', { type: 'delay', ms: 1000 })
    const answering = forceSave()
    while (server.receivedRequests.at(-1)?.body == null) await new Promise(resolve => setImmediate(resolve))
    await new Promise(resolve => setImmediate(resolve))
    return { answering }
  }
  return { host, clock, server, forceSave, askSlowly, session }
}

/** A refused 6 by command, to be repeated. */
async function refused (t: Parameters<typeof startFakeHost>[0]) {
  const started = await start(t)
  const { host, server, forceSave, session } = started
  host.answers[6] = { body: '{"error":1}' }
  await session.edit('changed')
  t.strictSame(await forceSave({ userdata: 'first' }), { key: 'K', error: 0 })
  await server.nextCallback(6)
  host.answers = {}
  return started
}

t.test('forcesave after the last editor was cut off answers 3, then 4, and 0 once the 5 s are over; only a 2 follows', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  await session.disconnect()
  t.strictSame(await forceSave(), { key: 'K', error: 3 })
  await clock.advance(4999)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(1)
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(1000)
  t.strictSame(host.statuses(), [1, 2])
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
})

t.test('forcesave 3 s after the last editor was cut off answers 0, then 4; no 6 follows, but the 2', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  await session.disconnect()
  await clock.advance(3000)
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(2000)
  t.strictSame(await forceSave(), { key: 'K', error: 4 }, 'it has been asked for')
  await clock.advance(1000)
  t.strictSame(host.statuses(), [1, 2])
})

t.test('forcesave right after the button answers 3, later 4', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const pressed = session.forceSave()
  await session.nextEvent('forceSaveStarted')
  t.strictSame(await forceSave(), { key: 'K', error: 3 })
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(1000)
  t.match(await pressed, { status: 6, accepted: true })
  t.match(host.callbacks(6), [{ forcesavetype: 1 }])
})

t.test('the same holds if the last editor is cut off; once an editor is back the next force save is sent as a repeat', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  await forceSave({ userdata: 'first' })
  await session.disconnect()
  await clock.advance(1000)
  await session.reconnect()
  t.strictSame(host.statuses(), [1, 1])
  t.strictSame(await forceSave({ userdata: 'second' }), { key: 'K', error: 0 })
  t.match(host.callbacks(6), [{ userdata: 'first', encrypted: false }])
})

t.test('a 2 does not overtake a 6 that waits for the answer of its command', async t => {
  const { host, clock, askSlowly, session } = await start(t)
  await session.edit('changed')
  const { answering } = await askSlowly()
  const closing = session.close()
  await clock.advance(1000)
  await answering
  await closing
  t.strictSame(host.statuses(), [1, 6, 2])
})

t.test('a repeat by the button has its forcesavetype and actions, and the first userdata', async t => {
  const { host, session } = await refused(t)
  t.match(await session.forceSave(), { status: 6, accepted: true })
  t.match(host.callbacks(6).at(-1), { forcesavetype: 1, actions: [{ type: 2, userid: 'uid-1' }], userdata: 'first', encrypted: false })
})

t.test('after a new edit the next force save is no repeat', async t => {
  const { host, server, forceSave, session } = await refused(t)
  await session.edit('changed again')
  await forceSave({ userdata: 'second' })
  t.match((await server.nextCallback(6)).body, { userdata: 'second', encrypted: undefined })
  t.equal(new Set(host.callbacks(6).map(({ url }) => new URL(String(url)).pathname)).size, 2)
})
