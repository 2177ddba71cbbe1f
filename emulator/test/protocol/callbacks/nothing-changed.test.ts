import t from 'tap'
import { fixture, postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('status 4 reports that the last editor left and nothing was changed: no users', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K'))).close()
  t.strictSame(host.callbacks(4), [{ key: 'K', status: 4, actions: [{ type: 0, userid: 'uid-1' }] }])
})

t.test('a status 4 caused by the command info has no actions either', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K'))).close()
  await postSigned(`${server.url}/command`, { c: 'info', key: 'K' })
  t.strictSame(host.callbacks(4).at(-1), { key: 'K', status: 4 })
})

t.test('setting the same content again is no change and keeps the bytes', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit(fixture('report.docx'))
  t.strictSame(await session.content(), fixture('report.docx'))
  t.equal((await session.close()).status, 4)
})

t.test('a refused status 4 shows a warning to everybody connected', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const viewer = await server.open(host.config('K', { user: { id: 'vera', name: 'Vera' }, mode: 'view' }))
  const editor = await server.open(host.config('K'))
  host.answers[4] = { body: '<html>' }
  t.match(await editor.close(), { status: 4, accepted: false })
  for (const session of [editor, viewer]) t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
})
