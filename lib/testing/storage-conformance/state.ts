import assert from 'node:assert/strict'
import type {
  Content,
  FileInfo,
  ListedStateRecord,
  ReplaceOptions,
  StateStore,
  Storage
} from '../../../types/storage.js'
import {
  assertStored,
  assertUnchanged,
  type ConformanceCase,
  FORMAT_OPTIONS,
  inChunks,
  MALFORMED_IDS,
  NEW_BYTES,
  OLD_BYTES,
  patternBytes,
  type StorageSubject
} from './case.js'

const VALUES: readonly unknown[] = [
  {},
  [],
  null,
  'text',
  0,
  false,
  {
    text: 'é 😀 שלום \u2028 \0 "quoted" \\',
    list: [1, -0.5, 1e21, null, [[]]],
    nested: { deeper: { deepest: [{ a: 1 }] } },
    '': 'no name'
  },
  { long: 'ü'.repeat(50_000) }
]

async function assertRecord (state: StateStore, fileId: string, value: unknown, version: string | null): Promise<void> {
  assert.deepEqual(
    await state.get(fileId),
    { value, version },
    'get must resolve to the value and version of the latest successful set'
  )
}

async function assertNoRecord (state: StateStore, fileId: string): Promise<void> {
  assert.equal(await state.get(fileId), null, `get of ${JSON.stringify(fileId)} must resolve to null: it has no record`)
}

async function assertNotSet (
  state: StateStore,
  fileId: string,
  value: unknown,
  version: string | null,
  options = {}
): Promise<void> {
  assert.equal(
    await state.set(fileId, value, version, options),
    null,
    `set must resolve to null: ${JSON.stringify(version)} is not the version of the record`
  )
}

/** Creates a record. Resolves to its version. */
async function createRecord (state: StateStore, fileId: string, value: unknown): Promise<string> {
  const version = await state.set(fileId, value, null)
  assert.equal(typeof version, 'string', 'set with version null must create the record and resolve to its version')
  return version!
}

/** The records of these files in `list`, which may contain others. */
async function listed (state: StateStore, ...fileIds: string[]): Promise<ListedStateRecord[]> {
  const found: ListedStateRecord[] = []
  for await (const record of state.list!()) if (fileIds.includes(record.fileId)) found.push(record)
  return found
}

/** Runs only for storages with `state`, with the fileId of a stored file. */
function stateCase (
  name: string,
  run: (state: StateStore, fileId: string, subject: StorageSubject) => Promise<void>
): ConformanceCase {
  return {
    name: `state: ${name}`,
    async run (subject) {
      const { state } = subject.storage
      if (!state) return
      const { fileId } = await subject.storage.create('docx', patternBytes(100))
      await run(state, fileId, subject)
    }
  }
}

