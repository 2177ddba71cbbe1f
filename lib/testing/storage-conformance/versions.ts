import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { FileInfo, KeepOptions, StoredVersion, VersionLimits, VersionStore } from '../../../types/storage.js'
import {
  assertUnchanged, failingAfter, inChunks, MALFORMED_IDS, NEW_BYTES, OLD_BYTES, optionalCases, patternBytes, replace,
  type Scene
} from './case.js'

/** A file that has `OLD_BYTES`, and of which nothing was kept. */
interface VersionsScene extends Scene {
  readonly versions: VersionStore
  /** That of the other instance. */
  readonly others: VersionStore
  readonly info: FileInfo
  readonly fileId: string
}

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
/** Number of versions, more than a storage is likely to keep in one place. */
const MANY = 60
const FEW = 20
/** Maximum number of surplus versions that may wait to be removed together. */
const PRUNED_AT_ONCE = 16
const UNLIMITED = { keep: Infinity, maxBytes: Infinity, keptSince: new Date(0) }

async function list (versions: VersionStore, fileId: string): Promise<readonly StoredVersion[]> {
  const listed = await versions.list(fileId)
  const numbers = listed.map(({ version }) => version)
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  assert.deepEqual(numbers, sorted, 'list must contain each version once, oldest first')
  return listed
}

async function numbersIn (versions: VersionStore, fileId: string): Promise<readonly number[]> {
  return (await list(versions, fileId)).map(({ version }) => version)
}

async function keep (
  versions: VersionStore, { fileId, revision }: FileInfo, options?: KeepOptions
): Promise<StoredVersion> {
  const kept = await versions.keep(fileId, revision, options)
  assert.ok(kept, 'keep must resolve to the version: the file has the given revision')
  return kept
}

/** Asserts that the content of a version can be read, exactly, and its changes; `null`: it has none. */
async function assertKept (
  versions: VersionStore, fileId: string, kept: StoredVersion, content: Uint8Array, changes: Uint8Array | null = null
): Promise<void> {
  const { version, size, changesSize } = kept
  const isListed = (await list(versions, fileId)).some(listed => isDeepStrictEqual(listed, kept))
  assert.ok(isListed, `list must contain version ${version} as keep resolved to it`)
  for (const [part, bytes] of [['content', content], ['changes', changes]] as const) {
    const found = await versions.read(fileId, version, part)
    if (bytes === null) {
      assert.equal(found, null, `read of the ${part} must resolve to null: there are none`)
      continue
    }
    const read = found && Buffer.concat(await found.body.toArray())
    const message = `read must give exactly the ${bytes.byteLength} bytes of the ${part} of version ${version}`
    assert.ok(read?.equals(bytes), message)
    assert.deepEqual(found?.version, kept, 'read must resolve to the version that list contains')
  }
  assert.equal(size, content.byteLength, 'size must be the number of bytes of the content')
  const length = changes?.byteLength ?? null
  assert.equal(changesSize, length, 'changesSize must be the number of bytes of the changes, or null')
}

async function assertGone (versions: VersionStore, fileId: string, version: number): Promise<void> {
  for (const part of ['content', 'changes'] as const) {
    const message = 'read must resolve to null when the version or its file was removed'
    assert.equal(await versions.read(fileId, version, part), null, message)
  }
}

async function withVersions (scene: Scene): Promise<VersionsScene | undefined> {
  const { storage, other } = scene
  if (!storage.versions) return undefined
  const info = await storage.create('docx', OLD_BYTES)
  return { ...scene, versions: storage.versions, others: other.versions ?? storage.versions, info, fileId: info.fileId }
}

