import assert from 'node:assert/strict'
import type { CommitOptions, Committed, Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'
import {
  assertStored,
  assertUnchanged,
  type ConformanceCase,
  failingAfter,
  inChunks,
  MALFORMED_IDS,
  NEW_BYTES,
  OLD_BYTES,
  patternBytes,
  type StorageSubject
} from './case.js'

type CommittingStorage = Storage & Required<Pick<Storage, 'commit' | 'state'>>

/** The subject of the tests, and the state they start with. */
interface Scene {
  readonly storage: CommittingStorage
  /** Another instance. */
  readonly other: CommittingStorage
  readonly info: FileInfo
  /** Version of the record. */
  readonly version: string
  readonly list: StorageSubject['list']
}

const RECORD = { name: 'the record', list: [1, null] }
const CONCURRENT_COMMITS = 10
/** Versions; a storage may keep some more for a while. */
const PRUNED_TO = 20

/** Runs only for storages with `commit`, with a file that has `OLD_BYTES` and a record. */
function committingCase (name: string, run: (scene: Scene) => Promise<void>): ConformanceCase {
  return {
    name: `commit: ${name}`,
    async run ({ storage, reopen, list }) {
      if (!storage.commit) return
      assert.ok(storage.state && storage.stage, 'a storage with commit must also have state and stage')
      const instance = reopen?.()
      try {
        const info = await storage.create('docx', OLD_BYTES)
        const version = await storage.state.set(info.fileId, RECORD, null)
        assert.ok(version, 'set must resolve to the new version')
        await run({
          storage: storage as CommittingStorage,
          other: (instance ?? storage) as CommittingStorage,
          info,
          version,
          list
        })
      } finally {
        await instance?.close?.()
      }
    }
  }
}

async function assertRecord (
  storage: CommittingStorage,
  fileId: string,
  value: unknown,
  version: string | null
): Promise<void> {
  assert.deepEqual(
    await storage.state.get(fileId),
    version === null ? null : { value, version },
    'state.get must resolve to the record of the latest commit or set'
  )
}

/** Asserts that neither the file nor its record nor its versions are other than they were. */
async function assertNothingChanged (
  { storage, other, info, version, list }: Scene,
  names: readonly string[] | undefined
): Promise<void> {
  for (const instance of [storage, other]) {
    await assertUnchanged(instance, info, OLD_BYTES)
    await assertRecord(instance, info.fileId, RECORD, version)
    if (instance.versions) assert.deepEqual(await instance.versions.list(info.fileId), [], 'nothing must be kept')
  }
  assert.deepEqual(await list?.(), names, 'nothing must be left behind')
}

async function commit (
  storage: CommittingStorage,
  fileId: string,
  content: Content,
  options: CommitOptions
): Promise<Committed> {
  const committed = await storage.commit(fileId, content, options)
  assert.ok(committed, 'commit must resolve to what it has stored: file and record are as expected')
  return committed
}

export const committingCases: readonly ConformanceCase[] = [
  committingCase(
    'replaces content and record, from bytes, a stream and staged content, in any format',
    async ({ storage, other, info, version }) => {
      const { fileId } = info
      let current: Committed = { info, recordVersion: version }
      for (const [index, extension] of [undefined, 'ODT', 'docx'].entries()) {
        const bytes = patternBytes(150_000 + index, index)
        const content = [
          bytes,
          inChunks(bytes.subarray(0, 70_000), bytes.subarray(70_000)),
          await storage.stage!(fileId, inChunks(bytes))
        ][index]!
        const given: FileInfo[] = []
        const committed = await commit(storage, fileId, content, {
          ...extension !== undefined && { extension },
          ifRevision: current.info.revision,
          ifRecordVersion: current.recordVersion,
          record (info) {
            given.push(info)
            return { index, revision: info.revision }
          }
        })
        assert.deepEqual(given.at(-1), committed.info, 'record must be called with the info that commit resolves to')
        assert.equal(
          committed.info.extension,
          extension?.toLowerCase() ?? 'docx',
          'info.extension must be the new one in lower case, or stay'
        )
        assert.notEqual(committed.recordVersion, current.recordVersion, 'the version of the record must change')
        for (const instance of [storage, other]) {
          await assertUnchanged(instance, committed.info, bytes)
          await assertRecord(instance, fileId, { index, revision: committed.info.revision }, committed.recordVersion)
        }
        current = committed
      }
      assert.ok(
        await storage.state.set(fileId, 'next', current.recordVersion),
        'set must accept the version that commit resolved to'
      )
    }
  ),
  committingCase(
    'with another revision or another version of the record it resolves to null and changes nothing',
    async scene => {
      const { storage, info, version, list } = scene
      const names = await list?.()
      const conditions: ReadonlyArray<Pick<CommitOptions, 'ifRevision' | 'ifRecordVersion'>> = [
        { ifRevision: 'another', ifRecordVersion: version },
        { ifRevision: '', ifRecordVersion: version },
        { ifRevision: info.revision, ifRecordVersion: null },
        { ifRevision: info.revision, ifRecordVersion: `${version}x` },
        { ifRevision: info.revision, ifRecordVersion: '' }
      ]
      for (const condition of conditions) {
        for (const content of [NEW_BYTES, await storage.stage!(info.fileId, inChunks(NEW_BYTES))]) {
          assert.equal(
            await storage.commit(info.fileId, content, { ...condition, extension: 'odt', record: () => 'new' }),
            null,
            `commit must resolve to null: ${JSON.stringify(condition)} is not what is stored`
          )
          if (!(content instanceof Uint8Array)) await content.discard()
        }
      }
      await assertNothingChanged(scene, names)
      for (const fileId of [...MALFORMED_IDS, `${info.fileId}x`]) {
        assert.equal(
          await storage.commit(fileId, NEW_BYTES, {
            ifRevision: info.revision,
            ifRecordVersion: null,
            record: () => 'new'
          }),
          null,
          `commit of ${JSON.stringify(fileId)} must resolve to null`
        )
      }
      await assertNothingChanged(scene, names)
    }
  ),
  committingCase('a file without a record gets one', async ({ storage, list }) => {
    const { fileId, revision } = await storage.create('txt', OLD_BYTES)
    const count = (await list?.())?.length
    assert.equal(
      await storage.commit(fileId, NEW_BYTES, { ifRevision: revision, ifRecordVersion: 'some', record: () => 'first' }),
      null,
      'commit must resolve to null: there is no record'
    )
    await assertRecord(storage, fileId, null, null)
    const { info, recordVersion } = await commit(storage, fileId, NEW_BYTES, {
      ifRevision: revision,
      ifRecordVersion: null,
      record: () => 'first'
    })
    await assertRecord(storage, fileId, 'first', recordVersion)
    await assertUnchanged(storage, info, NEW_BYTES)
    assert.equal((await list?.())?.length, count, 'commit must leave nothing behind')
  }),
  committingCase(
    'when a function or the content fails, it rejects with that error and changes nothing',
    async scene => {
      const { storage, info, version, list } = scene
      const names = await list?.()
      const failure = new Error('it failed')
      const fail = (): never => {
        throw failure
      }
      const options = { ifRevision: info.revision, ifRecordVersion: version, record: () => 'new' }
      const failing: ReadonlyArray<readonly [Content, Partial<CommitOptions>]> = [
        [failingAfter(failure, OLD_BYTES), {}],
        [NEW_BYTES, { record: fail }],
        ...storage.versions
          ? [
              [NEW_BYTES, { keep: fail }],
              [NEW_BYTES, { keep: () => ({ changes: failingAfter(failure, OLD_BYTES) }) }]
            ] as const
          : []
      ]
      for (const [content, change] of failing) {
        await assert.rejects(storage.commit(info.fileId, content, { ...options, ...change }), error =>
          error === failure, 'commit must reject with the error of the content or function')
        await assertNothingChanged(scene, names)
      }
      await assert.rejects(storage.commit(info.fileId, NEW_BYTES, { ...options, extension: 'not/an extension' }), {
        code: 'FST_EDITOR_INVALID_NAME'
      })
      await assertNothingChanged(scene, names)
    }
  ),
  committingCase(
    'of concurrent commits in two instances exactly one succeeds; changes of the record count, too',
    async ({ storage, other, info, version }) => {
      const { fileId } = info
      let current: Committed = { info, recordVersion: version }
      for (let round = 0; round < 3; round++) {
        const { info: { revision }, recordVersion } = current
        const outcomes = await Promise.all(Array.from({ length: CONCURRENT_COMMITS }, async (_, index) => {
          const bytes = patternBytes(1000 + index, index)
          const instance = index % 2 ? storage : other
          const committed = await instance.commit(fileId, bytes, {
            ifRevision: revision,
            ifRecordVersion: recordVersion,
            record: () => index
          })
          return committed && { committed, bytes, index }
        }))
        const winners = outcomes.filter(outcome => outcome !== null)
        assert.equal(
          winners.length,
          1,
          `one commit must succeed and all others resolve to null; ${winners.length} succeeded`
        )
        const { committed, bytes, index } = winners[0]!
        await assertUnchanged(storage, committed.info, bytes)
        await assertRecord(other, fileId, index, committed.recordVersion)
        current = committed
      }
      const set = await other.state.set(fileId, 'set', current.recordVersion)
      assert.equal(
        await storage.commit(fileId, OLD_BYTES, {
          ifRevision: current.info.revision,
          ifRecordVersion: current.recordVersion,
          record: () => 'late'
        }),
        null,
        'commit must resolve to null: the record has been set meanwhile'
      )
      await assertRecord(storage, fileId, 'set', set)
    }
  ),
  committingCase(
    'keep and prune change the versions in the same write',
    async ({ storage, other, info, version, list }) => {
      const { versions } = storage
      if (!versions) return
      const { fileId } = info
      const count = (await list?.())?.length
      const contents = [OLD_BYTES]
      const detailsOf = (round: number) => ({ round, text: 'x'.repeat(round % 2 * 3000) })
      let current: Committed = { info, recordVersion: version }
      for (let round = 1; round <= 50; round++) {
        const bytes = patternBytes(500 + round, round)
        const replaced = current.info
        current = await commit(round % 2 ? storage : other, fileId, bytes, {
          ifRevision: replaced.revision,
          ifRecordVersion: current.recordVersion,
          record: () => round,
          keep (_info, newest) {
            assert.deepEqual(
              newest && [newest.version, newest.details],
              round === 1 ? null : [round - 1, detailsOf(round - 1)],
              'keep must be called with the newest version, or null'
            )
            return { details: detailsOf(round), ...round % 3 === 0 && { changes: inChunks(patternBytes(round)) } }
          },
          ...versions.prune && { prune: { keep: PRUNED_TO, maxBytes: Infinity, keptSince: new Date(0) } }
        })
        contents.push(bytes)
      }
      const first = (await versions.list(fileId))[0]!.version
      if (versions.prune) assert.ok(first > 1, 'prune must remove versions')
      assert.ok(first <= contents.length - PRUNED_TO, 'prune must not remove more than what exceeds the limits')
      const expected = contents.slice(first).map((_, index) => index + first)
      for (const instance of [storage, other]) {
        const listed = await instance.versions!.list(fileId)
        assert.deepEqual(
          listed.map(({ version }) => version),
          expected,
          'list must contain what was kept and not pruned'
        )
        for (const { version, changesSize } of listed) {
          assert.ok(
            Buffer.concat(await (await instance.versions!.read(fileId, version))!.body.toArray()).equals(
              contents[version - 1]!
            ),
            `version ${version} must have the content that was replaced`
          )
          assert.equal(
            changesSize,
            version % 3 === 0 ? version : null,
            'changesSize must be the number of bytes of the changes'
          )
        }
        for (let version = 1; version < first; version++) {
          assert.equal(
            await instance.versions!.read(fileId, version),
            null,
            'a version that was pruned must be absent'
          )
        }
      }
      await assertStored(storage, fileId, contents.at(-1)!)
      assert.equal((await list?.())?.length, count, 'list must not contain versions')
    }
  ),
  {
    name: 'snapshot: resolves to the info and the record, also where there is one of them or none',
    async run ({ storage, reopen }) {
      if (!storage.snapshot) return
      const other = reopen?.() ?? storage
      for (const absent of [...MALFORMED_IDS, 'absent']) {
        assert.deepEqual(
          await storage.snapshot(absent),
          { info: null, record: null },
          'snapshot of an absent file must resolve to nulls'
        )
      }
      const info = await storage.create('docx', OLD_BYTES)
      assert.deepEqual(
        await other.snapshot!(info.fileId),
        { info, record: null },
        'snapshot must resolve to the info of a file without a record'
      )
      const version = await storage.state?.set(info.fileId, RECORD, null)
      assert.deepEqual(await other.snapshot!(info.fileId), {
        info,
        record: version === undefined ? null : { value: RECORD, version }
      }, 'snapshot must resolve to the info and the record')
      const replaced = await storage.replace(info.fileId, NEW_BYTES)
      assert.deepEqual(
        (await other.snapshot!(info.fileId)).info,
        replaced,
        'snapshot must resolve to what stat resolves to'
      )
      await storage.remove?.(info.fileId)
      if (storage.remove) {
        assert.deepEqual(
          await other.snapshot!(info.fileId),
          { info: null, record: null },
          'snapshot of a removed file must resolve to nulls'
        )
      }
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'downloadUrl: the content can be fetched without further credentials, also after it was replaced',
    async run ({ storage }) {
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
      assert.ok(
        (await fetched(given.url)).equals(OLD_BYTES),
        'the URL must give the same content after the file was replaced'
      )
      assert.ok(
        (await fetched((await storage.downloadUrl(info.fileId))!.url)).equals(NEW_BYTES),
        'a new URL must give the present content'
      )
    }
  }
]

const FORMAT_OPTIONS: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'docx' }, { extension: 'ODT' }]

