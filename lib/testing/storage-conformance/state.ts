import assert from 'node:assert/strict'
import type {
  Content, FileInfo, ListedStateRecord, ReplaceOptions, StateStore, Storage
} from '../../../types/storage.js'
import {
  assertStored, assertUnchanged, FORMAT_OPTIONS, inChunks, MALFORMED_IDS, NEW_BYTES, OLD_BYTES, onlyWinner,
  optionalCases, patternBytes, replace, replaceObserved, type Scene
} from './case.js'

/** A stored file without a record. */
interface StateScene extends Scene {
  readonly state: StateStore
  /** That of the other instance. */
  readonly otherState: StateStore
  readonly fileId: string
}

const VALUES: readonly unknown[] = [
  {}, [], null, 'text', 0, false,
  {
    text: 'é 😀 שלום \u2028 \0 "quoted" \\',
    list: [1, -0.5, 1e21, null, [[]]],
    nested: { deeper: { deepest: [{ a: 1 }] } },
    '': 'no name'
  },
  { long: 'ü'.repeat(50_000) }
]

async function assertRecord (state: StateStore, fileId: string, value: unknown, version: string | null): Promise<void> {
  const message = 'get must resolve to the value and version of the latest successful set'
  assert.deepEqual(await state.get(fileId), { value, version }, message)
}

async function assertNoRecord (state: StateStore, fileId: string): Promise<void> {
  assert.equal(await state.get(fileId), null, `get of ${JSON.stringify(fileId)} must resolve to null: it has no record`)
}

async function assertNotSet (
  state: StateStore, fileId: string, value: unknown, version: string | null, options = {}
): Promise<void> {
  const message = `set must resolve to null: ${JSON.stringify(version)} is not the version of the record`
  assert.equal(await state.set(fileId, value, version, options), null, message)
}

/** Creates a record, or changes the one that has this version. Resolves to the new version. */
async function set (state: StateStore, fileId: string, value: unknown, version: string | null = null): Promise<string> {
  const next = await state.set(fileId, value, version)
  const message = 'set must resolve to a new version: that of the record was given, or null where there is none'
  assert.equal(typeof next, 'string', message)
  return next!
}

/** The records of these files in `list`, which may contain others. */
async function listed (state: StateStore, ...fileIds: string[]): Promise<ListedStateRecord[]> {
  const found: ListedStateRecord[] = []
  for await (const record of state.list!()) if (fileIds.includes(record.fileId)) found.push(record)
  return found
}

async function withState (scene: Scene): Promise<StateScene | undefined> {
  const { storage: { state }, other } = scene
  if (!state) return undefined
  const { fileId } = await scene.storage.create('docx', patternBytes(100))
  return { ...scene, state, otherState: other.state!, fileId }
}

