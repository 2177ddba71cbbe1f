import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
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

t.test('forcesave 0 means started: the 6 with the same userdata follows the answer', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  t.strictSame(await forceSave({ userdata: 'mine' }), { key: 'K', error: 0 })
  t.match((await server.nextCallback(6)).body, { userdata: 'mine', forcesavetype: 0 })
  t.strictSame(host.statuses(), [1, 6])
})

t.test('the 6 does not arrive before the answer', async t => {
  const { host, clock, server, askSlowly, session } = await start(t)
  await session.edit('changed')
  const { answering } = await askSlowly()
  await clock.advance(999)
  t.strictSame(host.statuses(), [1])
  await clock.advance(1)
  t.strictSame(await answering, { key: 'K', error: 0 })
  await server.nextCallback(6)
})

t.test('forcesave answers 4 before a change and after an accepted one, 1 for an unknown key', async t => {
  const { host, server, forceSave, session } = await start(t)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await session.edit('changed')
  await forceSave()
  await server.nextCallback(6)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  t.strictSame(await forceSave({ key: 'unknown' }), { key: 'unknown', error: 1 })
  t.strictSame(host.statuses(), [1, 6])
})

t.test('after a 7 another forcesave without a new edit answers 3', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'fail' })
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  await server.nextCallback(7)
  t.strictSame(await forceSave(), { key: 'K', error: 3 })
  t.strictSame(host.statuses(), [1, 7])
  await session.edit('changed again')
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  await server.nextCallback(6)
})

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

t.test('forcesave answers 4 while an equal one is being assembled, and while it is being answered', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  t.strictSame(await forceSave({ userdata: 'first' }), { key: 'K', error: 0 })
  await clock.advance(999)
  t.strictSame(await forceSave({ userdata: 'second' }), { key: 'K', error: 4 })
  let during: unknown
  host.beforeAnswer = async ({ status }) => { if (status === 6) during = await forceSave({ userdata: 'third' }) }
  await clock.advance(1)
  t.match((await server.nextCallback(6)).body, { userdata: 'first' })
  t.strictSame(during, { key: 'K', error: 4 })
  t.strictSame(host.statuses(), [1, 6])
})

t.test('an edit during assembly makes another force save possible: each 6 has its own content and userdata', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('one')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  await forceSave({ userdata: 'first' })
  await session.edit('two')
  server.fault('assembly', { type: 'slow', ms: 2000 })
  t.strictSame(await forceSave({ userdata: 'second' }), { key: 'K', error: 0 })
  await clock.advance(2000)
  const [first, second] = host.callbacks(6)
  t.strictSame([first!.userdata, second!.userdata], ['first', 'second'])
  t.not(new URL(String(first!.url)).pathname, new URL(String(second!.url)).pathname)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await session.close()
  t.match(host.callbacks(2), [{ notmodified: true }])
})

t.test('forcesave answers 3 when the last editor has left with changes, then 4', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const closed = session.close()
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(await forceSave(), { key: 'K', error: 3 })
  await clock.advance(500)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(500)
  t.match(await closed, { status: 2, accepted: true })
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  t.strictSame(host.statuses(), [1, 2])
})

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

t.test('forcesave answers 4 for good where a key is only viewed, was viewed, or was closed unchanged, and info posts a 4', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.close()
  await server.open(host.config('viewed', { mode: 'view' }))
  await (await server.open(host.config('left', { mode: 'view' }))).close()
  const info = async (key: string) => await (await postSigned(`${server.url}/command`, { c: 'info', key })).json()
  t.strictSame(host.statuses(), [1, 4])
  for (const ms of [0, 6000, 30 * 86_400_000]) {
    await clock.advance(ms)
    for (const key of ['K', 'viewed', 'left']) {
      t.strictSame(await forceSave({ key }), { key, error: 4 }, key)
      t.strictSame(await info(key), { key, error: 0, users: [] })
      t.strictSame(host.callbacks().at(-1), { key, status: 4 })
    }
  }
})

