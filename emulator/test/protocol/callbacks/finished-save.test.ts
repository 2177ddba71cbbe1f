import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../../support.js'

const ADA = { id: 'ada', name: 'Ada' }
const GRACE = { id: 'grace', name: 'Grace' }

t.test('status 2 has its fields in this order and lists the changes, run by run', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock({ start: Date.UTC(2026, 10, 20, 15, 12, 59, 250) })
  const server = await startDocumentServer(t, { clock })
  const ada = await server.open(host.config('K', { user: ADA, name: 'notes.txt' }))
  const grace = await server.open(host.config('K', { user: GRACE, name: 'notes.txt' }))
  await ada.edit('one')
  await ada.edit('two')
  await clock.advance(61_000)
  await grace.edit('three')
  await grace.close()
  await ada.close()

  const { token, ...body } = host.received.at(-1)!.body!
  t.strictSame(Object.keys(host.received.at(-1)!.body!),
    ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'lastsave', 'notmodified', 'token', 'filetype'])
  t.match(body, {
    key: 'K',
    status: 2,
    history: {
      serverVersion: /^\d+\.\d+\.\d+$/,
      changes: [
        { documentSha256: /^[0-9a-f]{64}$/, created: '2026-11-20 15:12:59', user: { id: 'ada', name: 'Ada' } },
        { documentSha256: /^[0-9a-f]{64}$/, created: '2026-11-20 15:14:00', user: { id: 'grace', name: 'Grace' } }
      ]
    },
    lastsave: '2026-11-20T15:14:00.000Z',
    filetype: 'txt'
  })
  t.equal(await (await fetch(String(body.url))).text(), 'three')
  t.equal((await fetch(String(body.changesurl))).headers.get('content-type'), 'application/zip')
})

t.test('users of a status 2 is the user who changed last, actions the user who left last', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { user: ADA, callback: '/cb?of=ada' }))
  const grace = await server.open(host.config('K', { user: GRACE, callback: '/cb?of=grace' }))
  await ada.edit('changed')
  await ada.close()
  await grace.close()
  t.match(host.callbacks(2), [{ users: ['ada'], actions: [{ type: 0, userid: 'grace' }] }])
  t.equal(host.received.at(-1)!.path, '/cb?of=ada', 'sent to the one who changed last')
})

t.test('notmodified is true if nothing changed since the last accepted force save, otherwise false', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const notModified = async (key: string, edit: (session: Awaited<ReturnType<typeof server.open>>) => Promise<unknown>) => {
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    await session.edit('one')
    await edit(session)
    await session.close()
    return host.callbacks(2).at(-1)!.notmodified
  }
  t.equal(await notModified('plain', async () => {}), false)
  t.equal(await notModified('forced', async session => await session.forceSave()), true)
  t.equal(await notModified('edited-after', async session => {
    await session.forceSave()
    await session.edit('two')
  }), false)
  host.answers[6] = { body: '{"error":1}' }
  t.equal(await notModified('refused', async session => await session.forceSave()), false)
})

t.test('a status 2 from a forgotten copy has history {}, notmodified null and no changesurl', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.answers[2] = { body: '{"error":1}' }
  const session = await server.open(host.config('K'))
  await session.edit('kept')
  await session.close()
  host.answers = {}
  await (await server.open(host.config('K'))).close()
  const { url, lastsave, ...body } = host.callbacks(2).at(-1)!
  t.strictSame(body, {
    key: 'K', status: 2, history: {}, users: ['uid-1'], actions: [{ type: 0, userid: 'uid-1' }], notmodified: null, filetype: 'docx'
  })
  t.match(url, /\/output\.docx\?/)
})
