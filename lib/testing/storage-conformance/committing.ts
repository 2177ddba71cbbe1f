import assert from 'node:assert/strict'
import type { CommitOptions, Committed, Content, FileInfo, Storage } from '../../../types/storage.js'
import type { Cases } from '../conformance.js'
import {
  assertSourceFails, assertStored, assertUnchanged, failingAfter, FORMAT_OPTIONS, halves, inChunks, MALFORMED_IDS,
  NEW_BYTES, OLD_BYTES, onlyWinner, optionalCases, patternBytes, replaceObserved, type Scene
} from './case.js'

type CommittingStorage = Storage & Required<Pick<Storage, 'commit' | 'state' | 'stage'>>

/** A file that has `OLD_BYTES` and a record. */
interface CommittingScene extends Scene {
  readonly storage: CommittingStorage
  readonly other: CommittingStorage
  readonly fileId: string
  readonly first: Committed
}

const RECORD = { name: 'the record', list: [1, null] }
const CONCURRENT_COMMITS = 10
/** Versions; a storage may keep some more for a while. */
const PRUNED_TO = 20

async function withRecord ({ storage, other, list }: Scene): Promise<CommittingScene | undefined> {
  if (!storage.commit) return undefined
  assert.ok(storage.state && storage.stage, 'a storage with commit must also have state and stage')
  const info = await storage.create('docx', OLD_BYTES)
  const recordVersion = await storage.state.set(info.fileId, RECORD, null)
  assert.ok(recordVersion, 'set must resolve to the new version')
  return {
    storage: storage as CommittingStorage,
    other: other as CommittingStorage,
    list,
    fileId: info.fileId,
    first: { info, recordVersion }
  }
}

/** The conditions of a commit that replaces an earlier one. */
function ifStill ({ info, recordVersion }: Committed): Pick<CommitOptions, 'ifRevision' | 'ifRecordVersion'> {
  return { ifRevision: info.revision, ifRecordVersion: recordVersion }
}

async function assertRecord (
  { state }: CommittingStorage, fileId: string, record: { value: unknown, version: string | null } | null
): Promise<void> {
  const message = 'state.get must resolve to the record of the latest commit or set'
  assert.deepEqual(await state.get(fileId), record, message)
}

/** Asserts that neither the file nor its record nor its versions are other than they were. */
async function assertNothingChanged (
  { storage, other, first: { info, recordVersion }, list }: CommittingScene, names: readonly string[] | undefined
): Promise<void> {
  for (const instance of [storage, other]) {
    await assertUnchanged(instance, info, OLD_BYTES)
    await assertRecord(instance, info.fileId, { value: RECORD, version: recordVersion })
    if (instance.versions) assert.deepEqual(await instance.versions.list(info.fileId), [], 'nothing must be kept')
  }
  assert.deepEqual(await list?.(), names, 'nothing must be left behind')
}

async function commit (
  storage: CommittingStorage, fileId: string, content: Content, options: CommitOptions
): Promise<Committed> {
  const committed = await storage.commit(fileId, content, options)
  assert.ok(committed, 'commit must resolve to what it has stored: file and record are as expected')
  return committed
}

