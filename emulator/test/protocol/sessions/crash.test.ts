import t from 'tap'
import { startBoth, startWithClock } from '../../support.js'

t.test('after a crash before the answer it sends the same save again, with the same key', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('saved twice')
  let crashed: Promise<void> | undefined
  host.beforeAnswer = async ({ status, url }) => {
    if (status !== 2 || crashed !== undefined) return
    t.equal(await (await fetch(String(url))).text(), 'saved twice', 'stored by the host')
    crashed = server.crash()
    await crashed
  }
  const closing = session.close().catch(() => {})
  while ((await host.next()).body?.status !== 2);
  await closing
  await crashed
  await server.restart({ sessions: 'kept' })
  while ((await host.next()).body?.status !== 2);
  const [first, second] = host.callbacks(2)
  t.equal(second!.key, first!.key)
  t.equal(await (await fetch(String(second!.url))).text(), 'saved twice')
})

t.test('after a crash during assembly the document is assembled again, and a force save has to be requested anew', async t => {
  const { host, server, clock } = await startWithClock(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('not to be lost')
  server.fault('assembly', { type: 'slow', ms: 1000 }, { times: 2 })
  session.forceSave().catch(() => {})
  const closing = session.close()
  await clock.advance(500)
  await Promise.all([server.crash(), t.rejects(closing)])
  t.strictSame(host.statuses(), [1])
  await server.restart({ sessions: 'kept' })
  await clock.advance(0)
  t.strictSame(host.statuses(), [1, 2])
  t.match(host.callbacks(2), [{ notmodified: false }])
  await clock.advance(60_000)
  t.strictSame(host.statuses(), [1, 2])
})

t.test('after a crash while a force save is being assembled the same one can be requested again', async t => {
  const { host, server, clock } = await startWithClock(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const saving = session.forceSave()
  await clock.advance(500)
  await Promise.all([server.crash(), t.rejects(saving)])
  await server.restart({ sessions: 'kept' })
  await session.reconnect()
  t.match(await session.forceSave(), { status: 6, accepted: true })
  t.match(host.callbacks(6), [{ encrypted: undefined }])
})