export const stateCases: readonly ConformanceCase[] = [
  stateCase('get resolves to null for a record that was never set', async (state, fileId) => {
    await assertNoRecord(state, fileId)
    await assertNoRecord(state, `${fileId}x`)
    await createRecord(state, fileId, 'a value')
    await assertNoRecord(state, `${fileId}x`)
    await assertNoRecord(state, fileId.slice(0, -1))
  }),
  stateCase('set stores a value only if the record still has the given version', async (state, fileId) => {
    const first = await createRecord(state, fileId, 1)
    await assertRecord(state, fileId, 1, first)
    await assertNotSet(state, fileId, 2, null)
    const second = await state.set(fileId, 3, first)
    assert.notEqual(second, null, 'set with the version of the record must resolve to a new version')
    for (const stale of [first, null, '', `${second}0`, 'no version']) await assertNotSet(state, fileId, 4, stale)
    await assertRecord(state, fileId, 3, second)
    await assertNotSet(state, `${fileId}x`, 5, second)
    await assertNoRecord(state, `${fileId}x`)
  }),
  stateCase('of concurrent sets with the same version, exactly one succeeds', async (state, fileId, { reopen }) => {
    const other = reopen?.()
    let version: string | null = null
    for (let round = 0; round < 3; round++) {
      const current: string | null = version
      const versions: ReadonlyArray<string | null> = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? other?.state ?? state : state).set(fileId, { round, index }, current))
      )
      const winners = versions.flatMap((won, index) => won === null ? [] : [index])
      assert.equal(
        winners.length,
        1,
        `one set must resolve to a version and all others to null; ${winners.length} resolved to a version`
      )
      version = versions[winners[0]!]!
      await assertRecord(state, fileId, { round, index: winners[0] }, version)
    }
    await other?.close?.()
  }),
  stateCase('versions are never reused', async (state, fileId) => {
    const versions = [await createRecord(state, fileId, 'the same')]
    for (let round = 1; round < 30; round++) {
      const next = await state.set(fileId, round % 3 ? 'the same' : 'another', versions.at(-1)!)
      assert.notEqual(next, null, 'set with the version of the record must resolve to a new version')
      versions.push(next!)
    }
    assert.equal(new Set(versions).size, 30, '30 sets must give 30 different versions, also for equal values')
    for (const old of versions.slice(0, -1)) await assertNotSet(state, fileId, 'late', old)
    await assertRecord(state, fileId, 'the same', versions.at(-1)!)
  }),
  stateCase(
    'with durable: false, values are compared, set and read like durable ones',
    async (state, fileId, { storage, reopen }) => {
      const other: Storage = reopen?.() ?? storage
      const versions: string[] = []
      let version: string | null = null
      for (let round = 0; round < 40; round++) {
        const durable = round % 20 === 10
        await assertNotSet(state, fileId, 'stale', versions.at(-2) ?? 'none', { durable: false })
        version = await (round % 2 ? other.state! : state).set(fileId, { round }, version, { durable })
        assert.equal(typeof version, 'string', 'set with the version of the record must resolve to a new version')
        for (const instance of [storage, other]) await assertRecord(instance.state!, fileId, { round }, version)
        versions.push(version!)
      }
      assert.equal(new Set(versions).size, versions.length, 'versions must never be reused')
      const outcomes: ReadonlyArray<string | null> = await Promise.all(
        Array.from({ length: 20 }, (_, index) => state.set(fileId, { index }, version, { durable: index % 2 === 0 }))
      )
      assert.equal(
        outcomes.filter(won => won !== null).length,
        1,
        'of concurrent sets with the same version, exactly one must succeed'
      )
      if (reopen) await other.close?.()
    }
  ),
  stateCase('get returns any JSON value as it was set', async (state, fileId) => {
    let version: string | null = null
    for (const value of VALUES) {
      version = await state.set(fileId, value, version)
      await assertRecord(state, fileId, value, version)
    }
  }),
  stateCase('changing a value after it was set or read does not change the record', async (state, fileId) => {
    const given = { list: [1] }
    const version = await createRecord(state, fileId, given)
    given.list.push(2)
    const read = (await state.get(fileId))?.value as typeof given
    read.list.push(3)
    await assertRecord(state, fileId, { list: [1] }, version)
  }),
  stateCase('a malformed fileId has no record and is not an error', async (state, fileId, { list }) => {
    const version = await createRecord(state, fileId, 'a value')
    const before = await list?.()
    for (const malformed of MALFORMED_IDS) {
      await assertNoRecord(state, malformed)
      await state.set(malformed, 'another value', null)
      await state.set(malformed, 'another value', version)
    }
    await assertRecord(state, fileId, 'a value', version)
    assert.deepEqual(await list?.(), before, 'set must add and remove no names')
  }),
  stateCase('a second instance sees a value at once and can replace it', async (state, fileId, { storage, reopen }) => {
    const other: Storage = reopen?.() ?? storage
    const first = await createRecord(state, fileId, 'one')
    assert.deepEqual(
      await other.state?.get(fileId),
      { value: 'one', version: first },
      'the second instance must see the value set by the first'
    )
    const second = await other.state!.set(fileId, 'two', first)
    await assertRecord(state, fileId, 'two', second)
    await assertNotSet(state, fileId, 'three', first)
    if (reopen) await other.close?.()
  }),
  stateCase('removing a file removes its record', async (state, fileId, { storage }) => {
    if (!storage.remove) return
    await createRecord(state, fileId, 'short-lived')
    assert.equal(await storage.remove(fileId), true, 'remove of a stored file must resolve to true')
    await assertNoRecord(state, fileId)
  }),
  stateCase('list contains every record once, as get resolves to it', async (state, fileId, { storage }) => {
    if (!state.list) return
    const { fileId: other } = await storage.create('docx', patternBytes(10))
    assert.deepEqual(await listed(state, fileId, other), [], 'list must not contain a file without a record')
    let version = await createRecord(state, fileId, 'one')
    for (let round = 0; round < 5; round++) {
      version = (await state.set(fileId, round, version, { durable: round % 2 === 0 }))!
    }
    const record = { fileId, value: 4, version }
    assert.deepEqual(await listed(state, fileId, other), [record], 'list must contain a record once, as get does')
    const another = { fileId: other, value: 'another', version: await createRecord(state, other, 'another') }
    assert.deepEqual(await listed(state, other), [another], 'list must contain all records')
    if (!storage.remove) return
    await storage.remove(other)
    assert.deepEqual(await listed(state, fileId, other), [record], 'list must not contain a record that was removed')
  }),
  stateCase(
    'a record is not listed as a document and does not change its document',
    async (state, fileId, { storage, list }) => {
      const info = await storage.stat(fileId)
      const before = await list?.()
      let version: string | null = null
      for (let round = 0; round < 10; round++) version = await state.set(fileId, round, version)
      assert.deepEqual(await list?.(), before, 'list must not contain records')
      await assertUnchanged(storage, info!, patternBytes(100))
      await storage.replace(fileId, patternBytes(50))
      await assertStored(storage, fileId, patternBytes(50))
      await assertRecord(state, fileId, 9, version)
    }
  )
]

type Revoke = NonNullable<Storage['revoke']>

