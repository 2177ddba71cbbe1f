import t from 'tap'
import { type EditorSession, InvalidOptionError, memoryStorage } from '../../lib/index.js'
import { recordSessions, startEditing, startInstance } from '../kit/editing.js'
import { startService } from '../kit/sessions.js'

/** What is listed, without the times. */
const listed = (sessions: readonly EditorSession[]) => sessions.map(({ fileId, key }) => ({ fileId, key }))

const BEN = { user: { id: 'ben', name: 'Ben' } }
const CY = { user: { id: 'cy', name: 'Cy' } }

t.test('list: the files that are being edited, with their keys and when they were last reported', async t => {
  const { open, app, fileId, clock, documentServer } = await startService(t)
  t.strictSame(await app.editorSessions.list(), [])
  const { fileId: other } = await app.editorControl().uploadDocument(Buffer.from('another'), 'Other.txt')
  const ada = await open()
  const ben = await documentServer.open((await app.editorControl(BEN).openDocument(other)).config!)
  for (let index = 0; index < 2; index++) await documentServer.nextCallback(1)
  const sessions = await app.editorSessions.list()
  t.strictSame(listed(sessions), [{ fileId, key: ada.key }, { fileId: other, key: ben.key }])
  for (const { lastReported } of sessions) t.ok(lastReported instanceof Date && lastReported.getTime() <= clock.now())
  await ada.close()
  t.strictSame(listed(await app.editorSessions.list()), [{ fileId: other, key: ben.key }])
  await ben.edit('changed')
  await ben.close()
  t.strictSame(await app.editorSessions.list(), [])
})

t.test('list: after a restart a scan finds the sessions, in files and in memory', async t => {
  const editing = await startEditing(t)
  const { key, fileId } = editing
  t.equal(await editing.post({ key, status: 1 }), 0)
  await editing.app.close()
  const storage = editing.others.open()
  for (let count = 0; count < 60; count++) await storage.state.set(`other-${count}`, { format: 1, sessions: [], saves: [] }, null)
  const { app } = await startInstance(t, editing, { storage })
  const [one, two] = await Promise.all([app.editorSessions.list({ scan: true }), app.editorSessions.list({ scan: true })])
  t.strictSame(listed(one), [{ fileId, key }])
  t.strictSame(two, one)

  await t.test('in memory', async t => {
    const { post, key, fileId, app } = await startEditing(t, { memory: true })
    t.equal(await post({ key, status: 1 }), 0)
    t.strictSame(listed(await app.editorSessions.list({ scan: true })), [{ fileId, key }])
  })
})

t.test('users: everybody who is editing, each once; nobody after they have left', async t => {
  const { open, app, fileId } = await startService(t)
  t.strictSame(await app.editorSessions.users(fileId), [], 'nobody has opened it')
  t.strictSame(await app.editorSessions.users('no-such-file'), [])
  t.strictSame(await app.editorSessions.users('../malformed\0'), [])
  const [ada, again, ben] = [await open(), await open(), await open(BEN)]
  await open({ ...CY, mode: 'view' })
  t.strictSame((await app.editorSessions.users(fileId)).sort(), ['ada', 'ben'])
  await ada.close()
  await again.close()
  t.strictSame(await app.editorSessions.users(fileId), ['ben'])
  await ben.close()
  t.strictSame(await app.editorSessions.users(fileId), [])
})

t.test('users: a session that the document server no longer knows is given up, and ends as lost', async t => {
  const { hooks, until } = recordSessions()
  const { open, app, fileId, documentServer } = await startService(t, hooks)
  const ada = await open()
  await until(1)
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  t.strictSame(await app.editorSessions.users(fileId), [])
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'lost' }])
  t.strictSame(await app.editorSessions.list(), [])
})

t.test('drop: exactly the editors of these users are told to leave, and their changes are saved', async t => {
  const { open, app, fileId, stored, key } = await startService(t)
  t.strictSame(await app.editorSessions.drop(fileId), [], 'nobody is editing')
  const [ada, ben, cy] = [await open(), await open(BEN), await open(CY)]
  await ada.edit('by Ada')
  t.strictSame(await app.editorSessions.drop(fileId, ['nobody']), [ada.key])
  t.strictSame(await app.editorSessions.drop(fileId, []), [], 'an empty list is nobody')
  t.strictSame(await app.editorSessions.drop(fileId, ['ben']), [ada.key])
  await ben.nextEvent('dropped')
  t.strictSame([ada, cy].map(({ events }) => events.some(({ type }) => type === 'dropped')), [false, false])
  t.strictSame((await app.editorSessions.users(fileId)).sort(), ['ada', 'cy'])
  t.strictSame(await app.editorSessions.drop(fileId), [ada.key])
  await Promise.all([ada.nextEvent('dropped'), cy.nextEvent('dropped')])
  await ada.saved()
  t.equal(await stored(), 'by Ada')
  t.not(await key(), ada.key)
})

