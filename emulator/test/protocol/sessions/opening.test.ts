import { createSigner } from 'fast-jwt'
import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { SECRET, sign, startDocumentServer, startFakeHost } from '../../support.js'

t.test('a document.key has 1 to 255 characters of 0-9 A-Z a-z . _ = -', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  for (const key of ['a', 'Aa0.-_=', 'k'.repeat(255)]) t.equal((await server.open(host.config(key))).key, key)
  const before = host.received.length
  for (const key of ['a b', 'a/b', 'ü', 'a+b', 'a:b', 'a\n']) await t.rejects(server.open(host.config(key)), { code: 4004 }, JSON.stringify(key))
  t.equal(host.received.length, before, 'the application was not notified')
})

t.test('keys that differ in case are two documents', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('key', { name: 'notes.txt' }))).edit('changed')
  const other = await server.open(host.config('KEY', { name: 'notes.txt' }))
  t.strictSame(await other.content(), host.files.get('/files/notes.txt'))
})

t.test('editors with the same key co-edit and see each other\'s changes', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { name: 'notes.txt' }))
  const grace = await server.open(host.config('K', { name: 'notes.txt', user: { id: 'grace', name: 'Grace' } }))
  await ada.edit('by Ada')
  t.match(await grace.nextEvent('changed'), { userId: 'uid-1' })
  t.equal((await grace.content()).toString(), 'by Ada')
})

t.test('user.id may have 200 characters of any kind', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  for (const id of ['u'.repeat(200), 'Größe 漢字']) {
    const session = await server.open(host.config('K', { user: { id, name: 'Ada' } }))
    t.equal(session.userId, id)
    t.match(host.callbacks(1).at(-1), { users: [id] })
    await session.close()
  }
})

t.test('a configuration token may be HS256, HS384 or HS512, needs no exp, and has a minute of clock skew', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const { token, ...config } = host.config('K')
  for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
    const session = await server.open({ ...config, token: createSigner({ key: SECRET, algorithm, noTimestamp: true })(config) })
    t.match(await session.close(), { status: 4 }, algorithm)
  }
  const expired = (seconds: number) => ({ ...config, token: sign({ ...config, exp: Math.floor(clock.now() / 1000) - seconds }) })
  t.match(await (await server.open(expired(59))).close(), { status: 4 })
  await t.rejects(server.open(expired(60)), { code: 4005 })
})

t.test('an editor that reconnects after the document was saved gets 4008', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.disconnect()
  await clock.advance(5000)
  t.strictSame(host.statuses(), [1, 2])
  await t.rejects(session.reconnect(), { code: 4008 })
})

t.test('the name of a user is cut to 255 characters', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt', user: { id: 'ada', name: 'a'.repeat(300) } }))
  t.match(session.events.find(({ type }) => type === 'joined'), { users: [{ name: 'a'.repeat(255) }] })
  await session.close()
})
