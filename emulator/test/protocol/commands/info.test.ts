import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, sign, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const info = async (fields: object = {}) => await (await postSigned(`${server.url}/command`, { c: 'info', key: 'K', ...fields })).json()
  return { host, server, info }
}

t.test('info answers the users and sends a 1 without actions before its own answer, and waits for the callback answer', async t => {
  const { host, server, info } = await start(t)
  await server.open(host.config('K'))
  const order: string[] = []
  host.beforeAnswer = async ({ actions }) => {
    await new Promise(resolve => setImmediate(resolve))
    order.push(actions === undefined ? 'callback answered' : 'another callback')
  }
  const answer = await info({ userdata: 'my data' })
  order.push('info answered')
  t.strictSame(answer, { key: 'K', error: 0, users: ['uid-1'] })
  t.strictSame(order, ['callback answered', 'info answered'])
  t.strictSame(host.callbacks().at(-1), { key: 'K', status: 1, users: ['uid-1'], userdata: 'my data' })
})

t.test('info with callback sends it there', async t => {
  const { host, server, info } = await start(t)
  await server.open(host.config('K'))
  t.match(await info({ callback: `${host.origin}/elsewhere?f=2` }), { error: 0 })
  t.match(host.received.at(-1), { path: '/elsewhere?f=2', body: { status: 1 } })
})

t.test('info after everybody left sends a 4, and a 1 without users while unsaved changes are left', async t => {
  const { host, server, info } = await start(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  server.fault('assembly', { type: 'fail' })
  host.answers[3] = { body: '{"error":1}' }
  await session.close()
  t.strictSame(await info(), { key: 'K', error: 0, users: [] })
  t.strictSame(host.callbacks().at(-1), { key: 'K', status: 1, users: [] })

  await (await server.open(host.config('K'))).close()
  await (await server.open(host.config('L'))).close()
  t.strictSame(await info({ key: 'L' }), { key: 'L', error: 0, users: [] })
  t.strictSame(host.callbacks().at(-1), { key: 'L', status: 4 })
})

t.test('info after the last editor was cut off with changes posts a 1 without users and actions, and a 4 after the 2', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const info = async () => await (await postSigned(`${server.url}/command`, { c: 'info', key: 'K' })).json()
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.disconnect()
  t.strictSame(await info(), { key: 'K', error: 0, users: [] })
  t.strictSame(host.callbacks().at(-1), { key: 'K', status: 1, users: [] })
  await clock.advance(5000)
  t.strictSame(await info(), { key: 'K', error: 0, users: [] })
  t.strictSame(host.callbacks().at(-1), { key: 'K', status: 4 })
  t.strictSame(host.statuses(), [1, 1, 2, 4])
})

t.test('info for an unknown key answers 1 and sends no callback', async t => {
  const { host, info } = await start(t)
  t.strictSame(await info({ key: 'unknown' }), { key: 'unknown', error: 1 })
  t.equal(host.received.length, 0)
})

t.test('info sends its callback to the URL of the user who joined last, even after they left, and even if a viewer', async t => {
  const { host, server, info } = await start(t)
  const path = async () => {
    await info()
    return host.received.at(-1)!.path
  }
  await server.open(host.config('K', { callback: '/cb?of=ada' }))
  const grace = await server.open(host.config('K', { user: { id: 'grace', name: 'Grace' }, callback: '/cb?of=grace' }))
  t.equal(await path(), '/cb?of=grace')
  await grace.close()
  t.equal(await path(), '/cb?of=grace')
  await server.open(host.config('K', { user: { id: 'vera', name: 'Vera' }, callback: '/cb?of=vera', mode: 'view' }))
  t.equal(await path(), '/cb?of=vera')
})

t.test('info with viewers only sends a 4', async t => {
  const { host, server, info } = await start(t)
  await server.open(host.config('K', { mode: 'view' }))
  t.strictSame(await info(), { key: 'K', error: 0, users: [] })
  t.strictSame(host.callbacks(), [{ key: 'K', status: 4 }])
})

t.test('info whose callback is refused is answered all the same, and everybody present gets a warning', async t => {
  const { host, server, info } = await start(t)
  const sessions = [await server.open(host.config('K')), await server.open(host.config('K', { user: { id: 'grace', name: 'Grace' } }))]
  host.answers[1] = { status: 500, body: '' }
  t.strictSame(await info(), { key: 'K', error: 0, users: ['uid-1', 'grace'] })
  for (const session of sessions) t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
  t.equal(host.callbacks(1).length, 3, 'not sent again')
})

t.test('info passes on userdata of any JSON; values that are falsy in JavaScript are dropped', async t => {
  const { host, server, info } = await start(t)
  await server.open(host.config('K'))
  for (const userdata of ['x', 5, true, ['x'], { a: 1 }]) {
    await info({ userdata })
    t.strictSame(host.callbacks().at(-1)!.userdata, userdata)
  }
  for (const userdata of ['', null]) {
    await info({ userdata })
    t.notOk('userdata' in host.callbacks().at(-1)!)
  }
})

t.test('info for a key with only a forgotten copy answers 1', async t => {
  const { host, server, info } = await start(t)
  host.answers[2] = { body: '{"error":1}' }
  const session = await server.open(host.config('K'))
  await session.edit('kept')
  await session.close()
  t.strictSame(await info(), { key: 'K', error: 1 })
})

t.test('info without a callback URL answers 2: no user has one, or it is not a string', async t => {
  const { host, server, info } = await start(t)
  const { token, ...config } = host.config('K')
  const silent = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '' } }
  await server.open({ ...silent, token: sign(silent) })
  t.strictSame(await info(), { key: 'K', error: 2 })
  t.match(await info({ callback: `${host.origin}/cb` }), { error: 0, users: ['uid-1'] })
  t.strictSame(await info({ callback: 5 }), { key: 'K', error: 2 })
  t.strictSame(host.statuses(), [1])
})

t.test('info with a callback URL that cannot be requested answers the users and a warning', async t => {
  const { host, server, info } = await start(t)
  const session = await server.open(host.config('K'))
  t.strictSame(await info({ callback: 'nowhere' }), { key: 'K', error: 0, users: ['uid-1'] })
  await session.nextEvent('warning')
  t.strictSame(host.statuses(), [1])
})
