import t from 'tap'
import { postSigned, sign, startBoth, startFakeHost, startWithClock } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  const info = async (fields: object = {}) => await (await postSigned(`${server.url}/command`, { c: 'info', key: 'K', ...fields })).json()
  return { host, server, info }
}

t.test('info after the last editor was cut off with changes posts a 1 without users and actions, and a 4 after the 2', async t => {
  const { host, server, clock } = await startWithClock(t)
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
