// What holds for documents wherever they are kept, besides what the conformance suite asks of every driver.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import {
  assertSourceFails, assertStored, assertUnchanged, duringWrite, failingAfter, halves, inChunks, NEW_BYTES, OLD_BYTES,
  patternBytes, replace
} from '../../lib/conformance/storage-scene.js'
import { fileStorage, memoryStorage } from '../../lib/index.js'
import type { CommitOptions, DocumentStore } from '../../lib/store/contract.js'
import type { StorageContent, VersionKeepOptions, StorageReplaceOptions, VersionStore } from '../../types/storage.js'
import {
  assertGone, assertKept, assertNotSet, assertRecord, casesOf, commit,
  type CommittingScene, ifStill, keep, list, MALFORMED_IDS, RECORD, set, withRecord, withState, withVersions
} from './scenes.js'

const NEW_CHUNKS = halves(NEW_BYTES)
/** Two replaces that keep the format of a docx, and one that changes it. */
const FORMAT_OPTIONS: readonly StorageReplaceOptions[] = [{}, { fileType: 'docx' }, { fileType: 'ODT' }]
const OTHER_BYTES = patternBytes(500, 9)

/** Every form of content: bytes, a stream. */
const CONTENT_FORMS: ReadonlyArray<(storage: DocumentStore, fileId: string, bytes: Uint8Array) => Promise<StorageContent>> = [
  async (_storage, _fileId, bytes) => bytes,
  async (_storage, _fileId, bytes) => inChunks(...halves(bytes)),
  async (storage, fileId, bytes) => await storage.stage(fileId, inChunks(bytes))
]

/** Every way to replace a file: in both formats, from each form of content. */
const WAYS = FORMAT_OPTIONS.flatMap(options => CONTENT_FORMS.map(contentOf => ({ options, contentOf })))

