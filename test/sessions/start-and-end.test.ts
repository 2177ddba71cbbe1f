import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { recordSessions, startEditing, startInstance, told } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'
import { startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

const BEN = { user: { id: 'ben', name: 'Ben' } }

t.test('two users who edit together and force saves are one session: one start, one end', async t => {
  const { hooks, until, events } = recordSessions()
  const { open, fileId, stored, app } = await startService(t, { ...hooks })
  const ada = await open()
  t.strictSame(await until(1), [['start', { fileId, key: ada.key, users: ['ada'] }]])
  const ben = await open(BEN)
  await ada.edit('by Ada')
  t.match(await ada.forceSave(), { status: 6, accepted: true })
  await ben.edit('by Ada and Ben')
  t.match(await ada.close(), { status: 1 })
  t.match(await ben.forceSave(), { status: 6, accepted: true })
  t.equal(events.length, 1, 'it goes on')
  t.match(await ben.close(), { status: 2, accepted: true })
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'saved', users: ['ben'] }])
  t.equal(await stored(), 'by Ada and Ben')
  await app.close()
  t.equal(events.length, 2)
})

t.test('a document that is closed without a change ends unchanged, and the next session has the same key', async t => {
  const { hooks, until } = recordSessions()
  const { open, fileId } = await startService(t, { ...hooks })
  const first = await open()
  await until(1)
  t.match(await first.close(), { status: 4 })
  t.strictSame((await until(2))[1], ['end', { fileId, key: first.key, reason: 'unchanged' }])
  const second = await open()
  t.equal(second.key, first.key)
  t.match((await until(3))[2], ['start', { key: first.key }])
  await second.edit('changed')
  await second.close()
  t.match((await until(4))[3], ['end', { key: first.key, reason: 'saved' }])
})

t.test('a refused save ends the session, and opening the document again starts it again', async t => {
  const { hooks, until } = recordSessions()
  const { open, documentServer, fileId, stored, app } = await startService(t, { ...hooks })
  const ada = await open()
  await ada.edit('refused at first')
  documentServer.fault('file', { type: 'reset' })
  t.match(await ada.close(), { status: 2, accepted: false })
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'refused', users: ['ada'] }])
  t.strictSame(await app.editorSessions.list(), [])

  const again = await open(BEN)
  t.equal(again.key, ada.key)
  t.strictSame((await until(3))[2], ['start', { fileId, key: ada.key, users: ['ben'] }])
  t.match(await app.editorSessions.list(), [{ fileId, key: ada.key }])
  t.match(await again.close(), { status: 2, accepted: true })
  t.match((await until(4))[3], ['end', { key: ada.key, reason: 'saved' }])
  t.equal(await stored(), 'refused at first')
})

t.test('changes that the document server could not assemble: the session ends, by policies.corrupted', async t => {
  const { hooks, until } = recordSessions()
  const { open, documentServer } = await startService(t, { ...hooks })
  const ada = await open()
  await ada.edit('cannot be assembled')
  documentServer.fault('assembly', { type: 'fail' })
  t.match(await ada.close(), { status: 3 })
  t.match((await until(2))[1], ['end', { key: ada.key, reason: 'refused', users: ['ada'] }])
})

t.test('a file that is deleted while it is edited: the session ends, by policies.missingFile', async t => {
  const { hooks, until } = recordSessions()
  const { open, fileId, app } = await startService(t, { ...hooks })
  const ada = await open()
  await ada.edit('of a deleted file')
  await until(1)
  t.equal(await app.editorStorage.remove(fileId), true)
  t.match(await ada.close(), { status: 2, accepted: false })
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'refused', users: ['ada'] }])
})

t.test('a session whose final save goes to a conflict copy ends saved, by its users', async t => {
  const { hooks, until } = recordSessions()
  const { post, key, url, fileId, storage } = await startEditing(t, { memory: true, policies: { conflict: 'keep-both' }, ...hooks })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await storage.replace(fileId, Buffer.from('changed from outside'))
  t.equal(await post({ key, status: 2, url, users: ['u1'] }), 0)
  t.strictSame((await until(2))[1], ['end', { fileId, key, reason: 'saved', users: ['u1'] }])
})

