import t, { type Test } from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../../emulator/test/support.js'
import { CONTENT, rawGet, startSaved } from './saved-file.js'

t.test('a crashed server accepts no connection; after a restart it has the same URL and the same result files', async t => {
  const { server, url } = await startSaved(t)
  for (const sessions of ['kept', 'lost'] as const) {
    await server.crash()
    for (const address of [url, server.editorApiUrl, `${server.url}/healthcheck`]) t.equal(await rawGet(t, address).ended(), 'ECONNREFUSED')
    await server.restart({ sessions })
    t.equal(await rawGet(t, url).bodyOf(CONTENT.length), CONTENT)
  }
})

t.test('a crash cuts every connection, even in the middle of an answer', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'stall', afterBytes: 9 })
  const stalled = rawGet(t, url)
  const idle = rawGet(t, url.replace('/cache/', '/other/'))
  await stalled.bodyOf(9)
  await idle.bodyOf(1)
  t.equal(idle.ending(), null, 'kept alive after its answer')
  await server.crash()
  t.match(await stalled.ended(), /closed|ECONNRESET/)
  t.match(await idle.ended(), /closed|ECONNRESET/)
  t.equal(stalled.body(), CONTENT.slice(0, 9))
})

t.test('operations on a crashed server fail, and nothing is sent later on their behalf', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('unsaved')
  await server.crash()
  t.match(session.events.at(-1), { type: 'disconnected' })
  const sent = server.sentRequests.length
  await t.rejects(server.open(host.config('L', { name: 'notes.txt' })), { message: 'The document server has crashed' })
  await t.rejects(session.reconnect(), { message: 'The document server has crashed' })
  await t.rejects(session.forceSave(), { message: 'The document server has crashed' })
  await t.rejects(session.edit('more'), TypeError)
  await session.disconnect()
  t.match(await session.close(), { status: null })
  t.equal(server.sentRequests.length, sent)
  await server.restart({ sessions: 'lost' })
  await t.rejects(session.forceSave(), TypeError)
  t.match(await session.close(), { status: null })
  await server.close()
  t.equal(server.sentRequests.length, sent)
  t.strictSame(host.statuses(), [1])
})

for (const sessions of ['kept', 'lost'] as const) {
  t.test(`sessions ${sessions}: forgotten files survive a crash and can be opened again`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    host.answers[2] = { body: '{"error":1}' }
    const config = host.config('K', { name: 'notes.txt' })
    const session = await server.open(config)
    await session.edit('refused by the host')
    await session.close()
    await server.crash()
    await server.restart({ sessions })
    t.strictSame(await forgotten(t, server.url), ['K'])
    host.answers = {}
    const again = await server.open(config)
    t.equal(String(await again.content()), 'refused by the host')
    t.match(await again.close(), { status: 2, accepted: true })
    t.strictSame(await forgotten(t, server.url), [])
  })
}

async function forgotten (t: Test, url: string): Promise<unknown> {
  const { error, keys } = await (await postSigned(`${url}/command`, { c: 'getForgottenList' })).json() as Record<string, unknown>
  t.equal(error, 0)
  return keys
}