const documents = casesOf('document', async scene => scene, {
  async 'info contains the extension in lower case, the size in bytes, the modification time and the revision' (
    { storage }
  ) {
    const created = await storage.create('DocX', Buffer.from('é'))
    const { fileType, size, modifiedAt, revision } = created
    assert.equal(fileType, 'docx', 'info.fileType must be in lower case')
    assert.equal(size, 2, 'info.size must be the number of bytes')
    assert.ok(modifiedAt instanceof Date && modifiedAt.getTime() > 0, 'info.modifiedAt must be a Date after 1970')
    assert.equal(typeof revision, 'string', 'info.revision must be a string')
    assert.notEqual(revision, '', 'info.revision must not be empty')
    assert.deepEqual(await storage.stat(created.fileId), created, 'stat must resolve to the same info as create')
  },
  async 'read rejects with a RangeError if the range is not within the file' ({ storage }) {
    for (const [size, start, end] of [[10, 0, 10], [10, 10, 12], [0, 0, 0]] as const) {
      const { fileId } = await storage.create('bin', patternBytes(size))
      const message = `read of bytes ${start}-${end} of ${size} must reject with a RangeError`
      await assert.rejects(storage.read(fileId, { start, end }), RangeError, message)
    }
  },
  async 'create returns unique fileIds that need no encoding in a URL' ({ storage }) {
    const contents = Array.from({ length: 50 }, (_, index) => Buffer.from(String(index)))
    const infos = await Promise.all(contents.map(content => storage.create('txt', content)))
    assert.equal(new Set(infos.map(info => info.fileId)).size, 50, '50 creates must give 50 different fileIds')
    for (const [index, { fileId }] of infos.entries()) {
      const message = `the fileId must consist of characters that need no encoding in a URL: ${JSON.stringify(fileId)}`
      assert.match(fileId, /^[A-Za-z0-9._~-]+$/, message)
      await assertStored(storage, fileId, contents[index]!)
    }
  },
  async 'an unfinished create is not visible' ({ storage, list }) {
    const before = await list?.()
    const chunks = [patternBytes(100_000), patternBytes(10)] as const
    const { written, seen } = await duringWrite(content => storage.create('bin', content), chunks, async () => list?.())
    assert.deepEqual(seen, before, 'list must not contain a file that is still being created')
    await assertStored(storage, written.fileId, Buffer.concat(chunks))
  },
  async 'replace with the same extension, in upper or lower case, keeps it' ({ storage }) {
    const { fileId } = await storage.create('docx', patternBytes(1000))
    const replaced = await storage.replace(fileId, patternBytes(10), { fileType: 'DOCX' })
    assert.equal(replaced?.fileType, 'docx', 'replace must keep the extension')
    await assertStored(storage, fileId, patternBytes(10))
  },
  async 'replace with ifRevision replaces the stored revision; for any other it resolves to null and changes nothing' (
    { storage }
  ) {
    for (const { options, contentOf } of WAYS) {
      const first = await storage.create('docx', OLD_BYTES)
      const { fileId } = first
      const second = await replace(storage, fileId, OTHER_BYTES)
      const replaceIf = async (ifRevision: string) =>
        await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), { ...options, ifRevision })
      for (const stale of [first.revision, '', 'no revision']) {
        const message = `replace must resolve to null: ifRevision ${JSON.stringify(stale)} is not the stored revision`
        assert.equal(await replaceIf(stale), null, message)
        await assertUnchanged(storage, second, OTHER_BYTES)
      }
      const third = await replaceIf(second.revision)
      assert.ok(third, 'replace must resolve to the info: ifRevision is the stored revision')
      await assertUnchanged(storage, third, NEW_BYTES)
    }
  },
  async 'replace rejects with the error of a failing source and keeps the old version' ({ storage, list }) {
    const old = await storage.create('txt', Buffer.from('old'))
    const before = await list?.()
    for (const chunks of [[], [Buffer.from('new')], [patternBytes(200_000), patternBytes(200_000)]]) {
      for (const options of [{}, { fileType: 'md' }]) {
        await assertSourceFails('replace', content => storage.replace(old.fileId, content, options), chunks)
        await assertUnchanged(storage, old, Buffer.from('old'))
      }
    }
    assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
  },
  async 'replace publishes staged content, whether or not it was read; discard then changes nothing' (
    { storage, list }
  ) {
    for (const options of FORMAT_OPTIONS) {
      for (const isRead of [false, true]) {
        const { fileId } = await storage.create('docx', OLD_BYTES)
        const count = (await list?.())?.length
        const staged = await storage.stage(fileId, inChunks(...NEW_CHUNKS))
        if (isRead) await Readable.from(staged).toArray()
        const replaced = await replace(storage, fileId, staged, options)
        await assertUnchanged(storage, replaced, NEW_BYTES)
        await staged.discard()
        await assertUnchanged(storage, replaced, NEW_BYTES)
        assert.equal((await list?.())?.length, count, 'replace must leave nothing behind')
      }
    }
  },
  async 'create publishes content that was staged for another file, or for an absent one' ({ storage }) {
    const old = await storage.create('docx', OLD_BYTES)
    for (const fileId of [old.fileId, `${old.fileId}x`, '../x']) {
      const staged = await storage.stage(fileId, inChunks(...NEW_CHUNKS))
      const created = await storage.create('odt', staged)
      await staged.discard()
      await assertUnchanged(storage, created, NEW_BYTES)
      assert.equal(created.fileType, 'odt', 'info.fileType must be the one passed to create')
    }
    await assertUnchanged(storage, old, OLD_BYTES)
  },
  async 'stage rejects with the error of a failing source and leaves nothing behind' ({ storage, list }) {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    for (const chunks of [[], NEW_CHUNKS]) {
      await assertSourceFails('stage', content => storage.stage(old.fileId, content), chunks)
    }
    await assertUnchanged(storage, old, OLD_BYTES)
    assert.deepEqual(await list?.(), names, 'stage must leave nothing behind')
  },
  async 'snapshot: resolves to the info and the record, also where there is one of them or none' ({ storage, other }) {
    const none = { info: null, record: null }
    for (const absent of [...MALFORMED_IDS, 'absent']) {
      assert.deepEqual(await storage.snapshot(absent), none, 'snapshot of an absent file must resolve to nulls')
    }
    const info = await storage.create('docx', OLD_BYTES)
    const snapshot = async () => await other.snapshot(info.fileId)
    const message = 'snapshot must resolve to the info of a file without a record'
    assert.deepEqual(await snapshot(), { info, record: null }, message)
    const version = await storage.state.set(info.fileId, RECORD, null)
    const record = { value: RECORD, version }
    assert.deepEqual(await snapshot(), { info, record }, 'snapshot must resolve to the info and the record')
    const replaced = await storage.replace(info.fileId, NEW_BYTES)
    assert.deepEqual((await snapshot()).info, replaced, 'snapshot must resolve to what stat resolves to')
    await storage.remove(info.fileId)
    assert.deepEqual(await snapshot(), none, 'snapshot of a removed file must resolve to nulls')
  }
})

