import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { memoryStorage } from '../../lib/storage/memory-storage.js'
import { spool, timedStorage } from '../../lib/storage/timed-storage.js'
import type { StagedContent, Storage } from '../../types/storage.js'

const NEW = 'saved'
const LONG = { storage: 60_000, total: 60_000 }

async function * content (text = NEW): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function staging (storage: Storage, timeouts = LONG, signal = new AbortController().signal) {
  return timedStorage(storage, { timeouts, signal })
}

/** A storage as it was before there was anything to stage, with a document. */
async function plain (change: (storage: Storage) => Partial<Storage> = () => ({})) {
  const { stage, ...memory } = memoryStorage()
  const { fileId, revision } = await memory.create('docx', Buffer.from('old'))
  const text = async () => String(Buffer.concat(await (await memory.read(fileId))!.body.toArray()))
  return { memory, fileId, revision, text, storage: { ...memory, ...change(memory) } satisfies Storage }
}

t.test('content staged for a storage without staging is published through the storage, whoever asks for the revision', async t => {
  const { storage, fileId, revision, text, memory } = await plain(memory => ({
    replace: (fileId, content, { ifRevision, beforePublish, ...options } = {}) => memory.replace(fileId, content, options)
  }))
  const adapted = staging(storage)
  const staged = await adapted.stage(fileId, content())
  t.equal(staged.size, NEW.length)

  t.equal(await adapted.replace(fileId, staged, { ifRevision: 'another' }), null)
  t.equal(await text(), 'old')

  const refusal = new Error('not to be published')
  await t.rejects(adapted.replace(fileId, staged, { ifRevision: revision, beforePublish: async () => { throw refusal } }), refusal)
  t.equal(await text(), 'old')

  let seen = ''
  const replaced = await adapted.replace(fileId, staged, { extension: 'odt', ifRevision: revision, beforePublish: async () => { seen = await text() } })
  t.equal(seen, 'old', 'asked before it is published')
  t.strictSame(await memory.stat(fileId), replaced)
  t.equal(replaced?.extension, 'odt')
  t.equal(await text(), NEW)
  const { fileId: beside } = await adapted.create('txt', staged)
  t.equal((await memory.stat(beside))?.size, NEW.length)
  await adapted.discard(staged)
})

t.test('a file that changes while the hook decides about its content is not replaced by a storage without staging', async t => {
  const { storage, fileId, revision, text } = await plain()
  const adapted = staging(storage)
  const staged = await adapted.stage(fileId, content())
  t.equal(
    await adapted.replace(fileId, staged, {
      ifRevision: revision,
      beforePublish: async () => {
        await storage.replace(fileId, Buffer.from('theirs'))
      }
    }),
    null
  )
  t.equal(await text(), 'theirs')
})

t.test('content staged in the temp directory has no name there, even if its source fails', async t => {
  const before = new Set(await readdir(tmpdir()))
  const names = async () =>
    (await readdir(tmpdir())).filter(name =>
      name.startsWith('.fastify-onlyoffice~') && name.includes(`~${process.pid}-`) && !before.has(name)
    )
  const staged = await spool('a', content())
  t.strictSame(await names(), [])
  for (let round = 0; round < 2; round++) t.equal(String(Buffer.concat(await Readable.from(staged).toArray())), NEW)
  await staged.discard()
  await staged.discard()
  const failure = new Error('the source failed')
  await t.rejects(spool('a', (async function * () {
    yield Buffer.from('half')
    throw failure
  })()), failure)
  t.strictSame(await names(), [])
})

const never = () => new Promise<never>(() => {})

t.test('every call of a storage that never answers ends', async t => {
  const hanging: Storage = {
    stat: never,
    read: never,
    create: never,
    replace: never,
    stage: never,
    revoke: never,
    state: { get: never, set: never },
    versions: { list: never, keep: never, read: never, remove: never }
  }
  const staged: StagedContent = { size: 0, discard: never, [Symbol.asyncIterator]: () => content() }
  const { stat, read, create, replace, stage, revoke, state, versions, discard } = staging(hanging, { storage: 1, total: 1 })
  const calls: ReadonlyArray<Promise<unknown>> = [
    stat('a'),
    read('a'),
    create('txt', staged),
    replace('a', staged, { ifRevision: '' }),
    stage('a', content()),
    revoke!('a', ''),
    state!.get('a'),
    state!.set('a', 1, null),
    versions!.list('a'),
    versions!.keep('a', ''),
    versions!.read('a', 1),
    versions!.remove('a', [1])
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
  const late: Storage = {
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

t.test('methods of a storage class keep their this', async t => {
  class Classic implements Storage {
    readonly #memory = memoryStorage()
    stat (fileId: string) { return this.#memory.stat(fileId) }
    read (fileId: string) { return this.#memory.read(fileId) }
    create (...given: Parameters<Storage['create']>) { return this.#memory.create(...given) }
    replace (...given: Parameters<Storage['replace']>) { return this.#memory.replace(...given) }
    async stage (fileId: string, content: AsyncIterable<Uint8Array>) { return await this.#memory.stage(fileId, content) }
    async revoke () { await this.#memory.stat('a') }
    get state () { return this.#memory.state }
    get versions () { return this.#memory.versions }
  }
  const adapted = staging(new Classic())
  const { fileId, revision } = await adapted.create('txt', await adapted.stage('a', content('old')))
  t.equal((await adapted.replace(fileId, await adapted.stage(fileId, content()), { ifRevision: revision }))?.size, NEW.length)
  await adapted.revoke!(fileId, '')
  t.ok(await adapted.state!.set(fileId, 1, null))
  t.match(await adapted.versions!.keep(fileId, (await adapted.stat(fileId))!.revision, { changes: content() }), { version: 1, changesSize: NEW.length })
  t.equal((await adapted.versions!.read(fileId, 1, 'changes'))?.body.read()?.toString(), NEW)
  t.equal(String((await (await adapted.read(fileId))!.body.toArray())[0]), NEW)
})

t.test('a body that arrives after nobody waits for it any more is destroyed', async t => {
  const { storage, fileId } = await plain()
  const found = (await storage.read(fileId))!
  let end = () => {}
  const late: Storage = { ...storage, read: () => new Promise(resolve => { end = () => resolve(found) }) }
  await t.rejects(staging(late, { storage: 1, total: 1 }).read(fileId), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  end()
  await new Promise(resolve => setImmediate(resolve))
  t.ok(found.body.destroyed)
})