const commitCases: Cases<Scene> = optionalCases('commit', withRecord, {
  async 'replaces content and record, from bytes, a stream and staged content, in any format' (
    { storage, other, fileId, first }
  ) {
    let current = first
    for (const [index, options] of [{}, { extension: 'ODT' }, { extension: 'docx' }].entries()) {
      const bytes = patternBytes(150_000 + index, index)
      const contents = [bytes, inChunks(...halves(bytes)), await storage.stage(fileId, inChunks(bytes))]
      const given: FileInfo[] = []
      const committed = await commit(storage, fileId, contents[index]!, {
        ...options,
        ...ifStill(current),
        record (info) {
          given.push(info)
          return { index, revision: info.revision }
        }
      })
      const { info, recordVersion } = committed
      assert.deepEqual(given.at(-1), info, 'record must be called with the info that commit resolves to')
      const extension = options.extension?.toLowerCase() ?? 'docx'
      assert.equal(info.extension, extension, 'info.extension must be the new one in lower case, or stay')
      assert.notEqual(recordVersion, current.recordVersion, 'the version of the record must change')
      for (const instance of [storage, other]) {
        await assertUnchanged(instance, info, bytes)
        await assertRecord(instance, fileId, { value: { index, revision: info.revision }, version: recordVersion })
      }
      current = committed
    }
    const set = await storage.state.set(fileId, 'next', current.recordVersion)
    assert.ok(set, 'set must accept the version that commit resolved to')
  },
  async 'with another revision or another version of the record it resolves to null and changes nothing' (scene) {
    const { storage, fileId, first, list } = scene
    const names = await list?.()
    const changes = [
      { ifRevision: 'another' }, { ifRevision: '' },
      { ifRecordVersion: null }, { ifRecordVersion: `${first.recordVersion}x` }, { ifRecordVersion: '' }
    ]
    for (const change of changes) {
      for (const content of [NEW_BYTES, await storage.stage(fileId, inChunks(NEW_BYTES))]) {
        const options = { ...ifStill(first), ...change, extension: 'odt', record: () => 'new' }
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
    const failing: ReadonlyArray<readonly [Content, Partial<CommitOptions>]> = [
      [failingAfter(failure, OLD_BYTES), {}],
      [NEW_BYTES, { record: fail }],
      [NEW_BYTES, { keep: fail }],
      [NEW_BYTES, { keep: () => ({ changes: failingAfter(failure, OLD_BYTES) }) }]
    ]
    for (const [content, change] of failing) {
      if (change.keep && !storage.versions) continue
      const committing = storage.commit(fileId, content, { ...options, ...change })
      const message = 'commit must reject with the error of the content or function'
      await assert.rejects(committing, error => error === failure, message)
      await assertNothingChanged(scene, names)
    }
    const misnamed = storage.commit(fileId, NEW_BYTES, { ...options, extension: 'not/an extension' })
    await assert.rejects(misnamed, { code: 'FST_EDITOR_INVALID_NAME' })
    await assertNothingChanged(scene, names)
  },
  async 'of concurrent commits in two instances exactly one succeeds; changes of the record count, too' (
    { storage, other, fileId, first }
  ) {
    let current = first
    const contents = Array.from({ length: CONCURRENT_COMMITS }, (_, index) => patternBytes(1000 + index, index))
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(contents.map(async (bytes, index) =>
        await (index % 2 ? storage : other).commit(fileId, bytes, { ...ifStill(current), record: () => index })
      ))
      const winner = onlyWinner('commit', outcomes)
      current = outcomes[winner]!
      await assertUnchanged(storage, current.info, contents[winner]!)
      await assertRecord(other, fileId, { value: winner, version: current.recordVersion })
    }
    const version = await other.state.set(fileId, 'set', current.recordVersion)
    const late = await storage.commit(fileId, OLD_BYTES, { ...ifStill(current), record: () => 'late' })
    assert.equal(late, null, 'commit must resolve to null: the record has been set meanwhile')
    await assertRecord(storage, fileId, { value: 'set', version })
  },
  async 'keep and prune change the versions in the same write' ({ storage, other, fileId, first, list }) {
    const { versions } = storage
    if (!versions) return
    const count = (await list?.())?.length
    const contents = [OLD_BYTES]
    const detailsOf = (round: number) => ({ round, text: 'x'.repeat(round % 2 * 3000) })
    let current = first
    for (let round = 1; round <= 50; round++) {
      const bytes = patternBytes(500 + round, round)
      current = await commit(round % 2 ? storage : other, fileId, bytes, {
        ...ifStill(current),
        record: () => round,
        keep (_info, newest) {
          const expected = round === 1 ? null : [round - 1, detailsOf(round - 1)]
          const given = newest && [newest.version, newest.details]
          assert.deepEqual(given, expected, 'keep must be called with the newest version, or null')
          return { details: detailsOf(round), ...round % 3 === 0 && { changes: inChunks(patternBytes(round)) } }
        },
        ...versions.prune && { prune: { keep: PRUNED_TO, maxBytes: Infinity, keptSince: new Date(0) } }
      })
      contents.push(bytes)
    }
    const oldest = (await versions.list(fileId))[0]!.version
    if (versions.prune) assert.ok(oldest > 1, 'prune must remove versions')
    assert.ok(oldest <= contents.length - PRUNED_TO, 'prune must not remove more than what exceeds the limits')
    const expected = contents.slice(oldest).map((_, index) => index + oldest)
    for (const { versions } of [storage, other]) {
      const listed = await versions!.list(fileId)
      const numbers = listed.map(({ version }) => version)
      assert.deepEqual(numbers, expected, 'list must contain what was kept and not pruned')
      for (const { version, changesSize } of listed) {
        const kept = Buffer.concat(await (await versions!.read(fileId, version))!.body.toArray())
        assert.ok(kept.equals(contents[version - 1]!), `version ${version} must have the content that was replaced`)
        const size = version % 3 === 0 ? version : null
        assert.equal(changesSize, size, 'changesSize must be the number of bytes of the changes')
      }
      for (let version = 1; version < oldest; version++) {
        assert.equal(await versions!.read(fileId, version), null, 'a version that was pruned must be absent')
      }
    }
    await assertStored(storage, fileId, contents.at(-1)!)
    assert.equal((await list?.())?.length, count, 'list must not contain versions')
  }
})

export const committingCases: Cases<Scene> = {
  ...commitCases,
  async 'snapshot: resolves to the info and the record, also where there is one of them or none' ({ storage, other }) {
    if (!storage.snapshot) return
    const none = { info: null, record: null }
    for (const absent of [...MALFORMED_IDS, 'absent']) {
      assert.deepEqual(await storage.snapshot(absent), none, 'snapshot of an absent file must resolve to nulls')
    }
    const info = await storage.create('docx', OLD_BYTES)
    const snapshot = async () => await other.snapshot!(info.fileId)
    const message = 'snapshot must resolve to the info of a file without a record'
    assert.deepEqual(await snapshot(), { info, record: null }, message)
    const version = await storage.state?.set(info.fileId, RECORD, null)
    const record = version === undefined ? null : { value: RECORD, version }
    assert.deepEqual(await snapshot(), { info, record }, 'snapshot must resolve to the info and the record')
    const replaced = await storage.replace(info.fileId, NEW_BYTES)
    assert.deepEqual((await snapshot()).info, replaced, 'snapshot must resolve to what stat resolves to')
    if (!storage.remove) return
    await storage.remove(info.fileId)
    assert.deepEqual(await snapshot(), none, 'snapshot of a removed file must resolve to nulls')
  },
  async 'downloadUrl: the content can be fetched without further credentials, also after it was replaced' (
    { storage }
  ) {
    if (!storage.downloadUrl) return
    for (const absent of [...MALFORMED_IDS, 'absent']) {
      assert.equal(await storage.downloadUrl(absent), null, 'downloadUrl of an absent file must resolve to null')
    }
    const info = await storage.create('docx', OLD_BYTES)
    const given = await storage.downloadUrl(info.fileId)
    assert.deepEqual(given?.info, info, 'downloadUrl must resolve to the info that stat resolves to')
    const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())
    assert.ok((await fetched(given.url)).equals(OLD_BYTES), 'the URL must give the content of the file')
    await storage.replace(info.fileId, NEW_BYTES)
    const again = await fetched(given.url)
    assert.ok(again.equals(OLD_BYTES), 'the URL must give the same content after the file was replaced')
    const present = await fetched((await storage.downloadUrl(info.fileId))!.url)
    assert.ok(present.equals(NEW_BYTES), 'a new URL must give the present content')
  }
}