/** Runs only for storages with `revoke`. Calls it on a second instance. */
function revokingCase (name: string, run: (revoke: Revoke, subject: StorageSubject) => Promise<void>): ConformanceCase {
  return {
    name: `revoke: ${name}`,
    async run (subject) {
      const { storage, reopen } = subject
      if (!storage.revoke) return
      const other = reopen?.() ?? storage
      await run(async (fileId, ticket) => {
        await other.revoke!(fileId, ticket)
      }, subject)
      if (reopen) await other.close?.()
    }
  }
}

interface Replacement {
  readonly outcome: FileInfo | null | Error
  /** `undefined` if the storage does not call `beforePublish`. Then there is nothing to test. */
  readonly ticket: string | undefined
}

/** Replaces a file and calls `onTicket` during `beforePublish`. */
async function replaceWithTicket (
  storage: Storage,
  fileId: string,
  content: Content,
  options: ReplaceOptions,
  onTicket: (ticket: string) => Promise<void> = async () => {}
): Promise<Replacement> {
  let ticket: string | undefined
  let isCalled = false
  const outcome: FileInfo | null | Error = await storage.replace(fileId, content, {
    ...options,
    async beforePublish (_info, given) {
      isCalled = true
      ticket = given
      if (given !== undefined) await onTicket(given)
    }
  }).catch((error: Error) => error)
  assert.equal(
    typeof ticket,
    isCalled ? 'string' : 'undefined',
    'a storage with revoke must pass a ticket to beforePublish'
  )
  return { outcome, ticket }
}

export const revokingCases: readonly ConformanceCase[] = [
  revokingCase(
    'a replace whose ticket is revoked during beforePublish rejects and publishes nothing',
    async (revoke, { storage, list }) => {
      for (const options of FORMAT_OPTIONS) {
        for (const isStaged of [false, true]) {
          const old = await storage.create('docx', OLD_BYTES)
          const names = await list?.()
          const staged = isStaged ? await storage.stage?.(old.fileId, inChunks(NEW_BYTES)) : undefined
          const { outcome, ticket } = await replaceWithTicket(storage, old.fileId, staged ?? NEW_BYTES, {
            ...options,
            ifRevision: old.revision
          }, async ticket => await revoke(old.fileId, ticket))
          if (ticket === undefined) continue
          assert.ok(outcome instanceof Error, 'replace must reject: its ticket has been revoked')
          await assertUnchanged(storage, old, OLD_BYTES)
          await staged?.discard()
          assert.deepEqual(await list?.(), names, 'nothing must be left behind')
          const replaced = await storage.replace(old.fileId, NEW_BYTES, options)
          assert.ok(replaced, 'a later replace must succeed')
          await assertUnchanged(storage, replaced, NEW_BYTES)
        }
      }
    }
  ),
  revokingCase(
    'revoking the ticket of published content, even repeatedly, changes nothing',
    async (revoke, { storage, list }) => {
      for (const options of FORMAT_OPTIONS) {
        const { fileId } = await storage.create('docx', OLD_BYTES)
        const { outcome, ticket } = await replaceWithTicket(storage, fileId, NEW_BYTES, options)
        if (ticket === undefined) continue
        const names = await list?.()
        for (let round = 0; round < 2; round++) {
          await revoke(fileId, ticket)
          await assertUnchanged(storage, outcome as FileInfo, NEW_BYTES)
        }
        assert.deepEqual(await list?.(), names, 'revoke must add and remove nothing')
        const back = await storage.replace(fileId, OLD_BYTES, { extension: 'docx' })
        await revoke(fileId, ticket)
        await assertUnchanged(storage, back!, OLD_BYTES)
      }
    }
  ),
  revokingCase('a ticket does not affect later replaces', async (revoke, { storage }) => {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    const first = await replaceWithTicket(storage, fileId, NEW_BYTES, {})
    const last = await replaceWithTicket(storage, fileId, patternBytes(10), {}, async () => {
      if (first.ticket !== undefined) await revoke(fileId, first.ticket)
    })
    await assertUnchanged(storage, last.outcome as FileInfo, patternBytes(10))
  }),
  // An instance that takes over a lock revokes whatever ticket the record contains.
  revokingCase(
    'an unknown or malformed ticket is not an error and changes nothing',
    async (revoke, { storage, list }) => {
      const old = await storage.create('docx', OLD_BYTES)
      const names = await list?.()
      const tickets = [
        '',
        'no ticket',
        '{',
        '{}',
        '[]',
        'null',
        '1',
        '"../x"',
        '{"temp":"../x"}',
        '{"temp":null}',
        `${old.fileId}.docx`,
        JSON.stringify({ temp: `${old.fileId}.docx` })
      ]
      for (const ticket of tickets) {
        for (const fileId of [old.fileId, `${old.fileId}x`, ...MALFORMED_IDS.slice(0, 4)]) await revoke(fileId, ticket)
      }
      await assertUnchanged(storage, old, OLD_BYTES)
      assert.deepEqual(await list?.(), names, 'revoke must add and remove nothing')
    }
  )
]
