import t from 'tap'
import { createDocumentServer } from '../../../lib/index.js'
import { SECRET, startBoth, startFakeHost } from '../../support.js'

t.test('an edit that was not awaited is in the save', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  const editing = session.edit('last words')
  const [, result] = await Promise.all([editing, session.close()])
  t.match(result, { status: 2, httpStatus: 200, answer: { error: 0 } })
  t.strictSame(await session.close(), result, 'closing twice sends nothing more')
  t.strictSame(host.statuses(), [1, 2])
  await t.rejects(session.edit('too late'), TypeError)
})

t.test('closing the server saves open documents, and the application can fetch them meanwhile', async t => {
  const host = await startFakeHost(t)
  const server = await createDocumentServer({ jwtSecret: SECRET })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('unsaved')
  let saved = ''
  host.beforeAnswer = async ({ url }) => { saved = await (await fetch(String(url))).text() }
  await server.close()
  t.strictSame(host.statuses(), [1, 2])
  t.equal(saved, 'unsaved')
})
