import assert from 'node:assert/strict'
import type { StateStore, Storage } from '../../../types/storage.js'
import { assertStored, type ConformanceCase, type ConformanceSubject, malformed, pattern } from './case.js'

const values: readonly unknown[] = [
  {}, [], null, 'text', 0, false,
  { text: 'é 😀 שלום \u2028 \0 "quoted" \\', list: [1, -0.5, 1e21, null, [[]]], nested: { deeper: { deepest: [{ a: 1 }] } }, '': 'no name' },
  { long: 'ü'.repeat(50_000) }
]

async function valueOf (state: StateStore, fileId: string): Promise<unknown> {
  return (await state.get(fileId))?.value
}

/** The version after a value was set for the first time. */
async function created (state: StateStore, fileId: string, value: unknown): Promise<string> {
  const version = await state.set(fileId, value, null)
  assert.equal(typeof version, 'string', 'a record that is not there is made')
  return version!
}

/** `state` is a capability: where there is none, there is nothing to prove. */
function stateCase (name: string, run: (state: StateStore, fileId: string, subject: ConformanceSubject) => Promise<void>): ConformanceCase {
  return {
    name: `state: ${name}`,
    async run (subject) {
      const { state } = subject.storage
      if (!state) return
      const { fileId } = await subject.storage.create('docx', pattern(100))
      await run(state, fileId, subject)
    }
  }
}

export const stateCases: readonly ConformanceCase[] = [
  stateCase('a record that was never set is null', async (state, fileId) => {
    assert.equal(await state.get(fileId), null)
    assert.equal(await state.get(`${fileId}x`), null)
    await created(state, fileId, 'mine')
    assert.equal(await state.get(`${fileId}x`), null)
    assert.equal(await state.get(fileId.slice(0, -1)), null)
  }),
  stateCase('a value is stored only in the place of the version that is named', async (state, fileId) => {
    const first = await created(state, fileId, 1)
    assert.deepEqual(await state.get(fileId), { value: 1, version: first })
    assert.equal(await state.set(fileId, 2, null), null, 'there is a record already')
    const second = await state.set(fileId, 3, first)
    assert.notEqual(second, null)
    for (const stale of [first, null, '', `${second}0`, 'no version']) assert.equal(await state.set(fileId, 4, stale), null)
    assert.deepEqual(await state.get(fileId), { value: 3, version: second })
    assert.equal(await state.set(`${fileId}x`, 5, second), null, 'a record that is not there has no version')
    assert.equal(await state.get(`${fileId}x`), null)
  }),
  stateCase('of many who name the same version at once exactly one stores its value', async (state, fileId, { reopen }) => {
    const other = reopen?.()
    let version: string | null = null
    for (let round = 0; round < 3; round++) {
      const named: string | null = version
      const versions: ReadonlyArray<string | null> = await Promise.all(Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? other?.state ?? state : state).set(fileId, { round, index }, named)))
      const winners = versions.flatMap((won, index) => won === null ? [] : [index])
      assert.equal(winners.length, 1, `${winners.length} were told that their value is stored`)
      version = versions[winners[0]!]!
      assert.deepEqual(await state.get(fileId), { value: { round, index: winners[0] }, version })
    }
    await other?.close?.()
  }),
  stateCase('a version never comes back', async (state, fileId) => {
    const versions = [await created(state, fileId, 'the same')]
    for (let round = 1; round < 30; round++) {
      const next = await state.set(fileId, round % 3 ? 'the same' : 'another', versions.at(-1)!)
      assert.notEqual(next, null)
      versions.push(next!)
    }
    assert.equal(new Set(versions).size, 30)
    for (const old of versions.slice(0, -1)) assert.equal(await state.set(fileId, 'late', old), null)
    assert.equal(await valueOf(state, fileId), 'the same')
  }),
  stateCase('a value that a crash may take back is compared, set and seen as any other', async (state, fileId, { storage, reopen }) => {
    const other: Storage = reopen?.() ?? storage
    const versions: string[] = []
    let version: string | null = null
    for (let round = 0; round < 40; round++) {
      const durable = round % 20 === 10
      const stale = await state.set(fileId, 'stale', versions.at(-2) ?? 'none', { durable: false })
      assert.equal(stale, null)
      version = await (round % 2 ? other.state! : state).set(fileId, { round }, version, { durable })
      assert.equal(typeof version, 'string')
      for (const instance of [storage, other]) assert.deepEqual(await instance.state!.get(fileId), { value: { round }, version })
      versions.push(version!)
    }
    assert.equal(new Set(versions).size, versions.length, 'a version never comes back')
    const outcomes: ReadonlyArray<string | null> = await Promise.all(Array.from({ length: 20 }, (_, index) => state.set(fileId, { index }, version, { durable: index % 2 === 0 })))
    assert.equal(outcomes.filter(won => won !== null).length, 1)
    if (reopen) await other.close?.()
  }),
  stateCase('a value is read as it was set, whatever JSON can say', async (state, fileId) => {
    let version: string | null = null
    for (const value of values) {
      version = await state.set(fileId, value, version)
      assert.deepEqual(await state.get(fileId), { value, version })
    }
  }),
  stateCase('what is done to a value later changes nothing that is stored', async (state, fileId) => {
    const given = { list: [1] }
    await created(state, fileId, given)
    given.list.push(2)
    const read = await valueOf(state, fileId) as typeof given
    read.list.push(3)
    assert.deepEqual(await valueOf(state, fileId), { list: [1] })
  }),
  stateCase('a malformed id has no record and is never an error', async (state, fileId, { list }) => {
    const version = await created(state, fileId, 'mine')
    const before = await list?.()
    for (const id of malformed) {
      assert.equal(await state.get(id), null, `get of ${JSON.stringify(id)}`)
      await state.set(id, 'theirs', null)
      await state.set(id, 'theirs', version)
    }
    assert.deepEqual(await state.get(fileId), { value: 'mine', version })
    assert.deepEqual(await list?.(), before)
  }),
  stateCase('another instance sees a value at once and continues from it', async (state, fileId, { storage, reopen }) => {
    const other: Storage = reopen?.() ?? storage
    const first = await created(state, fileId, 'one')
    assert.deepEqual(await other.state?.get(fileId), { value: 'one', version: first })
    const second = await other.state!.set(fileId, 'two', first)
    assert.deepEqual(await state.get(fileId), { value: 'two', version: second })
    assert.equal(await state.set(fileId, 'three', first), null)
    if (reopen) await other.close?.()
  }),
  stateCase('a record ends with its file', async (state, fileId, { storage }) => {
    if (!storage.remove) return
    await created(state, fileId, 'short-lived')
    assert.equal(await storage.remove(fileId), true)
    assert.equal(await state.get(fileId), null)
  }),
  stateCase('a record is no document, and none of the document', async (state, fileId, { storage, list }) => {
    const info = await storage.stat(fileId)
    const before = await list?.()
    let version: string | null = null
    for (let round = 0; round < 10; round++) version = await state.set(fileId, round, version)
    assert.deepEqual(await list?.(), before)
    assert.deepEqual(await assertStored(storage, fileId, pattern(100)), info)
    await storage.replace(fileId, pattern(50))
    assert.deepEqual(await state.get(fileId), { value: 9, version }, 'a new content keeps the record')
  })
]
