import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('status 3 after a failure has no url and no filetype', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  server.fault('assembly', { type: 'fail' })
  t.match(await session.close(), { status: 3 })
  const { lastsave, ...body } = host.callbacks(3)[0]!
  t.strictSame(body, { key: 'K', status: 3, users: ['uid-1'], actions: [{ type: 0, userid: 'uid-1' }], notmodified: false })
  t.match(lastsave, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
})

t.test('status 3 with a result known to be corrupted has url, changesurl, history and filetype', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('changed')
  server.fault('assembly', { type: 'fail', corrupted: true })
  await session.close()
  const body = host.callbacks(3)[0]!
  t.strictSame(Object.keys(body), ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'lastsave', 'notmodified', 'filetype'])
  t.match(body, { history: { changes: [{ user: { id: 'uid-1' } }] }, filetype: 'txt' })
  t.not(await (await fetch(String(body.url))).text(), 'changed')
})