/** A storage that does not know the revision in advance never calls `beforePublish`, and passes. */
export const publishingCases: Cases<Scene> = {
  async 'beforePublish is called once, while readers see the old version, with the info that stat returns afterwards' (
    { storage }
  ) {
    for (const options of FORMAT_OPTIONS) {
      const old = await storage.create('docx', OLD_BYTES)
      const { calls, outcome } = await replaceObserved(storage, old.fileId, inChunks(...halves(NEW_BYTES)), options,
        async () => await assertUnchanged(storage, old, OLD_BYTES))
      if (outcome instanceof Error) throw outcome
      assert.ok(outcome, 'replace of a stored file must resolve to its info')
      await assertUnchanged(storage, outcome, NEW_BYTES)
      assert.ok(calls.length <= 1, `beforePublish must be called once, not ${calls.length} times`)
      for (const [info] of calls) {
        assert.deepEqual(info, outcome, 'beforePublish must be called with the info that replace resolves to')
      }
    }
  },
  async 'replace rejects with the error of beforePublish, keeps the old version and leaves nothing behind' (
    { storage, list }
  ) {
    const failure = new Error('beforePublish failed')
    const fail = async () => { throw failure }
    for (const options of FORMAT_OPTIONS) {
      const old = await storage.create('docx', OLD_BYTES)
      const before = await list?.()
      const { calls, outcome } = await replaceObserved(storage, old.fileId, NEW_BYTES, options, fail)
      if (calls.length === 0) {
        await assertStored(storage, old.fileId, NEW_BYTES)
        continue
      }
      assert.equal(outcome, failure, 'replace must reject with the error of beforePublish')
      await assertUnchanged(storage, old, OLD_BYTES)
      assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
    }
  },
  async 'beforePublish is not called if the file is absent or the source fails' ({ storage }) {
    const old = await storage.create('docx', OLD_BYTES)
    const infos: FileInfo[] = []
    const beforePublish = async (info: FileInfo) => { infos.push(info) }
    const absent = await storage.replace(`${old.fileId}x`, NEW_BYTES, { beforePublish })
    assert.equal(absent, null, 'replace of an absent file must resolve to null')
    for (const chunks of [[], [NEW_BYTES]]) {
      await assertSourceFails('replace', content => storage.replace(old.fileId, content, { beforePublish }), chunks)
    }
    assert.deepEqual(infos, [], 'beforePublish must not be called')
    await assertUnchanged(storage, old, OLD_BYTES)
  }
}
