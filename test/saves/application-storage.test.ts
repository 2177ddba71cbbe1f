import t, { type Test } from 'tap'
import type { Storage } from '../../lib/index.js'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { directoryOf, startEditing, startInstance } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

/** How often an instance that waits for the lock has read the record, to be sure that it waits. */
const READS = 3

/**
 * A save that has checked what is stored, and is about to rename its file over it; and another instance over the same
 * documents, whose reading of records is watched.
 */
async function startAboutToPublish (t: Test) {
  const directory = directoryOf(t)
  const publishing = deferred()
  const release = deferred()
  const files = fileStorage({ directory })
  const storage: Storage = {
    ...files,
    replace: async (fileId, content, { beforePublish, ...options } = {}) => await files.replace(fileId, content, {
      ...options,
      ...(beforePublish && {
        async beforePublish (...given) {
          await beforePublish(...given)
          publishing.resolve()
          await release.promise
        }
      })
    })
  }
  const editing = await startEditing(t, { storage })
  const waiting = deferred()
  let reads = 0
  const others = fileStorage({ directory })
  const other = await startInstance(t, editing, {
    storage: {
      ...others,
      state: {
        ...others.state,
        async get (fileId) {
          if (++reads === READS) waiting.resolve()
          return await others.state.get(fileId)
        }
      }
    }
  })
  const saving = editing.post({ key: editing.key, status: 2, url: editing.url })
  await publishing.promise
  reads = 0
  /** What another instance does meanwhile. */
  async function meanwhile (act: (storage: Storage) => Promise<unknown>): Promise<void> {
    const acting = act(other.app.editorStorage)
    t.equal(await Promise.race([acting.then(() => 'done'), waiting.promise.then(() => 'it waits')]), 'it waits')
    release.resolve()
    t.equal(await saving, 0)
    await acting
  }
  return { ...editing, files, meanwhile }
}

t.test('an upload by another instance waits for a save that is being published, and is what is stored', async t => {
  const { meanwhile, storedText, fileId } = await startAboutToPublish(t)
  await meanwhile(async storage => await storage.replace(fileId, Buffer.from('upload')))
  t.equal(await storedText(fileId), 'upload')
})

t.test('a removal by another instance waits for a save that is being published, and the document stays removed', async t => {
  const { meanwhile, storedText, fileId, files } = await startAboutToPublish(t)
  await meanwhile(async storage => await storage.remove!(fileId))
  t.equal(await storedText(fileId), null)
  t.equal(await files.state.get(fileId), null, 'and has no record')
})

t.test('a removal just before a save notes what it has stored leaves no record', async t => {
  const directory = directoryOf(t)
  const files = fileStorage({ directory })
  let isRemoved = false
  const editing = await startEditing(t, {
    storage: {
      ...files,
      state: {
        ...files.state,
        async set (fileId, value, ...version) {
          const { saves, lock } = value as { saves: object[], lock?: object }
          if (!isRemoved && saves.length > 0 && !lock) {
            isRemoved = true
            await files.remove(fileId)
            return null
          }
          return await files.state.set(fileId, value, ...version)
        }
      }
    }
  })
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
  t.equal(isRemoved, true)
  t.equal(await files.state.get(editing.fileId), null)
})

t.test('replace and remove of the application do what those of the storage do', async t => {
  const directory = directoryOf(t)
  const { app, fileId, storage, storedText, key, post, url } = await startEditing(t, { storage: fileStorage({ directory }) })
  const { revision } = (await storage.stat(fileId))!
  t.match(await app.editorStorage.replace(fileId, Buffer.from('one'), { ifRevision: revision }), { fileId, size: 3 })
  t.equal(await app.editorStorage.replace(fileId, Buffer.from('two'), { ifRevision: revision }), null)
  t.equal(await app.editorStorage.replace('absent', Buffer.from('two')), null)
  t.equal(await app.editorStorage.replace('../x', Buffer.from('two')), null)
  t.match(await app.editorStorage.replace(fileId, (async function * () { yield Buffer.from('three') })(), { extension: 'md' }), { extension: 'md' })
  const staged = await app.editorStorage.stage!(fileId, (async function * () { yield Buffer.from('staged') })())
  t.match(await app.editorStorage.replace(fileId, staged), { size: 6 })
  t.equal(await storedText(fileId), 'staged')
  const told: unknown[] = []
  t.match(await app.editorStorage.replace(fileId, Buffer.from('four'), { beforePublish: async info => { told.push(info) } }), { size: 4 })
  t.match(told, [{ fileId, size: 4 }])
  const failure = new Error('the source failed')
  await t.rejects(app.editorStorage.replace(fileId, (async function * () { throw failure })()), failure)
  t.equal(await storedText(fileId), 'four')

  t.equal(await post({ key, status: 2, url }), 0)
  t.equal(await storedText(fileId), 'four', 'the save of the session is a conflict copy')
  t.equal(await app.editorStorage.remove!(fileId), true)
  t.equal(await app.editorStorage.remove!(fileId), false)
  t.equal(await app.editorStorage.remove!('../x'), false)
})
