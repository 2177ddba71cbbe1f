import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { DocumentStore, StagedContent } from '../../lib/store/contract.js'
import { documentStorage } from '../../lib/store/document-storage.js'
import { memoryDriver, memoryStorage } from '../../lib/store/memory.js'
import { timedStorage } from '../../lib/store/timed-storage.js'
import type { StorageDriver } from '../../types/storage-driver.js'

const NEW = 'saved'
const LONG = { storage: 60_000, total: 60_000 }

async function * content (text = NEW): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function staging (storage: DocumentStore, timeouts = LONG, signal = new AbortController().signal) {
  return timedStorage(storage, { timeouts, signal })
}

const never = () => new Promise<never>(() => {})

t.test('every call of a storage that never answers ends', async t => {
  const hanging: DocumentStore = {
    ready: never,
    stat: never,
    snapshot: never,
    read: never,
    create: never,
    replace: never,
    remove: never,
    stage: never,
    commit: never,
    downloadUrl: never,
    state: { set: never, list: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) },
    versions: { list: never, keep: never, read: never, remove: never, label: never }
  }
  const staged: StagedContent = { size: 0, discard: never, [Symbol.asyncIterator]: () => content() }
  const { stat, snapshot, read, create, commit, stage, state, versions, downloadUrl, discard } = staging(hanging, { storage: 1, total: 1 })
  const calls: ReadonlyArray<Promise<unknown>> = [
    stat('a'), snapshot('a'), read('a'), create('txt', staged),
    commit('a', staged, { ifRevision: '', ifRecordVersion: null, record: () => 1 }),
    stage('a', content()), downloadUrl!('a'), state.set('a', 1, null),
    Readable.from(state.list()).toArray(), versions.list('a'), versions.keep('a', ''), versions.read('a', 1),
    versions.label('a', 1, null)
  ]
  await Promise.all(calls.map(async call => { await t.rejects(call, { code: 'FST_EDITOR_STORAGE_TIMEOUT' }) }))
  await discard(staged)
})

t.test('every call ends when the service ends', async t => {
  const over = new AbortController()
  const { stat } = staging({ ...memoryStorage(), stat: never }, LONG, over.signal)
  const asked = stat('a')
  over.abort(new Error('The service is closing'))
  await t.rejects(asked, { message: 'The service is closing' })
  await t.rejects(stat('a'), { message: 'The service is closing' })
})

t.test('content staged after nobody waits for it any more is discarded', async t => {
  await lateStage(t, 'discarded')
})

t.test('a storage that fails after nobody waits any more does no harm', async t => {
  await lateStage(t, 'failed')
})

async function lateStage (t: Test, outcome: 'discarded' | 'failed') {
  const seen: string[] = []
  let end = () => {}
  const late: DocumentStore = {
    ...memoryStorage(),
    stage: () =>
      new Promise((resolve, reject) => {
        end = () =>
          outcome === 'failed'
            ? reject(new Error('too late'))
            : resolve({
              size: 0,
              discard: async () => {
                seen.push('discarded')
              },
              [Symbol.asyncIterator]: () => content()
            })
      })
  }
  await t.rejects(staging(late, { storage: 1, total: 1 }).stage('a', content()), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  end()
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(seen, outcome === 'failed' ? [] : ['discarded'])
}

t.test('methods of a driver that is a class keep their this', async t => {
  class Classic implements StorageDriver {
    readonly #memory = memoryDriver()
    ready () { return this.#memory.ready() }
    get (...given: Parameters<StorageDriver['get']>) { return this.#memory.get(...given) }
    set (...given: Parameters<StorageDriver['set']>) { return this.#memory.set(...given) }
    write (...given: Parameters<StorageDriver['write']>) { return this.#memory.write(...given) }
    read (...given: Parameters<StorageDriver['read']>) { return this.#memory.read(...given) }
    drop (...given: Parameters<StorageDriver['drop']>) { return this.#memory.drop(...given) }
    list () { return this.#memory.list() }
    async url (fileId: string) { return await Promise.resolve(`${fileId}${this.#memory.url ? '!' : '?'}`) }
  }
  const storage = documentStorage(new Classic()) as DocumentStore
  await storage.ready()
  const adapted = staging(storage)
  const { fileId, revision: ifRevision } = await adapted.create('txt', await adapted.stage('a', content('old')))
  const saved = await adapted.commit(fileId, await adapted.stage(fileId, content()), { ifRevision, ifRecordVersion: null, record: () => 1 })
  t.equal(saved?.info.size, NEW.length)
  t.match(await Readable.from(adapted.state.list()).toArray(), [{ fileId, value: 1 }])
  t.match(await adapted.downloadUrl!(fileId), { url: `${fileId}?` })
  t.match(await adapted.versions.keep(fileId, saved!.info.revision, { changes: content() }), { version: 1, changesSize: NEW.length })
  t.equal((await adapted.versions.read(fileId, 1, 'changes'))?.body.read()?.toString(), NEW)
  t.equal(String((await (await adapted.read(fileId))!.body.toArray())[0]), NEW)
  t.equal(await storage.remove(fileId), true)
})

t.test('a body that arrives after nobody waits for it any more is destroyed', async t => {
  const storage = memoryStorage()
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const found = (await storage.read(fileId))!
  let end = () => {}
  const late: DocumentStore = { ...storage, read: () => new Promise(resolve => { end = () => resolve(found) }) }
  await t.rejects(staging(late, { storage: 1, total: 1 }).read(fileId), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  end()
  await new Promise(resolve => setImmediate(resolve))
  t.ok(found.body.destroyed)
})