export const versionsCases = optionalCases('versions', withVersions, {
  async 'a kept content can be read, by every instance, after the file was replaced and its format changed' (
    { versions, others, info, fileId, storage, list: listNames }
  ) {
    assert.deepEqual(await versions.list(fileId), [], 'list must resolve to [] for a file of which nothing was kept')
    const names = await listNames?.()
    const first = await keep(versions, info)
    const { version, revision, extension, modifiedAt, keptAt, details } = first
    const described = { version, revision, extension, modifiedAt, details }
    const asFile = { revision: info.revision, extension: 'docx', modifiedAt: info.modifiedAt }
    const expected = { version: 1, ...asFile, details: null }
    assert.deepEqual(described, expected, 'keep must resolve to what the file is, as version 1')
    assert.ok(keptAt instanceof Date && !Number.isNaN(keptAt.getTime()), 'keptAt must be a Date')
    await assertUnchanged(storage, info, OLD_BYTES)
    assert.deepEqual(await listNames?.(), names, 'list of all stored objects must not contain versions')

    const inOdt = await replace(storage, fileId, NEW_BYTES, { extension: 'ODT' })
    const second = await keep(others, inOdt, { changes: inChunks(OLD_BYTES, NEW_BYTES) })
    const message = 'keep must resolve to the number, extension and revision of the content'
    assert.deepEqual([second.version, second.extension, second.revision], [2, 'odt', inOdt.revision], message)
    const empty = await replace(storage, fileId, new Uint8Array(0), { extension: 'docx' })
    const third = await keep(versions, empty, { changes: new Uint8Array(0) })
    await replace(storage, fileId, patternBytes(10))
    for (const instance of [versions, others]) {
      const listed = await list(instance, fileId)
      assert.deepEqual(listed, [first, second, third], 'list must contain all versions as keep resolved to them')
      await assertKept(instance, fileId, first, OLD_BYTES)
      await assertKept(instance, fileId, second, NEW_BYTES, Buffer.concat([OLD_BYTES, NEW_BYTES]))
      await assertKept(instance, fileId, third, Buffer.alloc(0), Buffer.alloc(0))
    }
    const whole = await versions.read(fileId, 1)
    const read = whole && Buffer.concat(await whole.body.toArray())
    assert.ok(read?.equals(OLD_BYTES), 'read must give the content unless another part is asked for')
  },
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
    const later: ReadonlyArray<readonly [options: KeepOptions, changes: Uint8Array | null]> = [
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
  async 'many versions are listed, read and removed like few, with short details and long ones' (
    { versions, others, info, fileId, storage }
  ) {
    const kept: StoredVersion[] = []
    const contentOf = (version: number) => version === 1 ? OLD_BYTES : patternBytes(version, version)
    const changesOf = (version: number) => version % 5 === 0 ? patternBytes(version) : null
    let current = info
    for (let version = 1; version <= MANY; version++) {
      const details = { version, text: 'x'.repeat(version % 3 * 2000) }
      const changes = changesOf(version)
      kept.push(await keep(version % 2 ? versions : others, current, { details, ...changes && { changes } }))
      for (const newest of [1, 2, version, MANY]) {
        const listed = (await versions.list(fileId, { newest })).slice(-newest)
        const message = 'list must contain at least as many of the newest versions as were asked for'
        assert.deepEqual(listed, kept.slice(-newest), message)
      }
      current = await replace(storage, fileId, contentOf(version + 1))
    }
    const gone = [1, 2, 15, 16, 17, 40, MANY]
    await versions.remove(fileId, gone.slice(0, 3))
    await others.remove(fileId, gone.slice(3))
    const left = kept.filter(({ version }) => !gone.includes(version))
    for (const instance of [versions, others]) {
      assert.deepEqual(await list(instance, fileId), left, 'list must contain all versions that were not removed')
      for (const version of gone) await assertGone(instance, fileId, version)
    }
    for (const stored of left) {
      await assertKept(versions, fileId, stored, contentOf(stored.version), changesOf(stored.version))
    }
    const next = await keep(others, current)
    assert.equal(next.version, MANY + 1, 'keep must not give a number again')
    assert.deepEqual(await list(versions, fileId), [...left, next], 'list must contain the version that was kept last')
  },
  async 'prune removes what exceeds the limits: what is too old, then what is within sessions, then the oldest' (
    { versions, others, info, fileId, storage }
  ) {
    if (!versions.prune || !others.prune) return
    const sessionOf = (version: number) => version < 10 ? undefined : `session ${Math.floor(version / 10)}`
    const isWithin = (version: number) => sessionOf(version) !== undefined && version % 10 < 8
    const all: number[] = []
    let current = info
    const keepAndPrune = async (limits: Partial<VersionLimits> = {}) => {
      const version = all.length + 1
      const session = sessionOf(version)
      all.push((await keep(versions, current, { details: version, ...session !== undefined && { session } })).version)
      await (version % 2 ? versions : others).prune!(fileId, { ...UNLIMITED, ...limits })
      current = await replace(storage, fileId, patternBytes(100 + version))
      return await numbersIn(others, fileId)
    }
    for (let round = 0; round < 12; round++) {
      assert.deepEqual(await keepAndPrune(), all, 'prune must remove nothing within the limits')
    }
    for (let round = 0; round < MANY; round++) {
      const left = await keepAndPrune({ keep: FEW })
      assert.ok(left.length >= Math.min(FEW, all.length), 'prune must not remove more than what exceeds the limits')
      assertPruned(left)
      const oldest = left.find(version => !isWithin(version))!
      const surplus = all.filter(version => !left.includes(version) && !isWithin(version))
      const isInOrder = surplus.every(version => version < oldest)
      assert.ok(isInOrder, 'of versions that are not within a session, the oldest must go first')
    }
    const { size } = current
    for (let round = 0; round < 2 * PRUNED_AT_ONCE; round++) await keepAndPrune({ maxBytes: 3 * size })
    const [oldest] = await versions.list(fileId)
    assert.ok(oldest!.version > all.length - 4 - PRUNED_AT_ONCE, 'prune must remove what exceeds maxBytes')
    for (let round = 0; round < 2 * PRUNED_AT_ONCE; round++) {
      const left = await keepAndPrune({ keptSince: new Date(Date.now() + 60_000) })
      assert.equal(left.at(-1), all.at(-1), 'the newest version must stay')
    }
    assert.ok((await versions.list(fileId)).length <= PRUNED_AT_ONCE + 1, 'prune must remove what is too old')
    await versions.remove(fileId, all)
    assert.deepEqual(await list(others, fileId), [], 'list must resolve to [] when all versions were removed')
    for (const absent of [...MALFORMED_IDS, `${fileId}x`]) await versions.prune(absent, { ...UNLIMITED, keep: 1 })
  },
  async 'prune removes versions with a lower priority first, of the same one the oldest' (
    { versions, others, info, fileId, storage }
  ) {
    if (!versions.prune || !others.prune) return
    const priorityOf = (version: number) => version * 7 % 5
    let current = info
    let before: readonly number[] = []
    for (let version = 1; version <= MANY; version++) {
      await keep(version % 3 ? versions : others, current, { priority: priorityOf(version) })
      await (version % 2 ? versions : others).prune!(fileId, { ...UNLIMITED, keep: FEW })
      current = await replace(storage, fileId, patternBytes(100 + version))
      const left = await numbersIn(others, fileId)
      for (const gone of before.filter(version => !left.includes(version))) {
        for (const stays of left.slice(0, -1)) {
          const [ofGone, ofStays] = [priorityOf(gone), priorityOf(stays)]
          const isInOrder = ofGone < ofStays || (ofGone === ofStays && gone < stays)
          assert.ok(isInOrder, `prune must remove version ${stays} (priority ${ofStays}) before ${gone} (${ofGone})`)
        }
      }
      before = left
    }
    assertPruned(before)
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
    const failing = async (options: KeepOptions) =>
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
  async 'keeping while the file is replaced keeps whole contents with their revisions, each under a number of its own' (
    { versions, others, info, fileId, storage }
  ) {
    const contents = new Map([[info.revision, OLD_BYTES]])
    const replaced = new AbortController()
    async function keepReplacing () {
      for (let round = 0; round < 12; round++) {
        const bytes = patternBytes(20_000 + round, round)
        const extension = round % 3 === 0 ? 'odt' : 'docx'
        contents.set((await replace(storage, fileId, bytes, { extension })).revision, bytes)
      }
    }
    const results: StoredVersion[] = []
    async function keepKeeping (instance: VersionStore) {
      while (!replaced.signal.aborted) {
        const present = await storage.stat(fileId)
        const kept = await instance.keep(fileId, present!.revision)
        if (kept) results.push(kept)
      }
    }
    const replacing = keepReplacing().finally(() => replaced.abort())
    await Promise.all([replacing, keepKeeping(versions), keepKeeping(others)])
    results.push(await keep(versions, (await storage.stat(fileId))!))
    const listed = await list(versions, fileId)
    for (const [index, { version }] of listed.entries()) assert.equal(version, index + 1, 'numbers must ascend by one')
    const [given, stored] = [results, listed]
      .map(versions => new Map(versions.map(({ revision, version }) => [revision, version])))
    assert.deepEqual(given, stored, 'list must contain exactly the versions that keep resolved to')
    for (const version of listed) await assertKept(versions, fileId, version, contents.get(version.revision)!)
  },
  async 'label names a version until null takes the name away; it survives keeping the same revision, and prune' (
    { versions, others, info, fileId, storage }
  ) {
    if (!versions.label) return
    const label = { name: 'Sent “é” 😀', comment: 'to all' }
    await keep(versions, info)
    assert.equal(await versions.label(fileId, 1, label), true, 'label must resolve to true for a version')
    const again = await keep(others, info, { details: 'again' })
    assert.equal(again.version, 1, 'a revision is kept once')
    for (const number of ABSENT_NUMBERS) {
      assert.equal(await versions.label(fileId, number, label), false, 'label must resolve to false without the version')
    }
    for (const id of MALFORMED_IDS) assert.equal(await versions.label?.(id, 1, label), false)
    for (let round = 2; round <= MANY; round++) {
      await keep(versions, await replace(storage, fileId, patternBytes(20, round)))
    }
    assert.equal(await others.label!(fileId, 2, { name: 'second' }), true)
    const limits = { keep: FEW, maxBytes: Infinity, keptSince: new Date() }
    for (let round = 0; round < MANY; round++) await versions.prune?.(fileId, limits)
    const [first, second] = await list(others, fileId)
    assert.deepEqual([first?.version, second?.version], [1, 2], 'prune must not remove a version with a label')
    assert.deepEqual([first?.label, second?.label], [label, { name: 'second' }], 'list must contain the labels')
    assert.equal(await versions.label(fileId, 1, null), true, 'null must remove the label')
    const [unnamed] = await list(others, fileId)
    assert.ok(unnamed !== undefined && !('label' in unnamed), 'a version without a label must have no field label')
    if (!versions.prune) return
    for (let round = 0; round < MANY; round++) {
      await keep(versions, await replace(storage, fileId, patternBytes(20, round)))
      await versions.prune(fileId, limits)
    }
    const left = await numbersIn(versions, fileId)
    assert.deepEqual([left.includes(1), left.includes(2)], [false, true], 'prune must remove what is labelled no more')
  },
  async 'the versions of a file are removed together with it, also while one is being kept' (
    { versions, others, info, storage }
  ) {
    if (!storage.remove) return
    const another = await storage.create('docx', NEW_BYTES)
    await keep(versions, another)
    for (let round = 0; round < 6; round++) {
      const removed = round === 0 ? info : await storage.create('docx', OLD_BYTES)
      const { fileId, revision } = removed
      if (round % 2 === 0) await keep(versions, removed, { changes: NEW_BYTES })
      const keeping = [versions, others].map(async instance =>
        await instance.keep(fileId, revision, { changes: inChunks(NEW_BYTES) })
      )
      assert.equal(await storage.remove(fileId), true, 'remove must resolve to true')
      await Promise.all(keeping)
      for (const instance of [versions, others]) {
        assert.deepEqual(await instance.list(fileId), [], 'list must resolve to [] when the file was removed')
        await assertGone(instance, fileId, 1)
        const kept = await instance.keep(fileId, revision)
        assert.equal(kept, null, 'keep must resolve to null when the file was removed')
      }
    }
    assert.equal((await list(versions, another.fileId)).length, 1, 'the versions of other files must stay')
  }
})

function assertPruned (left: readonly number[]): void {
  const message = `prune must not leave more than ${PRUNED_AT_ONCE} versions too many`
  assert.ok(left.length <= FEW + PRUNED_AT_ONCE, message)
}