export const stateCases = optionalCases('state', withState, {
  async 'get resolves to null for a record that was never set' ({ state, fileId }) {
    await assertNoRecord(state, fileId)
    await assertNoRecord(state, `${fileId}x`)
    await set(state, fileId, 'a value')
    await assertNoRecord(state, `${fileId}x`)
    await assertNoRecord(state, fileId.slice(0, -1))
  },
  async 'set stores a value only if the record still has the given version' ({ state, fileId }) {
    const first = await set(state, fileId, 1)
    await assertRecord(state, fileId, 1, first)
    await assertNotSet(state, fileId, 2, null)
    const second = await set(state, fileId, 3, first)
    for (const stale of [first, null, '', `${second}0`, 'no version']) await assertNotSet(state, fileId, 4, stale)
    await assertRecord(state, fileId, 3, second)
    await assertNotSet(state, `${fileId}x`, 5, second)
    await assertNoRecord(state, `${fileId}x`)
  },
  async 'of concurrent sets with the same version, exactly one succeeds' ({ state, otherState, fileId }) {
    let version: string | null = null
    for (let round = 0; round < 3; round++) {
      const current: string | null = version
      const versions: ReadonlyArray<string | null> = await Promise.all(Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? otherState : state).set(fileId, { round, index }, current)
      ))
      const index = onlyWinner('set', versions)
      version = versions[index]!
      await assertRecord(state, fileId, { round, index }, version)
    }
  },
  async 'versions are never reused' ({ state, fileId }) {
    const versions = [await set(state, fileId, 'the same')]
    for (let round = 1; round < 30; round++) {
      versions.push(await set(state, fileId, round % 3 ? 'the same' : 'another', versions.at(-1)!))
    }
    assert.equal(new Set(versions).size, 30, '30 sets must give 30 different versions, also for equal values')
    for (const old of versions.slice(0, -1)) await assertNotSet(state, fileId, 'late', old)
    await assertRecord(state, fileId, 'the same', versions.at(-1)!)
  },
  async 'with durable: false, values are compared, set and read like durable ones' ({ state, otherState, fileId }) {
    const versions: string[] = []
    let version: string | null = null
    for (let round = 0; round < 40; round++) {
      const durable = round % 20 === 10
      await assertNotSet(state, fileId, 'stale', versions.at(-2) ?? 'none', { durable: false })
      version = await (round % 2 ? otherState : state).set(fileId, { round }, version, { durable })
      assert.equal(typeof version, 'string', 'set with the version of the record must resolve to a new version')
      for (const instance of [state, otherState]) await assertRecord(instance, fileId, { round }, version)
      versions.push(version!)
    }
    assert.equal(new Set(versions).size, versions.length, 'versions must never be reused')
    onlyWinner('set', await Promise.all(Array.from({ length: 20 }, (_, index) =>
      state.set(fileId, { index }, version, { durable: index % 2 === 0 })
    )))
  },
  async 'get returns any JSON value as it was set' ({ state, fileId }) {
    let version: string | null = null
    for (const value of VALUES) {
      version = await state.set(fileId, value, version)
      await assertRecord(state, fileId, value, version)
    }
  },
  async 'changing a value after it was set or read does not change the record' ({ state, fileId }) {
    const given = { list: [1] }
    const version = await set(state, fileId, given)
    given.list.push(2)
    const read = (await state.get(fileId))?.value as typeof given
    read.list.push(3)
    await assertRecord(state, fileId, { list: [1] }, version)
  },
  async 'a malformed fileId has no record and is not an error' ({ state, fileId, list }) {
    const version = await set(state, fileId, 'a value')
    const before = await list?.()
    for (const malformed of MALFORMED_IDS) {
      await assertNoRecord(state, malformed)
      await state.set(malformed, 'another value', null)
      await state.set(malformed, 'another value', version)
    }
    await assertRecord(state, fileId, 'a value', version)
    assert.deepEqual(await list?.(), before, 'set must add and remove no names')
  },
  async 'a second instance sees a value at once and can replace it' ({ state, otherState, fileId }) {
    const first = await set(state, fileId, 'one')
    await assertRecord(otherState, fileId, 'one', first)
    const second = await otherState.set(fileId, 'two', first)
    await assertRecord(state, fileId, 'two', second)
    await assertNotSet(state, fileId, 'three', first)
  },
  async 'removing a file removes its record' ({ state, fileId, storage }) {
    if (!storage.remove) return
    await set(state, fileId, 'short-lived')
    assert.equal(await storage.remove(fileId), true, 'remove of a stored file must resolve to true')
    await assertNoRecord(state, fileId)
  },
  async 'list contains every record once, as get resolves to it' ({ state, fileId, storage }) {
    if (!state.list) return
    const { fileId: other } = await storage.create('docx', patternBytes(10))
    assert.deepEqual(await listed(state, fileId, other), [], 'list must not contain a file without a record')
    let version = await set(state, fileId, 'one')
    for (let round = 0; round < 5; round++) {
      version = (await state.set(fileId, round, version, { durable: round % 2 === 0 }))!
    }
    const record = { fileId, value: 4, version }
    assert.deepEqual(await listed(state, fileId, other), [record], 'list must contain a record once, as get does')
    const another = { fileId: other, value: 'another', version: await set(state, other, 'another') }
    assert.deepEqual(await listed(state, other), [another], 'list must contain all records')
    if (!storage.remove) return
    await storage.remove(other)
    assert.deepEqual(await listed(state, fileId, other), [record], 'list must not contain a record that was removed')
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
    await assertRecord(state, fileId, 9, version)
  }
})