t.test('of three forcesave of the same changes that arrive together one starts, one is answered 3 and one 4', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const codes = await Promise.all(['u1', 'u2', 'u3'].map(async userdata => (await forceSave({ userdata }) as { error: number }).error))
  t.strictSame(codes.sort(), [0, 3, 4])
  await clock.advance(50)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await clock.advance(950)
  t.strictSame(host.statuses(), [1, 6])
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

t.test('the button right after forcesave has code 4', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  t.match(await session.forceSave(), { status: null })
  t.match(await session.nextEvent('forceSaveStarted'), { code: 4 })
  await clock.advance(1000)
  t.match(host.callbacks(6), [{ forcesavetype: 0 }])
})

t.test('forcesave answers 4 while the 2 of what was force-saved is being answered', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  await forceSave()
  await server.nextCallback(6)
  let during: unknown
  host.beforeAnswer = async () => { during = await forceSave() }
  await session.close()
  t.strictSame(during, { key: 'K', error: 4 })
})

t.test('forcesave 0 is followed by a 2 alone if the last editor leaves before the document is assembled', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  const viewer = await server.open(host.config('K', { mode: 'view' }))
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  t.strictSame(await forceSave({ userdata: 'mine' }), { key: 'K', error: 0 })
  t.match(await session.close(), { status: 2, accepted: true })
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 2])
  t.match(host.callbacks(2), [{ notmodified: false, userdata: undefined }])
  await viewer.close()
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

t.test('the 2 does not wait for the answer to a 6', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  let answer = () => {}
  host.beforeAnswer = async ({ status }) => { if (status === 6) await new Promise<void>(resolve => { answer = resolve }) }
  await forceSave()
  while (host.callbacks(6).length === 0) await host.next()
  t.match(await session.close(), { status: 2, accepted: true })
  t.match(host.callbacks(2), [{ notmodified: false }])
  answer()
  await server.nextCallback(6)
})

t.test('a repeat has the first userdata, is sent before the command is answered, and waits for the callback answer', async t => {
  const { host, forceSave } = await refused(t)
  const order: string[] = []
  host.beforeAnswer = async () => {
    await new Promise(resolve => setImmediate(resolve))
    order.push('6 answered')
  }
  const answer = await forceSave({ userdata: 'second' })
  order.push('command answered')
  t.strictSame(answer, { key: 'K', error: 0 })
  t.strictSame(order, ['6 answered', 'command answered'])
  t.match(host.callbacks(6).at(-1), { userdata: 'first', forcesavetype: 0, encrypted: false })
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
})

t.test('a repeat is the content assembled before: it cannot fail and takes no time', async t => {
  const { host, server, forceSave } = await refused(t)
  server.fault('assembly', { type: 'fail' })
  server.fault('assembly', { type: 'slow', ms: 1000 })
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  t.strictSame(host.statuses(), [1, 6, 6])
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

t.test('userdata may be any JSON; values that are falsy in JavaScript are dropped', async t => {
  const { server, forceSave, session } = await start(t)
  const sent = async (userdata: unknown) => {
    await session.edit(`with ${JSON.stringify(userdata)}`)
    await forceSave({ userdata })
    return (await server.nextCallback(6)).body
  }
  for (const userdata of ['ü "q"', 5, true, ['x'], { a: 1 }]) t.strictSame((await sent(userdata))!.userdata, userdata)
  for (const userdata of ['', null]) t.notOk('userdata' in (await sent(userdata))!)
})

t.test('forcesave answers 1 for a key with only a forgotten copy, 4 after an accepted 2', async t => {
  const { host, server, forceSave, session } = await start(t)
  const viewer = await server.open(host.config('K', { mode: 'view' }))
  await session.edit('changed')
  host.answers[2] = { body: '{"error":1}' }
  await session.close()
  t.strictSame(await forceSave(), { key: 'K', error: 1 }, 'also while a viewer is there')
  await viewer.close()
  t.strictSame(await forceSave(), { key: 'K', error: 1 })
  host.answers = {}
  const other = await server.open(host.config('L'))
  await other.edit('changed')
  await other.close()
  t.strictSame(await forceSave({ key: 'L' }), { key: 'L', error: 4 })
})
