import assert from 'node:assert/strict'
import type { EditorStorage } from '../../types/storage.js'
import type { DocumentStore, ListedStateRecord } from '../store/contract.js'
import {
  assertAbsent, assertStored, assertUnchanged, duringWrite, halves, inChunks, NEW_BYTES, OLD_BYTES, patternBytes,
  readAll, replace, type StorageCases
} from './storage-scene.js'

/** Content whose length and every byte encode its number. */
function numberedBytes (number: number): Buffer {
  return Buffer.alloc(150_000 + number * 1000, number)
}

/** Asserts that the file has one complete numbered content. */
async function assertComplete (storage: EditorStorage, fileId: string): Promise<{ number: number, revision: string }> {
  const { info, bytes } = await readAll(storage, fileId)
  const number = bytes[0] ?? -1
  assert.ok(bytes.equals(numberedBytes(number)), 'read must return one complete version, not a mixture')
  assert.equal(info.size, bytes.length, 'info.size must be the number of bytes in the body')
  return { number, revision: info.revision }
}

/** Every change of a document is made completely or not at all, and nobody sees half of one. */
const documentCases: StorageCases = {
  async 'create: of two files with one given fileId, one is stored; staged content stays if there is one already' (
    { storage, other }
  ) {
    const fileId = (await storage.create('txt', OLD_BYTES)).fileId.replace(/.{4}/, 'copy')
    const first = await storage.create('txt', OLD_BYTES, { fileId })
    const isTaken = { code: 'FST_EDITOR_NAME_TAKEN' }
    const message = 'create must reject with NameTakenError if there is such a file'
    await assert.rejects(other.create('txt', NEW_BYTES, { fileId }), isTaken, message)
    await assertUnchanged(storage, first, OLD_BYTES)
    const next = fileId.replace('copy', 'next')
    const created = await Promise.allSettled(
      [storage, other].map(async instance => await instance.create('txt', NEW_BYTES, { fileId: next }))
    )
    const winners = created.filter(({ status }) => status === 'fulfilled')
    assert.equal(winners.length, 1, 'of two creates with one fileId, one must store the file and the other one reject')
    await assertStored(storage, next, NEW_BYTES)
    const staged = await storage.stage(fileId, inChunks(NEW_BYTES))
    await assert.rejects(storage.create('txt', staged, { fileId }), isTaken)
    await storage.create('txt', staged)
  },
  async 'remove: a removed file is absent' ({ storage, list }) {
    const before = await list?.()
    const { fileId } = await storage.create('txt', Buffer.from('short-lived'))
    assert.equal(await storage.remove(fileId), true, 'remove of a stored file must resolve to true')
    await assertAbsent(storage, fileId)
    assert.deepEqual(await list?.(), before, 'remove must leave nothing behind')
  },
  async 'the revision changes with every replace, also a fast one with content of the same size, and never otherwise' (
    { storage }
  ) {
    const { fileId, revision } = await storage.create('txt', Buffer.from('000'))
    const revisionNow = async () => (await storage.stat(fileId))!.revision
    const revisions = new Set([revision])
    for (let round = 1; round < 30; round++) {
      await storage.replace(fileId, Buffer.from(String(round).padStart(3, '0')))
      revisions.add(await revisionNow())
    }
    assert.equal(revisions.size, 30, 'create and 29 replaces must give 30 different revisions')
    const last = await revisionNow()
    await readAll(storage, fileId)
    await storage.create('txt', Buffer.from('another file'))
    const message = 'the revision must not change when the file is read or another one is created'
    assert.equal(await revisionNow(), last, message)
  },
  async 'readers during many replaces always see one complete version with its own info' ({ storage }) {
    const { fileId } = await storage.create('bin', numberedBytes(0))
    const revisions = new Map<string, number>()
    const finished = new AbortController()
    async function keepReading () {
      while (!finished.signal.aborted) {
        await new Promise(resolve => setImmediate(resolve)) // a storage without I/O would block the writer
        const { number, revision } = await assertComplete(storage, fileId)
        assert.equal(revisions.get(revision) ?? number, number, 'a revision must stand for one content only')
        revisions.set(revision, number)
      }
    }
    async function keepReplacing () {
      for (let number = 1; number <= 25; number++) {
        const fileType = number % 3 ? 'bin' : 'docx'
        await storage.replace(fileId, inChunks(...halves(numberedBytes(number))), { fileType })
      }
    }
    const replacing = keepReplacing().finally(() => finished.abort())
    await Promise.all([replacing, keepReading(), keepReading(), keepReading()])
    await assertStored(storage, fileId, numberedBytes(25))
  },
  async 'replace with another extension changes the extension and keeps the fileId' ({ storage, list }) {
    const old = await storage.create('docx', patternBytes(1000))
    const { fileId } = old
    const count = (await list?.())?.length
    const chunks = [patternBytes(10), patternBytes(20)] as const
    const { written: replaced, seen } = await duringWrite(
      content => replace(storage, fileId, content, { fileType: 'ODT' }),
      chunks,
      () => storage.stat(fileId)
    )
    assert.deepEqual(seen, old, 'stat must resolve to the old info until replace has finished')
    assert.equal(replaced.fileType, 'odt', 'info.fileType must be the new extension in lower case')
    assert.equal(replaced.fileId, fileId, 'replace must keep the fileId')
    await assertUnchanged(storage, replaced, Buffer.concat(chunks))
    assert.equal((await list?.())?.length, count, 'replace must remove the file with the old extension')

    const back = await replace(storage, fileId, patternBytes(7), { fileType: 'docx' })
    assert.equal(back.fileType, 'docx', 'replace must change the extension back')
    assert.notEqual(back.revision, old.revision, 'the revision must differ from earlier ones with the same extension')
    await assertStored(storage, fileId, patternBytes(7))
  }
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

/** The records of these files in `list`, which may contain others. */
async function listed ({ state }: DocumentStore, ...fileIds: string[]): Promise<ListedStateRecord[]> {
  const found: ListedStateRecord[] = []
  for await (const record of state.list()) if (fileIds.includes(record.fileId)) found.push(record)
  return found
}

/** The record of a document, which sessions and saves are noted in. */
const recordCases: StorageCases = {
  async 'record: of concurrent sets with the same version, exactly one succeeds' ({ storage, other }) {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    let version: string | null = null
    for (let round = 0; round < 3; round++) {
      const current: string | null = version
      const versions: ReadonlyArray<string | null> = await Promise.all(Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? other : storage).state.set(fileId, { round, index }, current)
      ))
      const winners = [...versions.keys()].filter(index => versions[index] !== null)
      assert.equal(winners.length, 1, `one set must succeed and all others resolve to null; ${winners.length} succeeded`)
      const index = winners[0]!
      version = versions[index]!
      const message = 'get must resolve to the value and version of the set that succeeded'
      assert.deepEqual((await storage.snapshot(fileId)).record, { value: { round, index }, version }, message)
    }
  },
  async 'record: get returns any JSON value as it was set' ({ storage, other }) {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    let version: string | null = null
    for (const value of VALUES) {
      version = await storage.state.set(fileId, value, version)
      for (const one of [storage, other]) assert.deepEqual((await one.snapshot(fileId)).record, { value, version })
    }
  },
  async 'record: list contains every record once, as get resolves to it' ({ storage }) {
    const { state } = storage
    const { fileId } = await storage.create('docx', OLD_BYTES)
    const { fileId: other } = await storage.create('docx', OLD_BYTES)
    assert.deepEqual(await listed(storage, fileId, other), [], 'list must not contain a file without a record')
    let version: string | null = null
    for (let value = 0; value < 5; value++) version = await state.set(fileId, value, version)
    const record = { fileId, value: 4, version }
    assert.deepEqual(await listed(storage, fileId, other), [record], 'list must contain a record once, as get does')
    const another = { fileId: other, value: 'another', version: await state.set(other, 'another', null) }
    assert.deepEqual(await listed(storage, other), [another], 'list must contain all records')
    await storage.remove(other)
    assert.deepEqual(await listed(storage, fileId, other), [record], 'list must not contain a record that was removed')
  }
}

export const changeCases: StorageCases = { ...documentCases, ...recordCases }
