import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const info = async (fields: object = {}) => await (await postSigned(`${server.url}/command`, { c: 'info', key: 'K', ...fields })).json()
  return { host, server, info }
}

t.test('info gives the users and fires a 1 without actions before its own answer, and waits for ours', async t => {
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

t.test('info after everybody left fires a 4, and a 1 without users while unsaved changes are left', async t => {
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

t.test('info of an unknown key gives 1 and no callback', async t => {
  const { host, info } = await start(t)
  t.strictSame(await info({ key: 'unknown' }), { key: 'unknown', error: 1 })
  t.equal(host.received.length, 0)
})
