import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { startDocumentServer, startFakeHost } from '../../../../emulator/test/support.js'

async function startEdited (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { clock: fakeClock({ autoAdvance: true }) })
  const config = host.config('K', { name: 'notes.txt' })
  const session = await server.open(config)
  await session.edit('what was edited')
  return { host, server, session, config }
}

t.test('assembly: a finished save becomes status 3 without a file', async t => {
  const { host, server, session } = await startEdited(t)
  server.fault('assembly', { type: 'fail' })
  await session.close()
  t.strictSame(host.statuses(), [1, 3])
  const { body } = host.received.at(-1)!
  t.strictSame(Object.keys(body!), ['key', 'status', 'users', 'actions', 'lastsave', 'notmodified', 'token'])
})

t.test('assembly: after a refused status 3 the changes are kept, and opening the same key restores them', async t => {
  const { host, server, session, config } = await startEdited(t)
  server.fault('assembly', { type: 'fail' })
  host.answers[3] = { body: '{"error":1}' }
  t.match(await session.close(), { status: 3, accepted: false })
  t.equal(server.forgotten.size, 0)
  const again = await server.open(config)
  t.equal(String(await again.content()), 'what was edited')
  t.match(await again.close(), { status: 2, accepted: true })
})

t.test('assembly: after an accepted status 3 the changes are gone', async t => {
  const { host, server, session, config } = await startEdited(t)
  const before = host.files.get('/files/notes.txt')!
  server.fault('assembly', { type: 'fail' })
  t.match(await session.close(), { status: 3, accepted: true })
  const again = await server.open(config)
  t.equal(again.viewOnly, true)
  t.equal(String(await again.content()), String(before))
})

t.test('assembly, corrupted: status 3 has the URL of the corrupted file, which is kept when the application refuses it', async t => {
  const { host, server, session } = await startEdited(t)
  server.fault('assembly', { type: 'fail', corrupted: true })
  host.answers[3] = { body: '{"error":1}' }
  await session.close()
  const { body } = host.received.at(-1)!
  t.match(body, { status: 3, url: String, changesurl: String, history: Object, filetype: 'txt' })
  const bad = await (await fetch(String(body!.url))).text()
  t.equal(bad, 'what was edited'.slice(0, 7))
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), bad)
})

for (const corrupted of [false, true]) {
  t.test(`assembly, corrupted ${corrupted}: a force save becomes status 7, with a URL only if the file is corrupted, and the finished save is intact`, async t => {
    const { host, server, session } = await startEdited(t)
    server.fault('assembly', { type: 'fail', corrupted })
    t.match(await session.forceSave({ userdata: 'mine' }), { status: 7, accepted: true })
    t.match(host.received.at(-1)!.body, { status: 7, userdata: 'mine', forcesavetype: 1, url: corrupted ? String : undefined })
    t.match(session.events.at(-1), { type: 'forceSaved', accepted: false })
    t.match(await session.close(), { status: 2, accepted: true })
    t.strictSame(host.statuses(), [1, 7, 2])
  })
}
