import t from 'tap'
import { postSigned, startBoth, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  const run = async (fields: object) => await (await postSigned(`${server.url}/command`, fields)).json()
  const open = async (id: string) => await server.open(host.config('K', { user: { id, name: id } }))
  return { host, server, run, open }
}

t.test('drop disconnects the editors of the named users, or of all: 4007', async t => {
  const { host, server, run, open } = await start(t)
  const [ada, grace] = [await open('ada'), await open('grace')]
  await server.nextCallback(1)
  await server.nextCallback(1)
  t.strictSame(await run({ c: 'drop', key: 'K', users: ['ada'] }), { key: 'K', error: 0 })
  await ada.nextEvent('dropped')
  t.match((await server.nextCallback(1)).body, { users: ['grace'], actions: [{ type: 0, userid: 'ada' }] })
  await t.rejects(ada.edit('too late'), { code: 4007 })
  t.notOk(grace.events.some(({ type }) => type === 'dropped'))

  t.strictSame(await run({ c: 'drop', key: 'K' }), { key: 'K', error: 0 })
  await grace.nextEvent('dropped')
  await server.nextCallback(4)
  t.strictSame(host.statuses(), [1, 1, 1, 4])
})

t.test('the users of drop may be a JSON string; a malformed string answers 3', async t => {
  const { server, run, open } = await start(t)
  const [ada, grace] = [await open('ada'), await open('grace')]
  const dropped = () => [ada, grace].map(({ events }) => events.some(({ type }) => type === 'dropped'))
  t.strictSame(await run({ c: 'drop', key: 'K', users: 'ada' }), { key: 'K', error: 3 })
  t.strictSame(await run({ c: 'drop', key: 'K', users: [] }), { key: 'K', error: 0 })
  t.strictSame(await run({ c: 'drop', key: 'K', users: { id: 'ada' } }), { key: 'K', error: 0 })
  t.strictSame(dropped(), [false, false])
  t.strictSame(await run({ c: 'drop', key: 'K', users: '["ada"]' }), { key: 'K', error: 0 })
  t.strictSame(dropped(), [true, false])
  t.strictSame(await run({ c: 'drop', key: 'K', users: '' }), { key: 'K', error: 0 })
  t.strictSame(dropped(), [true, true])
  await server.nextCallback(4)
})

t.test('a meta that is a string answers 0 and sets no title', async t => {
  const { run, open } = await start(t)
  const ada = await open('ada')
  t.strictSame(await run({ c: 'meta', key: 'K', meta: 'New.docx' }), { key: 'K', error: 0 })
  t.strictSame(await run({ c: 'meta', key: 'K', meta: {} }), { key: 'K', error: 0 })
  for (const meta of ['', null]) t.strictSame(await run({ c: 'meta', key: 'K', meta }), { key: 'K', error: 5 }, JSON.stringify(meta))
  t.notOk(ada.events.some(({ type }) => type === 'renamed'))
})

t.test('if users of drop is a string, everybody leaves whose id occurs in it', async t => {
  const { run, open } = await start(t)
  const [ada, grace] = [await open('ada'), await open('grace')]
  t.strictSame(await run({ c: 'drop', key: 'K', users: '"ada and bob"' }), { key: 'K', error: 0 })
  await ada.nextEvent('dropped')
  t.notOk(grace.events.some(({ type }) => type === 'dropped'))
})
