import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('a crash before the answer makes it send the same save again, with the same key', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
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