/** Asserts that neither the file nor its record nor its versions are other than they were. */
async function assertNothingChanged (
  { storage, other, first: { info, recordVersion }, list }: CommittingScene, names: readonly string[] | undefined
): Promise<void> {
  for (const instance of [storage, other]) {
    await assertUnchanged(instance, info, OLD_BYTES)
    await assertRecord(instance, info.fileId, { value: RECORD, version: recordVersion })
    assert.deepEqual(await instance.versions.list(info.fileId), [], 'nothing must be kept')
  }
  assert.deepEqual(await list?.(), names, 'nothing must be left behind')
}

const commits = casesOf('commit', withRecord, {
  async 'with another revision or another version of the record it resolves to null and changes nothing' (scene) {
    const { storage, fileId, first, list } = scene
    const names = await list?.()
    const changes = [
      { ifRevision: 'another' }, { ifRevision: '' },
      { ifRecordVersion: null }, { ifRecordVersion: `${first.recordVersion}x` }, { ifRecordVersion: '' }
    ]
    for (const change of changes) {
      for (const content of [NEW_BYTES, await storage.stage(fileId, inChunks(NEW_BYTES))]) {
        const options = { ...ifStill(first), ...change, fileType: 'odt', record: () => 'new' }
        const message = `commit must resolve to null: ${JSON.stringify(change)} is not what is stored`
        assert.equal(await storage.commit(fileId, content, options), null, message)
        if (!(content instanceof Uint8Array)) await content.discard()
      }
    }
    await assertNothingChanged(scene, names)
    for (const absent of [...MALFORMED_IDS, `${fileId}x`]) {
      const options = { ifRevision: first.info.revision, ifRecordVersion: null, record: () => 'new' }
      const message = `commit of ${JSON.stringify(absent)} must resolve to null`
      assert.equal(await storage.commit(absent, NEW_BYTES, options), null, message)
    }
    await assertNothingChanged(scene, names)
  },
  async 'a file without a record gets one' ({ storage, list }) {
    const { fileId, revision } = await storage.create('txt', OLD_BYTES)
    const count = (await list?.())?.length
    const options = { ifRevision: revision, record: () => 'first' }
    const stale = await storage.commit(fileId, NEW_BYTES, { ...options, ifRecordVersion: 'some' })
    assert.equal(stale, null, 'commit must resolve to null: there is no record')
    await assertRecord(storage, fileId, null)
    const { info, recordVersion } = await commit(storage, fileId, NEW_BYTES, { ...options, ifRecordVersion: null })
    await assertRecord(storage, fileId, { value: 'first', version: recordVersion })
    await assertUnchanged(storage, info, NEW_BYTES)
    assert.equal((await list?.())?.length, count, 'commit must leave nothing behind')
  },
  async 'when a function or the content fails, it rejects with that error and changes nothing' (scene) {
    const { storage, fileId, first, list } = scene
    const names = await list?.()
    const failure = new Error('it failed')
    const fail = (): never => { throw failure }
    const options = { ...ifStill(first), record: () => 'new' }
    const failing: ReadonlyArray<readonly [StorageContent, Partial<CommitOptions>]> = [
      [failingAfter(failure, OLD_BYTES), {}],
      [NEW_BYTES, { record: fail }],
      [NEW_BYTES, { keep: fail }],
      [NEW_BYTES, { keep: () => ({ changes: failingAfter(failure, OLD_BYTES) }) }]
    ]
    for (const [content, change] of failing) {
      const committing = storage.commit(fileId, content, { ...options, ...change })
      const message = 'commit must reject with the error of the content or function'
      await assert.rejects(committing, error => error === failure, message)
      await assertNothingChanged(scene, names)
    }
    const misnamed = storage.commit(fileId, NEW_BYTES, { ...options, fileType: 'not/an extension' })
    await assert.rejects(misnamed, { code: 'FST_EDITOR_INVALID_NAME' })
    await assertNothingChanged(scene, names)
  }
})

