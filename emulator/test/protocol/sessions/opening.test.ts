import t from 'tap'
import { startBoth, startWithClock } from '../../support.js'

t.test('a document.key has 1 to 255 characters of 0-9 A-Z a-z . _ = -', async t => {
  const { host, server } = await startBoth(t)
  for (const key of ['a', 'Aa0.-_=', 'k'.repeat(255)]) t.equal((await server.open(host.config(key))).key, key)
  const before = host.received.length
  for (const key of ['a b', 'a/b', 'ü', 'a+b', 'a:b', 'a\n']) await t.rejects(server.open(host.config(key)), { code: 4004 }, JSON.stringify(key))
  t.equal(host.received.length, before, 'the application was not notified')
})

t.test('keys that differ in case are two documents', async t => {
  const { host, server } = await startBoth(t)
  await (await server.open(host.config('key', { name: 'notes.txt' }))).edit('changed')
  const other = await server.open(host.config('KEY', { name: 'notes.txt' }))
  t.strictSame(await other.content(), host.files.get('/files/notes.txt'))
})

t.test('user.id may have 200 characters of any kind', async t => {
  const { host, server } = await startBoth(t)
  for (const id of ['u'.repeat(200), 'Größe 漢字']) {
    const session = await server.open(host.config('K', { user: { id, name: 'Ada' } }))
    t.equal(session.userId, id)
    t.match(host.callbacks(1).at(-1), { users: [id] })
    await session.close()
  }
})

t.test('an editor that reconnects after the document was saved gets 4008', async t => {
  const { host, server, clock } = await startWithClock(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.disconnect()
  await clock.advance(5000)
  t.strictSame(host.statuses(), [1, 2])
  await t.rejects(session.reconnect(), { code: 4008 })
})

t.test('the name of a user is cut to 255 characters', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K', { name: 'notes.txt', user: { id: 'ada', name: 'a'.repeat(300) } }))
  t.match(session.events.find(({ type }) => type === 'joined'), { users: [{ name: 'a'.repeat(255) }] })
  await session.close()
})
