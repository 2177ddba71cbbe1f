import t from 'tap'
import { startEdited } from './edited.js'

const CHANGED_MEANWHILE = { code: 4008 }

t.test('crash while editing, sessions kept: an editor that reconnects within five seconds continues with all changes', async t => {
  const { host, clock, server, config, session } = await startEdited(t)
  const other = await server.open(host.config('K', { name: 'notes.txt', user: { id: 'uid-2', name: 'Jane' } }))
  await server.crash()
  await server.restart({ sessions: 'kept' })
  await clock.advance(4999)
  await session.reconnect()
  t.match(host.received.at(-1)!.body, { status: 1, users: ['uid-1'], actions: [{ type: 1, userid: 'uid-1' }] })
  await other.reconnect()
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 1, 1, 1], 'nothing was saved while they were editing')
  await other.edit('and more')
  t.equal(String(await session.content()), 'and more')
  const third = await server.open(config)
  await third.close()
  await session.close()
  t.match(await other.close(), { status: 2, accepted: true })
})

t.test('crash while editing, sessions kept: if nobody reconnects, the document is saved after five seconds', async t => {
  const { host, clock, server, session } = await startEdited(t)
  await server.crash()
  await clock.advance(60_000)
  await server.restart({ sessions: 'kept' })
  await clock.advance(4999)
  t.strictSame(host.statuses(), [1])
  await clock.advance(1)
  t.strictSame(host.statuses(), [1, 2])
  await t.rejects(session.reconnect(), CHANGED_MEANWHILE)
})

t.test('crash while editing, sessions lost: nobody can reconnect, no callback is sent, and the document is downloaded again', async t => {
  const { host, clock, server, config, session } = await startEdited(t)
  const downloads = () => host.received.filter(({ body }) => body === null).length
  const before = downloads()
  await server.crash()
  await server.restart({ sessions: 'lost' })
  await t.rejects(session.reconnect(), CHANGED_MEANWHILE)
  await clock.advance(3_600_000)
  t.strictSame(host.statuses(), [1])
  const again = await server.open(config)
  t.equal(downloads(), before + 1)
  t.notMatch(String(await again.content()), 'what was edited')
  await t.rejects(session.reconnect(), CHANGED_MEANWHILE)
  await t.rejects(session.saved(), /lost/)
  t.match(await again.close(), { status: 4 })
})

t.test('crash while a cut connection is waited for, sessions kept: one save follows if nobody reconnects', async t => {
  const { host, clock, server, session } = await startEdited(t)
  await session.close({ abrupt: true })
  await clock.advance(4999)
  await server.crash()
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1])
  await server.restart({ sessions: 'kept' })
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 2])
})