const records = casesOf('record', withState, {
  async 'versions are never reused' ({ storage, state, fileId }) {
    const versions = [await set(state, fileId, 'the same')]
    for (let round = 1; round < 30; round++) {
      versions.push(await set(state, fileId, round % 3 ? 'the same' : 'another', versions.at(-1)!))
    }
    assert.equal(new Set(versions).size, 30, '30 sets must give 30 different versions, also for equal values')
    for (const old of versions.slice(0, -1)) await assertNotSet(state, fileId, 'late', old)
    await assertRecord(storage, fileId, { value: 'the same', version: versions.at(-1)! })
  },
  async 'a malformed fileId has no record and is not an error' ({ storage, state, fileId, list }) {
    const version = await set(state, fileId, 'a value')
    const before = await list?.()
    for (const malformed of MALFORMED_IDS) {
      await assertRecord(storage, malformed, null)
      await state.set(malformed, 'another value', null)
      await state.set(malformed, 'another value', version)
    }
    await assertRecord(storage, fileId, { value: 'a value', version })
    assert.deepEqual(await list?.(), before, 'set must add and remove no names')
  },
  async 'a record is not listed as a document and does not change its document' ({ state, fileId, storage, list }) {
    const info = await storage.stat(fileId)
    const before = await list?.()
    let version: string | null = null
    for (let round = 0; round < 10; round++) version = await state.set(fileId, round, version)
    assert.deepEqual(await list?.(), before, 'list must not contain records')
    await assertUnchanged(storage, info!, patternBytes(100))
    await storage.replace(fileId, patternBytes(50))
    await assertStored(storage, fileId, patternBytes(50))
    await assertRecord(storage, fileId, { value: 9, version })
  }
})

/** Values that are not version numbers, or not the number of a version that was ever kept. */
const ABSENT_NUMBERS = [
  0, -1, 1.5, 1000, NaN, Infinity, -Infinity, 2 ** 53, '1', '../1', '', null, undefined, {}, [1]
] as readonly number[]

const DETAILS: readonly unknown[] = [
  { users: ['u1'], text: 'é 😀 שלום \u2028 \0 "quoted" \\', nested: { deeper: [1, -0.5, null, [[]]] } },
  'x'.repeat(64 * 1024 - 2), // and two quotation marks
  [], 0, false, '', null
]

const CONCURRENT_KEEPS = 8

async function numbersIn (versions: VersionStore, fileId: string): Promise<readonly number[]> {
  return (await list(versions, fileId)).map(({ version }) => version)
}

