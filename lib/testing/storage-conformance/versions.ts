import assert from 'node:assert/strict'
import type {
  FileInfo,
  KeepOptions,
  Storage,
  StoredVersion,
  VersionLimits,
  VersionStore
} from '../../../types/storage.js'
import {
  assertUnchanged,
  type ConformanceCase,
  type StorageSubject,
  failingAfter,
  inChunks,
  MALFORMED_IDS,
  NEW_BYTES,
  OLD_BYTES,
  patternBytes
} from './case.js'

/** Values that are not version numbers, or not the number of a version that was ever kept. */
const ABSENT_NUMBERS = [0, -1, 1.5, 1000, NaN, Infinity, -Infinity, 2 ** 53, '1', '../1', '', null, undefined, {}, [
  1
]] as readonly number[]

const DETAILS: readonly unknown[] = [
  { users: ['u1'], text: 'é 😀 שלום \u2028 \0 "quoted" \\', nested: { deeper: [1, -0.5, null, [[]]] } },
  'x'.repeat(64 * 1024 - 2), // and two quotation marks
  [],
  0,
  false,
  '',
  null
]

const CONCURRENT_KEEPS = 8
/** Number of versions, more than a storage is likely to keep in one place. */
const MANY = 60
const FEW = 20
/** Maximum number of surplus versions that may wait to be removed together. */
const PRUNED_AT_ONCE = 16

async function list (versions: VersionStore, fileId: string): Promise<readonly StoredVersion[]> {
  const listed = await versions.list(fileId)
  const numbers = listed.map(({ version }) => version)
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
    'list must contain each version once, oldest first'
  )
  return listed
}

async function keep (
  versions: VersionStore,
  { fileId, revision }: FileInfo,
  options?: KeepOptions
): Promise<StoredVersion> {
  const kept = await versions.keep(fileId, revision, options)
  assert.ok(kept, 'keep must resolve to the version: the file has the given revision')
  return kept
}

async function replace (storage: Storage, fileId: string, bytes: Uint8Array, extension?: string): Promise<FileInfo> {
  const info = await storage.replace(fileId, bytes, extension === undefined ? {} : { extension })
  assert.ok(info, 'replace of a stored file must resolve to its info')
  return info
}

/** Asserts that both contents of a version can be read, exactly; `changes`: `null` when it has none. */
async function assertKept (
  versions: VersionStore,
  fileId: string,
  version: StoredVersion,
  { content, changes = null }: { readonly content: Uint8Array, readonly changes?: Uint8Array | null }
): Promise<void> {
  assert.ok(
    (await list(versions, fileId)).some(listed => isEqual(listed, version)),
    `list must contain version ${version.version} as keep resolved to it`
  )
  for (const [part, bytes] of [['content', content], ['changes', changes]] as const) {
    const found = await versions.read(fileId, version.version, part)
    const length = found && Buffer.concat(await found.body.toArray())
    if (bytes === null) {
      assert.equal(found, null, `read of the ${part} must resolve to null: there are none`)
      continue
    }
    assert.ok(
      length?.equals(bytes),
      `read must give exactly the ${bytes.byteLength} bytes of the ${part} of version ${version.version}`
    )
    assert.deepEqual(found?.version, version, 'read must resolve to the version that list contains')
  }
  assert.equal(version.size, content.byteLength, 'size must be the number of bytes of the content')
  assert.equal(
    version.changesSize,
    changes?.byteLength ?? null,
    'changesSize must be the number of bytes of the changes, or null'
  )
}

function isEqual (a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}

/**
 * Runs only for storages with `versions`, with a stored file that has `OLD_BYTES`, and with the versions of another
 * instance.
 */
function versionsCase (
  name: string,
  run: (
    versions: VersionStore,
    info: FileInfo,
    subject: StorageSubject & { readonly other: VersionStore }
  ) => Promise<void>
): ConformanceCase {
  return {
    name: `versions: ${name}`,
    async run (subject) {
      const { storage, reopen } = subject
      if (!storage.versions) return
      const instance = reopen?.()
      try {
        await run(storage.versions, await storage.create('docx', OLD_BYTES), {
          ...subject,
          other: instance?.versions ?? storage.versions
        })
      } finally {
        await instance?.close?.()
      }
    }
  }
}

