import t, { type Test } from 'tap'
import { startEdited } from './edited.js'

/** A document that is edited, a host that makes the server crash while it answers the first finished save. */
async function startCrashing (t: Test, status: 2 | 3 = 2) {
  const edited = await startEdited(t)
  const { host, server } = edited
  let isFirst = true
  host.beforeAnswer = async body => {
    if (body.status !== status || !isFirst) return
    isFirst = false
    await server.crash()
  }
  const saves = () => host.received.flatMap(({ body }) => body !== null && Number(body.status) === status ? [body] : [])
  return { ...edited, saves }
}

const pathOf = (body: Record<string, unknown> | undefined) => new URL(String(body!.url)).pathname

t.test('crash while a save is being answered, sessions kept: the same save is sent again at once', async t => {
  const { clock, server, session, saves } = await startCrashing(t)
  await t.rejects(session.close(), { message: 'The document server has crashed' })
  t.equal(server.forgotten.size, 0)
  t.match(server.sentRequests.at(-1), { answer: null, error: Error })
  await clock.advance(60_000)
  t.equal(saves().length, 1, 'nothing is sent while it is down')

  await server.restart({ sessions: 'kept' })
  await clock.advance(0)
  const [first, second] = saves()
  const { token: _first, url: _url, changesurl: _changes, ...was } = first!
  const { token, url, changesurl, ...is } = second!
  t.strictSame(is, was, 'key, status, users, actions, lastsave and all')
  t.equal(pathOf(second), pathOf(first))
  t.equal(await (await fetch(String(second!.url))).text(), 'what was edited')
  await clock.advance(3_600_000)
  t.equal(saves().length, 2, 'and once only')
  t.match(await session.saved(), { status: 2, accepted: true })
})

t.test('crash while a save is being answered, sessions lost: the save is never sent again and saved() rejects', async t => {
  const { clock, server, config, session, saves } = await startCrashing(t)
  const saved = session.saved()
  await t.rejects(session.close())
  await server.restart({ sessions: 'lost' })
  await t.rejects(saved, /lost/)
  await clock.advance(3_600_000)
  t.equal(saves().length, 1)
  t.equal(server.forgotten.size, 0)
  const again = await server.open(config)
  t.not(String(await again.content()), 'what was edited')
  t.match(await again.close(), { status: 4 })
})

t.test('crash while a status 3 is being answered: the document is assembled again', async t => {
  const { clock, server, session, saves } = await startCrashing(t, 3)
  server.fault('assembly', { type: 'fail' })
  await t.rejects(session.close())
  await server.restart({ sessions: 'kept' })
  await clock.advance(0)
  t.equal(saves().length, 1)
  t.match((await server.nextCallback(2)).body, { key: 'K', status: 2, users: ['uid-1'] })
})

t.test('crash while a force save is being answered: it is not sent again, and the finished save follows', async t => {
  const { host, clock, server, session } = await startCrashing(t)
  host.beforeAnswer = async ({ status }) => { if (status === 6) await server.crash() }
  await t.rejects(session.forceSave(), { message: 'The document server has crashed' })
  await server.restart({ sessions: 'kept' })
  await clock.advance(4999)
  t.strictSame(host.statuses(), [1, 6])
  await clock.advance(1)
  t.strictSame(host.statuses(), [1, 6, 2])
  t.match(host.received.at(-1)!.body, { notmodified: false })
})