/** A `beforePublish` that records the infos it is called with. */
function recordingHook (inspect: () => Promise<unknown> = async () => {}) {
  const infos: FileInfo[] = []
  return {
    infos,
    async beforePublish (info: FileInfo): Promise<void> {
      infos.push(info)
      await inspect()
    }
  }
}

/** A storage that does not know the revision in advance never calls `beforePublish`, and passes. */
export const publishingCases: readonly ConformanceCase[] = [
  {
    name: 'beforePublish is called once, while readers see the old version, with the info that stat returns afterwards',
    async run ({ storage }) {
      for (const options of FORMAT_OPTIONS) {
        const old = await storage.create('docx', OLD_BYTES)
        const { beforePublish, infos } = recordingHook(async () => await assertUnchanged(storage, old, OLD_BYTES))
        const replaced = await storage.replace(
          old.fileId,
          inChunks(NEW_BYTES.subarray(0, 100_000), NEW_BYTES.subarray(100_000)),
          { ...options, beforePublish }
        )
        assert.ok(replaced, 'replace of a stored file must resolve to its info')
        await assertUnchanged(storage, replaced, NEW_BYTES)
        assert.ok(infos.length <= 1, `beforePublish must be called once, not ${infos.length} times`)
        for (const info of infos) {
          assert.deepEqual(info, replaced, 'beforePublish must be called with the info that replace resolves to')
        }
      }
    }
  },
  {
    name: 'replace rejects with the error of beforePublish, keeps the old version and leaves nothing behind',
    async run ({ storage, list }) {
      for (const options of FORMAT_OPTIONS) {
        const old = await storage.create('docx', OLD_BYTES)
        const before = await list?.()
        const failure = new Error('beforePublish failed')
        const { beforePublish, infos } = recordingHook(async () => {
          throw failure
        })
        const outcome = await storage.replace(old.fileId, NEW_BYTES, { ...options, beforePublish }).catch((
          error: unknown
        ) => error)
        if (infos.length === 0) {
          await assertStored(storage, old.fileId, NEW_BYTES)
          continue
        }
        assert.equal(outcome, failure, 'replace must reject with the error of beforePublish')
        await assertUnchanged(storage, old, OLD_BYTES)
        assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
      }
    }
  },
  {
    name: 'beforePublish is not called if the file is absent or the source fails',
    async run ({ storage }) {
      const old = await storage.create('docx', OLD_BYTES)
      const { beforePublish, infos } = recordingHook()
      assert.equal(
        await storage.replace(`${old.fileId}x`, NEW_BYTES, { beforePublish }),
        null,
        'replace of an absent file must resolve to null'
      )
      for (const chunks of [[], [NEW_BYTES]]) {
        const failure = new Error('the source failed')
        await assert.rejects(
          storage.replace(old.fileId, failingAfter(failure, ...chunks), { beforePublish }),
          error => error === failure,
          'replace must reject with the error of the source'
        )
      }
      assert.deepEqual(infos, [], 'beforePublish must not be called')
      await assertUnchanged(storage, old, OLD_BYTES)
    }
  }
]
