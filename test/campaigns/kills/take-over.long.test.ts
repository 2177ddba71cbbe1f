import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage, memoryStorage, type StateStore } from '../../../lib/index.js'
import { storedVersion, tempNames } from './directory.js'
import { openedKey, startDocumentServer } from './document-server.js'
import { makeDocument } from './documents.js'
import { editedFile, nextSave } from './edited-file.js'
import { startInstance } from './instances.js'
import { randomFrom } from './random.js'
import { NEW, startEditing } from '../../kit/editing.js'

t.setTimeout(300_000)
t.jobs = 6 // most of the time they wait

const LOCK_LIVES_MS = 10_000

/** Instances that last but five seconds for a whole download take over as others do. */
const TIMEOUTS = { total: 5000 }

/** Two files, of each a save that was noted by a process that was killed then, and another process. */
async function startAfterKill (t: Test) {
  const directory = join(t.testdir({ uploads: {} }), 'uploads')
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const settings = { directory, documentServer: documentServer.origin, timeouts: TIMEOUTS }
  const files = ['first', 'second'].map(fileId => editedFile(fileId, 'docx'))
  for (const { fileId } of files) await writeFile(join(directory, `${fileId}.docx`), makeDocument({ fileId, version: 0 }, 1000))
  const [killed, other] = await Promise.all([startInstance(t, { ...settings, holds: { first: 'noted', second: 'noted' } }), startInstance(t, settings)])
  const random = randomFrom(1)
  const saves = await Promise.all(files.map(async file => {
    file.key = await openedKey(file.fileId, other.origin)
    await documentServer.postOpened(file.fileId, file.key, other.origin)
    const save = Object.assign(nextSave(file, { status: 2 }, random), { filetype: 'docx', pause: 0 })
    documentServer.offer(save)
    return save
  }))
  const lost = Promise.all(saves.map(save => documentServer.post(save, killed.origin)))
  await killed.held(2)
  await killed.kill()
  t.same(await lost, [undefined, undefined])
  return { directory, documentServer, other, saves, lockOf: async (fileId: string) => lockIn(await fileStorage({ directory }).state.get(fileId)) }
}

function lockIn (record: Awaited<ReturnType<StateStore['get']>>): unknown {
  return (record!.value as { lock?: unknown }).lock
}

t.test('the lock of a killed process on the same machine is broken at once', { buffered: true }, async t => {
  const { directory, documentServer, other, saves: [first, second], lockOf } = await startAfterKill(t)
  t.ok(await lockOf('first'))
  t.equal(await openedKey('first', other.origin), first!.key, 'nothing was published: the session goes on')
  t.notOk(await lockOf('first'), 'by an editor that opens the document')
  t.equal(await documentServer.post(first!, other.origin), 0)

  t.ok(await lockOf('second'))
  const late = delay(LOCK_LIVES_MS - 1000, 'late', { ref: false })
  t.equal(await Promise.race([documentServer.post(second!, other.origin), late]), 0, 'by a save')
  for (const fileId of ['first', 'second']) t.equal(await storedVersion(directory, `${fileId}.docx`), 1)
  t.same(await tempNames(directory), [], 'its staged content is gone')
})

const LOCK = { id: 'an-instance.a-save', owner: '0123456789ab~1-1' }

for (const [name, timeouts] of Object.entries({ 'as any': {}, 'with five seconds for a whole download': TIMEOUTS })) {
  for (const memory of [false, true]) {
    t.test(`a lock with an unknown holder is broken eventually, ${name}, ${memory ? 'memory' : 'files'}`, { buffered: true }, async t => {
      const editing = await startEditing(t, { memory, timeouts })
      const { fileId, key, storage } = editing
      const other = await storage.create('txt', Buffer.from('another'))
      t.ok(await storage.state!.set(fileId, { format: 1, sessions: [], saves: [], lock: LOCK }, null))
      let isAnswered = false
      const answer = editing.post({ key, status: 2, url: editing.url }).finally(() => { isAnswered = true })
      t.equal(await editing.openedKey(), key, 'nobody has to wait to open the document')
      t.equal(await editing.post({ key: await editing.openedKey(other.fileId), status: 2, url: editing.url }, other.fileId), 0, 'other files are not affected')
      t.same(lockIn(await storage.state!.get(fileId)), LOCK, 'its process may still be running')
      t.notOk(isAnswered)
      t.equal(await answer, 0)
      t.equal(await editing.storedText(fileId), NEW)
      t.notOk(lockIn(await storage.state!.get(fileId)))
    })
  }
}

t.test('with a state store that takes three seconds per call everything finishes, and nothing piles up', { buffered: true }, async t => {
  const storage = memoryStorage()
  const calls = { pause: 0, now: 0, most: 0 }
  async function slowly<Result> (call: () => Promise<Result>): Promise<Result> {
    calls.now++
    calls.most = Math.max(calls.most, calls.now)
    await delay(calls.pause)
    return await call().finally(() => { calls.now-- })
  }
  const state: StateStore = {
    get: async fileId => await slowly(async () => await storage.state.get(fileId)),
    set: async (...given) => await slowly(async () => await storage.state.set(...given))
  }
  const editing = await startEditing(t, { memory: true, storage: { ...storage, state } })
  Object.assign(calls, { pause: 3000, most: 0 })
  const order: string[] = []
  const saved = editing.post({ key: editing.key, status: 2, url: editing.url }).finally(() => order.push('saved'))
  const closed = editing.post({ key: editing.key, status: 4 }).finally(() => order.push('closed'))
  t.same(await Promise.all([saved, closed]), [0, 0])
  t.same(order, ['closed', 'saved'], 'the document server is answered while a save goes on')
  t.equal(calls.most, 1, 'one call at a time')
  calls.pause = 0
  t.equal(await editing.storedText(editing.fileId), NEW)
  t.not(await editing.openedKey(), editing.key)
})