const versions = casesOf('versions', withVersions, {
  async 'details are any JSON value of up to 64 KiB; what is none is refused, and nothing is kept' (
    { versions, info, fileId, storage }
  ) {
    const listedDetails = async () => (await list(versions, fileId)).map(({ details }) => details)
    let current = info
    for (const [index, details] of DETAILS.entries()) {
      const kept = await keep(versions, current, { details })
      assert.deepEqual(kept.details, details, 'keep must resolve to the given details')
      assert.deepEqual(await listedDetails(), DETAILS.slice(0, index + 1), 'list must contain the given details')
      current = await replace(storage, fileId, patternBytes(10 + index))
    }
    const circular: unknown[] = []
    circular.push(circular)
    for (const details of [circular, 1n, () => {}]) {
      const keeping = versions.keep(fileId, current.revision, { details })
      const message = 'keep must reject for details that are no JSON'
      await assert.rejects(keeping, { code: 'FST_EDITOR_INVALID_OPTION' }, message)
    }
    const mutable = { list: [1] }
    const last = await keep(versions, current, { details: mutable })
    mutable.list.push(2)
    const returned = last.details as typeof mutable
    returned.list.push(3)
    const message = 'changing details that were passed or returned must change nothing'
    assert.deepEqual(await listedDetails(), [...DETAILS, { list: [1] }], message)
  },
  async 'keep of a revision that the file does not have resolves to null and keeps nothing' (
    { versions, info, fileId, storage }
  ) {
    const kept = await keep(versions, info, { details: 'kept', changes: OLD_BYTES })
    const current = await replace(storage, fileId, NEW_BYTES)
    for (const revision of [info.revision, '', 'no revision', `${current.revision}x`]) {
      const stale = await versions.keep(fileId, revision, { details: 'stale', changes: NEW_BYTES })
      assert.equal(stale, null, `keep must resolve to null: ${JSON.stringify(revision)} is not the revision of the file`)
    }
    assert.deepEqual(await list(versions, fileId), [kept], 'keep must keep nothing when it resolves to null')
    await assertKept(versions, fileId, kept, OLD_BYTES, OLD_BYTES)
    await assertUnchanged(storage, current, NEW_BYTES)
  },
  async 'a revision is kept once: kept again, it keeps its number and gets other details and changes' (
    { versions, others, info, fileId, storage }
  ) {
    const first = await keep(versions, info, { details: 'first', changes: OLD_BYTES })
    const later: ReadonlyArray<readonly [options: VersionKeepOptions, changes: Uint8Array | null]> = [
      [{ details: 'second', changes: inChunks(NEW_BYTES) }, NEW_BYTES],
      [{ details: 'third', changes: patternBytes(3) }, patternBytes(3)],
      [{}, null],
      [{ changes: NEW_BYTES }, NEW_BYTES]
    ]
    for (const [options, changes] of later) {
      const again = await keep(others, info, options)
      const { keptAt, changesSize } = again
      const expected = { ...first, details: options.details ?? null, keptAt, changesSize }
      const message = 'keep of the newest kept revision must resolve to the same version with other details'
      assert.deepEqual(again, expected, message)
      await assertKept(versions, fileId, again, OLD_BYTES, changes)
      assert.equal((await list(versions, fileId)).length, 1, 'a revision must be kept once')
    }
    const next = await keep(versions, await replace(storage, fileId, NEW_BYTES))
    assert.equal(next.version, 2, 'the next revision must get the next number')
  },
  async 'a number is never given again, and of a removed version nothing is left' (
    { versions, others, info, fileId, storage }
  ) {
    const contents = [OLD_BYTES]
    await keep(versions, info, { changes: NEW_BYTES })
    for (let version = 2; version <= 5; version++) {
      contents.push(patternBytes(version * 100, version))
      await keep(versions, await replace(storage, fileId, contents.at(-1)!))
    }
    const before = await list(versions, fileId)
    const newest = (await versions.list(fileId, { newest: 2 })).slice(-2)
    assert.deepEqual(newest, before.slice(-2), 'list must contain at least as many of the newest as were asked for')
    await versions.remove(fileId, ABSENT_NUMBERS)
    await versions.remove(fileId, [])
    assert.deepEqual(await list(others, fileId), before, 'remove must ignore numbers of no version')

    const reading = await versions.read(fileId, 1, 'changes')
    const { value: start } = await reading!.body.iterator({ destroyOnReturn: false }).next()
    await others.remove(fileId, [1, 3, 5, 5, 99])
    assert.deepEqual(await numbersIn(versions, fileId), [2, 4], 'remove must remove these versions and no others')
    const read = Buffer.concat([start, ...await reading!.body.toArray()])
    assert.ok(read.equals(NEW_BYTES), 'what is being read must stay readable while the version is removed')
    await assertGone(versions, fileId, 1)
    for (const version of [2, 4]) await assertKept(versions, fileId, before[version - 1]!, contents[version - 1]!)

    const keepAgain = async (versions: VersionStore) => (await keep(versions, (await storage.stat(fileId))!)).version
    assert.equal(await keepAgain(versions), 6, 'keep must not give the number of a removed version again')
    await versions.remove(fileId, [2, 4, 6])
    assert.deepEqual(await versions.list(fileId), [], 'list must resolve to [] when all versions were removed')
    assert.equal(await keepAgain(others), 7, 'keep must not give a number again when all versions were removed')
  },
  async 'a malformed fileId, one of no file, and a malformed number are absent' ({ versions, info, fileId }) {
    await keep(versions, info)
    for (const absent of [...MALFORMED_IDS, `${fileId}x`, fileId.slice(0, -1), `../${fileId}`]) {
      const label = JSON.stringify(absent)
      assert.deepEqual(await versions.list(absent), [], `list of ${label} must resolve to []`)
      assert.equal(await versions.keep(absent, info.revision), null, `keep of ${label} must resolve to null`)
      assert.equal(await versions.read(absent, 1), null, `read of ${label} must resolve to null`)
      await versions.remove(absent, [1])
    }
    for (const number of ABSENT_NUMBERS) {
      assert.equal(await versions.read(fileId, number), null, `read of version ${String(number)} must resolve to null`)
    }
    const changes = await versions.read(fileId, 1, 'changes')
    assert.equal(changes, null, 'read must resolve to null: the version has no changes')
    assert.equal((await list(versions, fileId)).length, 1, 'calls with an absent fileId must change nothing')
  },
  async 'when changes fail, keep rejects with their error and keeps nothing' ({ versions, info, fileId }) {
    const error = new Error('the changes failed')
    const failing = async (options: VersionKeepOptions) =>
      await versions.keep(fileId, info.revision, { ...options, changes: failingAfter(error, OLD_BYTES) })
    await assert.rejects(failing({}), error, 'keep must reject with the error of the changes')
    const listed = await versions.list(fileId)
    assert.deepEqual(listed, [], 'keep must keep nothing when it rejects before everything is stored')
    const kept = await keep(versions, info, { changes: NEW_BYTES })
    assert.equal(kept.version, 1, 'a failed keep must not use up a number')
    await assert.rejects(failing({ details: 'new' }), error)
    await assertKept(versions, fileId, kept, OLD_BYTES, NEW_BYTES)
  },
  async 'of concurrent keeps of one revision, one version is kept, with what one of them passed' (
    { versions, others, info, fileId, storage }
  ) {
    const changes = Array.from({ length: CONCURRENT_KEEPS }, (_, index) => patternBytes(100 + index, index))
    let current = info
    for (const [round, content] of [OLD_BYTES, NEW_BYTES].entries()) {
      const kept = await Promise.all(changes.map(async (bytes, index) =>
        await keep(index % 2 ? others : versions, current, { details: index, changes: bytes })
      ))
      const numbers = new Set(kept.map(({ version }) => version))
      assert.deepEqual(numbers, new Set([round + 1]), 'all keeps of one revision must resolve to the same version')
      const listed = await list(versions, fileId)
      assert.equal(listed.length, round + 1, 'a revision must be kept once')
      const winner = listed.at(-1)!
      const passed = changes[winner.details as number]
      assert.ok(passed, 'the version must have the details that one of the keeps passed')
      await assertKept(others, fileId, winner, content, passed)
      current = await replace(storage, fileId, NEW_BYTES)
    }
  },
  async 'label names a version until null takes the name away; it survives keeping the same revision' (
    { versions, others, info, fileId, storage }
  ) {
    const label = { name: 'Sent “é” 😀', comment: 'to all' }
    await keep(versions, info)
    assert.equal(await versions.label(fileId, 1, label), true, 'label must resolve to true for a version')
    const again = await keep(others, info, { details: 'again' })
    assert.equal(again.version, 1, 'a revision is kept once')
    for (const number of ABSENT_NUMBERS) {
      assert.equal(await versions.label(fileId, number, label), false, 'label must resolve to false without the version')
    }
    for (const id of MALFORMED_IDS) assert.equal(await versions.label(id, 1, label), false)
    assert.deepEqual((await list(others, fileId))[0]?.label, label, 'list must contain the labels')
    assert.equal(await versions.label(fileId, 1, null), true, 'null must remove the label')
    const [unnamed] = await list(others, fileId)
    assert.ok(unnamed !== undefined && !('label' in unnamed), 'a version without a label must have no field label')
  }
})

for (const [name, run] of Object.entries({ ...documents, ...commits, ...records, ...versions })) {
  t.test(`in files, ${name}`, async t => {
    const directory = t.testdir()
    const open = () => fileStorage({ directory })
    const list = async () => (await readdir(directory)).filter(name => !name.startsWith('.')).sort()
    await run({ storage: open(), other: open(), list })
  })
  t.test(`in memory, ${name}`, async () => {
    const storage = memoryStorage()
    await run({ storage, other: storage, list: undefined })
  })
}