t.test('a closed file that was deleted ends unchanged', async t => {
  const { hooks, until } = recordSessions()
  const { post, key, fileId, storage } = await startEditing(t, { memory: true, ...hooks })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await storage.remove(fileId)
  t.equal(await post({ key, status: 4 }), 0)
  t.strictSame((await until(2))[1], ['end', { fileId, key, reason: 'unchanged' }])
})

t.test('a session that the document server no longer knows is lost when the document is opened', async t => {
  const { hooks, until } = recordSessions()
  const { open, documentServer, key, clock, fileId } = await startService(t, { timeouts: { session: 1_800_000 }, ...hooks })
  const ada = await open()
  await ada.edit('lost in a crash')
  await until(1)
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  clock.jump(1_800_000)
  await key()
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'lost' }])
})

t.test('two instances over one storage: exactly one start and one end, however the callbacks are distributed', async t => {
  const { hooks, until, events } = recordSessions()
  const first = await startEditing(t, hooks)
  const second = await startInstance(t, first, hooks)
  const { key, url, fileId } = first
  const both = async (fields: object) => t.strictSame(await Promise.all([first, second].map(async ({ post }) => await post(fields))), [0, 0])
  await both({ key, status: 1, users: ['u1'] })
  t.equal(await second.post({ key, status: 6, url: `${url}&forced`, lastsave: '2026-11-20T16:12:20.000Z' }), 0)
  await both({ key, status: 2, url, users: ['u1'], lastsave: '2026-11-20T16:12:21.000Z' })
  await until(2)
  await Promise.all([first.app.close(), second.app.close()])
  t.strictSame(events, [['start', { fileId, key, users: ['u1'] }], ['end', { fileId, key, reason: 'saved', users: ['u1'] }]])
})

t.test('a hook that does not end holds up neither callbacks nor saves, and the end of its session waits for it', async t => {
  const release = deferred()
  const { hooks, until, events } = recordSessions({ onSessionStart: async () => await release.promise })
  const { open, stored, fileId, app, documentServer } = await startService(t, hooks)
  const ada = await open()
  await ada.edit('stored all the same')
  t.match(await ada.forceSave(), { status: 6, accepted: true })
  t.match(await ada.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'stored all the same')
  t.strictSame(told(events), ['start'])

  const { fileId: other } = await app.editorControl().uploadDocument(Buffer.from('another file'), 'Other.txt')
  const ben = await documentServer.open((await app.editorControl(BEN).openDocument(other)).config!)
  t.match(await until(2), [['start', { fileId }], ['start', { fileId: other }]], 'those of other files are called')
  release.resolve()
  t.match((await until(3))[2], ['end', { fileId, key: ada.key, reason: 'saved' }])
  await ben.close()
})

t.test('onSessionStart and onSessionEnd that throw are logged, and change nothing', async t => {
  const log = memoryLog()
  const fail = () => { throw new Error('the hook is broken') }
  const { hooks, until } = recordSessions({ onSessionStart: fail, onSessionEnd: fail })
  const { post, key, url, storedText, fileId, app } = await startEditing(t, { memory: true, server: log.server, ...hooks })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 2, url }), 0)
  await until(2)
  await app.close()
  t.strictSame(log.records().filter(({ err }) => err?.message === 'the hook is broken').map(({ msg, fileId, key }) => ({ msg, fileId, key })), [
    { msg: 'the hook onSessionStart failed', fileId, key }, { msg: 'the hook onSessionEnd failed', fileId, key }
  ])
  t.match(await storedText(fileId), /what the document server saved/)
})

t.test('app.close() waits for the hook of a session that has ended', async t => {
  const begun = deferred()
  let hasEnded = false
  const { post, key, app } = await startEditing(t, {
    memory: true,
    async onSessionEnd () {
      begun.resolve()
      await delay(50)
      hasEnded = true
    }
  })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 4 }), 0)
  await begun.promise
  await app.close()
  t.equal(hasEnded, true)
})