export const versionsCases: readonly ConformanceCase[] = [
  versionsCase(
    'a kept content can be read, by every instance, after the file was replaced and its format changed',
    async (versions, info, { storage, other, list: listNames }) => {
      const { fileId } = info
      assert.deepEqual(await versions.list(fileId), [], 'list must resolve to [] for a file of which nothing was kept')
      const names = await listNames?.()
      const first = await keep(versions, info)
      const { version, revision, extension, modifiedAt, keptAt, details } = first
      assert.deepEqual({ version, revision, extension, modifiedAt, details }, {
        version: 1,
        revision: info.revision,
        extension: 'docx',
        modifiedAt: info.modifiedAt,
        details: null
      }, 'keep must resolve to what the file is, as version 1')
      assert.ok(keptAt instanceof Date && !Number.isNaN(keptAt.getTime()), 'keptAt must be a Date')
      await assertUnchanged(storage, info, OLD_BYTES)
      assert.deepEqual(await listNames?.(), names, 'list of all stored objects must not contain versions')

      const inOdt = await replace(storage, fileId, NEW_BYTES, 'ODT')
      const second = await keep(other, inOdt, { changes: inChunks(OLD_BYTES, NEW_BYTES) })
      assert.deepEqual(
        [second.version, second.extension, second.revision],
        [2, 'odt', inOdt.revision],
        'keep must resolve to the number, extension and revision of the content'
      )
      const third = await keep(versions, await replace(storage, fileId, new Uint8Array(0), 'docx'), {
        changes: new Uint8Array(0)
      })
      await replace(storage, fileId, patternBytes(10))
      for (const instance of [versions, other]) {
        assert.deepEqual(
          await list(instance, fileId),
          [first, second, third],
          'list must contain all versions as keep resolved to them'
        )
        await assertKept(instance, fileId, first, { content: OLD_BYTES })
        await assertKept(instance, fileId, second, {
          content: NEW_BYTES,
          changes: Buffer.concat([OLD_BYTES, NEW_BYTES])
        })
        await assertKept(instance, fileId, third, { content: Buffer.alloc(0), changes: Buffer.alloc(0) })
      }
      const whole = await versions.read(fileId, 1)
      assert.ok(
        whole && Buffer.concat(await whole.body.toArray()).equals(OLD_BYTES),
        'read must give the content unless another part is asked for'
      )
    }
  ),
  versionsCase(
    'details are any JSON value of up to 64 KiB; what is none is refused, and nothing is kept',
    async (versions, info, { storage }) => {
      const { fileId } = info
      const given: unknown[] = []
      let current = info
      for (const [index, details] of DETAILS.entries()) {
        const kept = await keep(versions, current, { details })
        given.push(details)
        assert.deepEqual(kept.details, details, 'keep must resolve to the given details')
        assert.deepEqual(
          (await list(versions, fileId)).map(version => version.details),
          given,
          'list must contain the given details'
        )
        current = await replace(storage, fileId, patternBytes(10 + index))
      }
      const circular: unknown[] = []
      circular.push(circular)
      for (const details of [circular, 1n, () => {}]) {
        await assert.rejects(versions.keep(fileId, current.revision, { details }), {
          code: 'FST_EDITOR_INVALID_OPTION'
        }, 'keep must reject for details that are no JSON')
      }
      const mutable = { list: [1] }
      const last = await keep(versions, current, { details: mutable })
      mutable.list.push(2)
      ;(last.details as typeof mutable).list.push(3)
      assert.deepEqual(
        (await list(versions, fileId)).map(version => version.details),
        [...given, { list: [1] }],
        'changing details that were passed or returned must change nothing'
      )
    }
  ),
  versionsCase(
    'keep of a revision that the file does not have resolves to null and keeps nothing',
    async (versions, info, { storage }) => {
      const { fileId } = info
      const kept = await keep(versions, info, { details: 'kept', changes: OLD_BYTES })
      const current = await replace(storage, fileId, NEW_BYTES)
      for (const revision of [info.revision, '', 'no revision', `${current.revision}x`]) {
        assert.equal(
          await versions.keep(fileId, revision, { details: 'stale', changes: NEW_BYTES }),
          null,
          `keep must resolve to null: ${JSON.stringify(revision)} is not the revision of the file`
        )
      }
      assert.deepEqual(await list(versions, fileId), [kept], 'keep must keep nothing when it resolves to null')
      await assertKept(versions, fileId, kept, { content: OLD_BYTES, changes: OLD_BYTES })
      await assertUnchanged(storage, current, NEW_BYTES)
    }
  ),
  versionsCase(
    'a revision is kept once: kept again, it keeps its number and gets other details and changes',
    async (versions, info, { storage, other }) => {
      const { fileId } = info
      const first = await keep(versions, info, { details: 'first', changes: OLD_BYTES })
      for (
        const options of [
          { details: 'second', changes: inChunks(NEW_BYTES) },
          { details: 'third', changes: patternBytes(3) },
          {},
          { changes: NEW_BYTES }
        ]
      ) {
        const again = await keep(other, info, options)
        assert.deepEqual({ ...again, keptAt: first.keptAt }, {
          ...first,
          details: options.details ?? null,
          changesSize: again.changesSize
        }, 'keep of the newest kept revision must resolve to the same version with other details')
        const changes = options.changes === undefined
          ? null
          : options.changes instanceof Uint8Array
            ? options.changes
            : NEW_BYTES
        await assertKept(versions, fileId, again, { content: OLD_BYTES, changes })
        assert.equal((await list(versions, fileId)).length, 1, 'a revision must be kept once')
      }
      const next = await keep(versions, await replace(storage, fileId, NEW_BYTES))
      assert.equal(next.version, 2, 'the next revision must get the next number')
    }
  ),
  versionsCase(
    'a number is never given again, and of a removed version nothing is left',
    async (versions, info, { storage, other }) => {
      const { fileId } = info
      const contents = [OLD_BYTES]
      await keep(versions, info, { changes: NEW_BYTES })
      for (let version = 2; version <= 5; version++) {
        contents.push(patternBytes(version * 100, version))
        await keep(versions, await replace(storage, fileId, contents.at(-1)!))
      }
      const before = await list(versions, fileId)
      await versions.remove(fileId, ABSENT_NUMBERS)
      await versions.remove(fileId, [])
      assert.deepEqual(await list(other, fileId), before, 'remove must ignore numbers of no version')

      const reading = await versions.read(fileId, 1, 'changes')
      const half = reading!.body.iterator({ destroyOnReturn: false })
      const { value: start } = await half.next()
      await other.remove(fileId, [1, 3, 5, 5, 99])
      assert.deepEqual(
        (await list(versions, fileId)).map(({ version }) => version),
        [2, 4],
        'remove must remove these versions and no others'
      )
      assert.ok(
        Buffer.concat([start, ...await reading!.body.toArray()]).equals(NEW_BYTES),
        'what is being read must stay readable while the version is removed'
      )
      for (const part of ['content', 'changes'] as const) {
        assert.equal(
          await versions.read(fileId, 1, part),
          null,
          'read of a removed version must resolve to null'
        )
      }
      for (const version of [2, 4]) {
        await assertKept(versions, fileId, before[version - 1]!, {
          content: contents[version - 1]!
        })
      }

      const again = await keep(versions, (await storage.stat(fileId))!)
      assert.equal(again.version, 6, 'keep must not give the number of a removed version again')
      await versions.remove(fileId, [2, 4, 6])
      assert.deepEqual(await versions.list(fileId), [], 'list must resolve to [] when all versions were removed')
      assert.equal(
        (await keep(other, (await storage.stat(fileId))!)).version,
        7,
        'keep must not give a number again when all versions were removed'
      )
    }
  ),
  versionsCase(
    'many versions are listed, read and removed like few, with short details and long ones',
    async (versions, info, { storage, other }) => {
      const { fileId } = info
      const kept: StoredVersion[] = []
      const contentOf = (version: number) => version === 1 ? OLD_BYTES : patternBytes(version, version)
      let current = info
      for (let version = 1; version <= MANY; version++) {
        const details = { version, text: 'x'.repeat(version % 3 * 2000) }
        kept.push(
          await keep(version % 2 ? versions : other, current, {
            details,
            ...version % 5 === 0 && { changes: patternBytes(version) }
          })
        )
        for (const newest of [1, 2, version, MANY]) {
          assert.deepEqual(
            (await versions.list(fileId, { newest })).slice(-newest),
            kept.slice(-newest),
            'list must contain at least as many of the newest versions as were asked for'
          )
        }
        current = await replace(storage, fileId, contentOf(version + 1))
      }
      const gone = [1, 2, 15, 16, 17, 40, MANY]
      await versions.remove(fileId, gone.slice(0, 3))
      await other.remove(fileId, gone.slice(3))
      const left = kept.filter(({ version }) => !gone.includes(version))
      for (const instance of [versions, other]) {
        assert.deepEqual(await list(instance, fileId), left, 'list must contain all versions that were not removed')
        for (const version of gone) {
          assert.equal(
            await instance.read(fileId, version),
            null,
            'read of a removed version must resolve to null'
          )
        }
      }
      for (const version of left) {
        await assertKept(versions, fileId, version, {
          content: contentOf(version.version),
          changes: version.version % 5 === 0 ? patternBytes(version.version) : null
        })
      }
      const next = await keep(other, current)
      assert.equal(next.version, MANY + 1, 'keep must not give a number again')
      assert.deepEqual(
        await list(versions, fileId),
        [...left, next],
        'list must contain the version that was kept last'
      )
    }
  ),
  versionsCase(
    'prune removes what exceeds the limits: what is too old, then what is within sessions, then the oldest',
    async (versions, info, { storage, other }) => {
      if (!versions.prune || !other.prune) return
      const { fileId } = info
      const sessionOf = (version: number) => version < 10 ? undefined : `session ${Math.floor(version / 10)}`
      const isWithin = (version: number) => sessionOf(version) !== undefined && version % 10 < 8
      const all: number[] = []
      let current = info
      const keepAndPrune = async (limits: VersionLimits) => {
        const version = all.length + 1
        const session = sessionOf(version)
        all.push((await keep(versions, current, { details: version, ...session !== undefined && { session } })).version)
        await (version % 2 ? versions : other).prune!(fileId, limits)
        current = await replace(storage, fileId, patternBytes(100 + version))
        return (await list(other, fileId)).map(({ version }) => version)
      }
      const everything = { keep: Infinity, maxBytes: Infinity, keptSince: new Date(0) }
      for (let round = 0; round < 12; round++) {
        assert.deepEqual(
          await keepAndPrune(everything),
          all,
          'prune must remove nothing within the limits'
        )
      }
      for (let round = 0; round < MANY; round++) {
        const left = await keepAndPrune({ ...everything, keep: FEW })
        assert.ok(left.length >= Math.min(FEW, all.length), 'prune must not remove more than what exceeds the limits')
        assert.ok(
          left.length <= FEW + PRUNED_AT_ONCE,
          `prune must not leave more than ${PRUNED_AT_ONCE} versions too many`
        )
        const gone = all.filter(version => !left.includes(version))
        const [oldest] = left.filter(version => !isWithin(version))
        for (const version of gone) {
          assert.ok(
            isWithin(version) || version < oldest!,
            'of versions that are not within a session, the oldest must go first'
          )
        }
      }
      const { size } = current
      for (let round = 0; round < 2 * PRUNED_AT_ONCE; round++) await keepAndPrune({ ...everything, maxBytes: 3 * size })
      const [oldest] = await versions.list(fileId)
      assert.ok(oldest!.version > all.length - 4 - PRUNED_AT_ONCE, 'prune must remove what exceeds maxBytes')
      for (let round = 0; round < 2 * PRUNED_AT_ONCE; round++) {
        assert.equal(
          (await keepAndPrune({ ...everything, keptSince: new Date(Date.now() + 60_000) })).at(-1),
          all.at(-1),
          'the newest version must stay'
        )
      }
      assert.ok((await versions.list(fileId)).length <= PRUNED_AT_ONCE + 1, 'prune must remove what is too old')
      await versions.remove(fileId, all)
      assert.deepEqual(await list(other, fileId), [], 'list must resolve to [] when all versions were removed')
      for (const absent of [...MALFORMED_IDS, `${fileId}x`]) await versions.prune(absent, { ...everything, keep: 1 })
    }
  ),
  versionsCase(
    'prune removes versions with a lower priority first, of the same one the oldest',
    async (versions, info, { storage, other }) => {
      if (!versions.prune || !other.prune) return
      const { fileId } = info
      const priorityOf = (version: number) => version * 7 % 5
      const limits = { keep: FEW, maxBytes: Infinity, keptSince: new Date(0) }
      let current = info
      let before: readonly number[] = []
      for (let version = 1; version <= MANY; version++) {
        await keep(version % 3 ? versions : other, current, { priority: priorityOf(version) })
        await (version % 2 ? versions : other).prune!(fileId, limits)
        current = await replace(storage, fileId, patternBytes(100 + version))
        const left = (await list(other, fileId)).map(({ version }) => version)
        for (const gone of before.filter(version => !left.includes(version))) {
          for (const stays of left.slice(0, -1)) {
            const isBefore = priorityOf(stays) < priorityOf(gone) ||
              (priorityOf(stays) === priorityOf(gone) && stays < gone)
            assert.ok(
              !isBefore,
              `prune must remove version ${stays} with priority ${
                priorityOf(stays)
              } before version ${gone} with priority ${priorityOf(gone)}`
            )
          }
        }
        before = left
      }
      assert.ok(
        before.length <= FEW + PRUNED_AT_ONCE,
        `prune must not leave more than ${PRUNED_AT_ONCE} versions too many`
      )
    }
  ),
  versionsCase('a malformed fileId, one of no file, and a malformed number are absent', async (versions, info) => {
    await keep(versions, info)
    const { fileId, revision } = info
    for (const absent of [...MALFORMED_IDS, `${fileId}x`, fileId.slice(0, -1), `../${fileId}`]) {
      const label = JSON.stringify(absent)
      assert.deepEqual(await versions.list(absent), [], `list of ${label} must resolve to []`)
      assert.equal(await versions.keep(absent, revision), null, `keep of ${label} must resolve to null`)
      assert.equal(await versions.read(absent, 1), null, `read of ${label} must resolve to null`)
      await versions.remove(absent, [1])
    }
    for (const number of ABSENT_NUMBERS) {
      assert.equal(await versions.read(fileId, number), null, `read of version ${String(number)} must resolve to null`)
    }
    assert.equal(
      await versions.read(fileId, 1, 'changes'),
      null,
      'read must resolve to null: the version has no changes'
    )
    assert.equal((await list(versions, fileId)).length, 1, 'calls with an absent fileId must change nothing')
  }),
  versionsCase('when changes fail, keep rejects with their error and keeps nothing', async (versions, info) => {
    const error = new Error('the changes failed')
    await assert.rejects(
      versions.keep(info.fileId, info.revision, { changes: failingAfter(error, OLD_BYTES) }),
      error,
      'keep must reject with the error of the changes'
    )
    assert.deepEqual(
      await versions.list(info.fileId),
      [],
      'keep must keep nothing when it rejects before everything is stored'
    )
    const kept = await keep(versions, info, { changes: NEW_BYTES })
    assert.equal(kept.version, 1, 'a failed keep must not use up a number')
    await assert.rejects(
      versions.keep(info.fileId, info.revision, { details: 'new', changes: failingAfter(error, OLD_BYTES) }),
      error
    )
    await assertKept(versions, info.fileId, kept, { content: OLD_BYTES, changes: NEW_BYTES })
  }),
  versionsCase(
    'of concurrent keeps of one revision, one version is kept, with what one of them passed',
    async (versions, info, { storage, other }) => {
      const { fileId } = info
      let current = info
      for (let round = 1; round <= 2; round++) {
        const kept = await Promise.all(Array.from({ length: CONCURRENT_KEEPS }, async (_, index) =>
          await keep(index % 2 ? other : versions, current, {
            details: index,
            changes: patternBytes(100 + index, index)
          })))
        assert.deepEqual(
          new Set(kept.map(({ version }) => version)),
          new Set([round]),
          'all keeps of one revision must resolve to the same version'
        )
        const listed = await list(versions, fileId)
        assert.equal(listed.length, round, 'a revision must be kept once')
        const winner = listed.at(-1)!
        await assertKept(other, fileId, winner, {
          content: round === 1 ? OLD_BYTES : NEW_BYTES,
          changes: patternBytes(100 + (winner.details as number), winner.details as number)
        })
        current = await replace(storage, fileId, NEW_BYTES)
      }
    }
  ),
  versionsCase(
    'keeping while the file is replaced keeps whole contents with their revisions, each under a number of its own',
    async (versions, info, { storage, other }) => {
      const { fileId } = info
      const contents = new Map([[info.revision, OLD_BYTES]])
      const replaced = new AbortController()
      const replacing = (async () => {
        for (let round = 0; round < 12; round++) {
          const bytes = patternBytes(20_000 + round, round)
          contents.set((await replace(storage, fileId, bytes, round % 3 === 0 ? 'odt' : 'docx')).revision, bytes)
        }
      })().finally(() => replaced.abort())
      const results: StoredVersion[] = []
      const keeping = [versions, other].map(async instance => {
        while (!replaced.signal.aborted) {
          const present = await storage.stat(fileId)
          const kept = await instance.keep(fileId, present!.revision)
          if (kept) results.push(kept)
        }
      })
      await Promise.all([replacing, ...keeping])
      results.push(await keep(versions, (await storage.stat(fileId))!))
      const listed = await list(versions, fileId)
      assert.deepEqual(
        listed.map(({ version }) => version),
        Array.from(listed, (_, index) => index + 1),
        'numbers must ascend by one'
      )
      assert.deepEqual(
        new Map(results.map(({ revision, version }) => [revision, version])),
        new Map(listed.map(({ revision, version }) => [revision, version])),
        'list must contain exactly the versions that keep resolved to'
      )
      for (const version of listed) {
        await assertKept(versions, fileId, version, { content: contents.get(version.revision)! })
      }
    }
  ),
  versionsCase(
    'the versions of a file are removed together with it, also while one is being kept',
    async (versions, info, { storage, other }) => {
      if (!storage.remove) return
      const another = await storage.create('docx', NEW_BYTES)
      await keep(versions, another)
      for (let round = 0; round < 6; round++) {
        const { fileId, revision } = round === 0 ? info : await storage.create('docx', OLD_BYTES)
        if (round % 2 === 0) await keep(versions, { ...info, fileId, revision }, { changes: NEW_BYTES })
        const keeping = [versions, other].map(async instance =>
          await instance.keep(fileId, revision, { changes: inChunks(NEW_BYTES) })
        )
        assert.equal(await storage.remove(fileId), true, 'remove must resolve to true')
        await Promise.all(keeping)
        for (const instance of [versions, other]) {
          assert.deepEqual(await instance.list(fileId), [], 'list must resolve to [] when the file was removed')
          for (const part of ['content', 'changes'] as const) {
            assert.equal(
              await instance.read(fileId, 1, part),
              null,
              'read must resolve to null when the file was removed'
            )
          }
          assert.equal(
            await instance.keep(fileId, revision),
            null,
            'keep must resolve to null when the file was removed'
          )
        }
      }
      assert.equal((await list(versions, another.fileId)).length, 1, 'the versions of other files must stay')
    }
  )
]