t.test('rename: all editors see the title; nothing is stored', async t => {
  const { open, app, fileId, listing } = await startService(t)
  t.strictSame(await app.editorSessions.rename(fileId, 'Minutes.docx'), [])
  const [ada, ben] = [await open(), await open(BEN)]
  const before = await listing()
  t.strictSame(await app.editorSessions.rename(fileId, 'Protokoll “é”.docx'), [ada.key])
  for (const session of [ada, ben]) t.match(await session.nextEvent('renamed'), { title: 'Protokoll “é”.docx' })
  t.strictSame(await listing(), before)
})

t.test('invalid users and titles are refused, and nothing is sent', async t => {
  const { open, app, fileId, documentServer } = await startService(t)
  const ada = await open()
  const { drop, rename } = app.editorSessions
  for (const users of ['ada', [1], {}, null]) {
    await t.rejects(
      drop(fileId, users as never),
      new InvalidOptionError('users', 'must be a list of user IDs, which are strings')
    )
  }
  for (const title of ['', ' \t', 'x'.repeat(256), 7, undefined]) {
    await t.rejects(rename(fileId, title as never), { code: 'FST_EDITOR_INVALID_OPTION', message: /title/ })
  }
  t.strictSame(documentServer.receivedRequests.filter(({ method }) => method === 'POST'), [])
  t.strictSame(await rename(fileId, 'x'.repeat(255)), [ada.key])
})

t.test('a document server that cannot be reached: UpstreamError for a file with sessions, none for others', async t => {
  const { app, post, key, fileId } = await startEditing(t, { memory: true, documentServerOrigin: 'http://127.0.0.1:9' })
  const { users, drop, rename } = app.editorSessions
  for (const call of [users(fileId), drop(fileId), rename(fileId, 'New.txt')]) t.strictSame(await call, [])
  t.equal(await post({ key, status: 1 }), 0)
  for (const call of [() => users(fileId), () => drop(fileId), () => rename(fileId, 'New.txt')]) await t.rejects(call, { code: 'FST_EDITOR_UPSTREAM' })
  t.equal((await app.editorSessions.list()).length, 1, 'it may still be live')
})

t.test('an aborted signal ends each call with its reason', async t => {
  const { open, app, fileId, documentServer } = await startService(t)
  await open()
  await documentServer.nextCallback(1)
  const reason = new Error('no longer wanted')
  const signal = AbortSignal.abort(reason)
  const { list, users, drop, rename } = app.editorSessions
  for (const call of [
    list({ signal }), list({ scan: true, signal }), users(fileId, { signal }), drop(fileId, undefined, { signal }),
    rename(fileId, 'New.txt', { signal })
  ]) await t.rejects(async () => await call, reason)

  const controller = new AbortController()
  documentServer.fault('command', { type: 'stall' })
  const waiting = users(fileId, { signal: controller.signal })
  controller.abort(reason)
  await t.rejects(waiting, reason)
})

t.test('sessions at another document server are left out', async t => {
  const storage = memoryStorage()
  const options = { memory: true, storage, publicBaseUrl: 'https://app.example.com' }
  const old = await startEditing(t, options)
  const next = await startEditing(t, options)
  const { fileId } = old
  t.equal(await old.post({ key: old.key, status: 1, users: ['u1'] }), 0)
  t.equal(await next.openedKey(fileId) === old.key, false)
  t.strictSame(await next.app.editorSessions.list({ scan: true }), [])
  for (const call of [
    next.app.editorSessions.users(fileId), next.app.editorSessions.drop(fileId),
    next.app.editorSessions.rename(fileId, 'New.txt')
  ]) t.strictSame(await call, [])
  t.strictSame(listed(await old.app.editorSessions.list()), [{ fileId, key: old.key }])
})