interface RevokingScene extends Scene {
  /** That of the other instance. */
  readonly revoke: NonNullable<Storage['revoke']>
}

/** Replaces a file. `ticket` is `undefined` if `beforePublish` is not called: then there is nothing to test. */
async function replaceWithTicket (
  storage: Storage, fileId: string, content: Content, options: ReplaceOptions,
  onTicket: (ticket: string) => Promise<void> = async () => {}
): Promise<{ readonly outcome: FileInfo | null | Error, readonly ticket: string | undefined }> {
  const { calls, outcome } = await replaceObserved(storage, fileId, content, options, async ticket => {
    if (ticket !== undefined) await onTicket(ticket)
  })
  const [, ticket] = calls.at(-1) ?? []
  const expected = calls.length > 0 ? 'string' : 'undefined'
  assert.equal(typeof ticket, expected, 'a storage with revoke must pass a ticket to beforePublish')
  return { outcome, ticket }
}

async function withRevoke (scene: Scene): Promise<RevokingScene | undefined> {
  if (!scene.storage.revoke) return undefined
  return { ...scene, revoke: async (fileId, ticket) => await scene.other.revoke!(fileId, ticket) }
}

export const revokingCases = optionalCases('revoke', withRevoke, {
  async 'a replace whose ticket is revoked during beforePublish rejects and publishes nothing' (
    { revoke, storage, list }
  ) {
    for (const format of FORMAT_OPTIONS) {
      for (const isStaged of [false, true]) {
        const old = await storage.create('docx', OLD_BYTES)
        const { fileId, revision } = old
        const names = await list?.()
        const staged = isStaged ? await storage.stage?.(fileId, inChunks(NEW_BYTES)) : undefined
        const options = { ...format, ifRevision: revision }
        const { outcome, ticket } = await replaceWithTicket(storage, fileId, staged ?? NEW_BYTES, options,
          async ticket => await revoke(fileId, ticket))
        if (ticket === undefined) continue
        assert.ok(outcome instanceof Error, 'replace must reject: its ticket has been revoked')
        await assertUnchanged(storage, old, OLD_BYTES)
        await staged?.discard()
        assert.deepEqual(await list?.(), names, 'nothing must be left behind')
        await assertUnchanged(storage, await replace(storage, fileId, NEW_BYTES, format), NEW_BYTES)
      }
    }
  },
  async 'revoking the ticket of published content, even repeatedly, changes nothing' ({ revoke, storage, list }) {
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
  },
  async 'a ticket does not affect later replaces' ({ revoke, storage }) {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    const first = await replaceWithTicket(storage, fileId, NEW_BYTES, {})
    const last = await replaceWithTicket(storage, fileId, patternBytes(10), {}, async () => {
      if (first.ticket !== undefined) await revoke(fileId, first.ticket)
    })
    await assertUnchanged(storage, last.outcome as FileInfo, patternBytes(10))
  },
  // An instance that takes over a lock revokes whatever ticket the record contains.
  async 'an unknown or malformed ticket is not an error and changes nothing' ({ revoke, storage, list }) {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    const tickets = [
      '', 'no ticket', '{', '{}', '[]', 'null', '1', '"../x"', '{"temp":"../x"}', '{"temp":null}',
      `${old.fileId}.docx`, JSON.stringify({ temp: `${old.fileId}.docx` })
    ]
    for (const ticket of tickets) {
      for (const fileId of [old.fileId, `${old.fileId}x`, ...MALFORMED_IDS.slice(0, 4)]) await revoke(fileId, ticket)
    }
    await assertUnchanged(storage, old, OLD_BYTES)
    assert.deepEqual(await list?.(), names, 'revoke must add and remove nothing')
  }
})
