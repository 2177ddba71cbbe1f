import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const forceSave = async (fields: object = {}) => await (await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K', ...fields })).json()
  const session = await server.open(host.config('K'))
  return { host, clock, server, forceSave, session }
}

t.test('forcesave 0 means started: the 6 with the same userdata follows the answer', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  t.strictSame(await forceSave({ userdata: 'mine' }), { key: 'K', error: 0 })
  t.match((await server.callback(6)).body, { userdata: 'mine', forcesavetype: 0 })
  t.strictSame(host.statuses(), [1, 6])
})

t.test('the 6 does not overtake the answer', async t => {
  const { host, clock, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('command', { type: 'delay', ms: 1000 })
  const answering = forceSave()
  while (server.received.at(-1)?.body == null) await new Promise(resolve => setImmediate(resolve))
  await new Promise(resolve => setImmediate(resolve))
  await clock.advance(999)
  t.strictSame(host.statuses(), [1])
  await clock.advance(1)
  t.strictSame(await answering, { key: 'K', error: 0 })
  await server.callback(6)
})

t.test('forcesave gives 4 before a change and after an accepted one, 1 for an unknown key', async t => {
  const { host, server, forceSave, session } = await start(t)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  await session.edit('changed')
  await forceSave()
  await server.callback(6)
  t.strictSame(await forceSave(), { key: 'K', error: 4 })
  t.strictSame(await forceSave({ key: 'unknown' }), { key: 'unknown', error: 1 })
  t.strictSame(host.statuses(), [1, 6])
})

t.test('after a 7 another forcesave without a new edit gives 3', async t => {
  const { host, server, forceSave, session } = await start(t)
  await session.edit('changed')
  server.fault('assembly', { type: 'fail' })
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  await server.callback(7)
  t.strictSame(await forceSave(), { key: 'K', error: 3 })
  t.strictSame(host.statuses(), [1, 7])
  await session.edit('changed again')
  t.strictSame(await forceSave(), { key: 'K', error: 0 })
  await server.callback(6)
})
