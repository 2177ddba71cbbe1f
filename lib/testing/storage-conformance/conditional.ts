import assert from 'node:assert/strict'
import type { Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'
import { assertAbsent, assertStored, assertUnchanged, type ConformanceCase, FORMAT_OPTIONS, inChunks, NEW_BYTES, OLD_BYTES, patternBytes } from './case.js'

const OTHER_BYTES = patternBytes(500, 9)
const CONCURRENT_REPLACES = 12

/** Every form of content: bytes, a stream, and staged content if the storage supports it. */
const CONTENT_FORMS: ReadonlyArray<(storage: Storage, fileId: string, bytes: Uint8Array) => Promise<Content>> = [
  async (_storage, _fileId, bytes) => bytes,
  async (_storage, _fileId, bytes) => inChunks(bytes.subarray(0, 100), bytes.subarray(100)),
  async (storage, fileId, bytes) => await storage.stage?.(fileId, inChunks(bytes)) ?? bytes
]

/** Replaces a file, and makes a change in `beforePublish`. `isCalled`: whether the storage called `beforePublish`. */
async function replaceWhile (storage: Storage, fileId: string, options: ReplaceOptions, change: () => Promise<unknown>): Promise<{ isCalled: boolean, outcome: FileInfo | null }> {
  let isCalled = false
  const outcome = await storage.replace(fileId, NEW_BYTES, {
    ...options,
    async beforePublish () {
      isCalled = true
      await change()
    }
  })
  return { isCalled, outcome }
}

export const conditionalCases: readonly ConformanceCase[] = [
  {
    name: 'replace with ifRevision replaces the stored revision; for any other it resolves to null and changes nothing',
    async run ({ storage }) {
      for (const options of FORMAT_OPTIONS) {
        for (const contentOf of CONTENT_FORMS) {
          const first = await storage.create('docx', OLD_BYTES)
          const { fileId } = first
          const second = await storage.replace(fileId, OTHER_BYTES)
          assert.ok(second, 'replace of a stored file must resolve to its info')
          for (const ifRevision of [first.revision, '', 'no revision']) {
            const outcome = await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), { ...options, ifRevision })
            assert.equal(outcome, null, `replace must resolve to null: ifRevision ${JSON.stringify(ifRevision)} is not the stored revision`)
            await assertUnchanged(storage, second, OTHER_BYTES)
          }
          const third = await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), { ...options, ifRevision: second.revision })
          assert.ok(third, 'replace must resolve to the info: ifRevision is the stored revision')
          await assertUnchanged(storage, third, NEW_BYTES)
        }
      }
    }
  },
  {
    name: 'replace with ifRevision resolves to null if the file changes during beforePublish',
    async run ({ storage, reopen }) {
      const other = reopen?.() ?? storage
      for (const options of FORMAT_OPTIONS) {
        const { fileId, revision } = await storage.create('docx', OLD_BYTES)
        const { isCalled, outcome } = await replaceWhile(storage, fileId, { ...options, ifRevision: revision }, async () => await other.replace(fileId, OTHER_BYTES))
        if (!isCalled) continue
        assert.equal(outcome, null, 'replace must resolve to null: the file has been replaced meanwhile')
        await assertStored(storage, fileId, OTHER_BYTES)
      }
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'replace with ifRevision resolves to null if the file is removed during beforePublish',
    async run ({ storage }) {
      if (!storage.remove) return
      for (const options of FORMAT_OPTIONS) {
        const { fileId, revision } = await storage.create('docx', OLD_BYTES)
        const { isCalled, outcome } = await replaceWhile(storage, fileId, { ...options, ifRevision: revision }, async () => await storage.remove!(fileId))
        if (!isCalled) continue
        assert.equal(outcome, null, 'replace must resolve to null: the file has been removed meanwhile')
        await assertAbsent(storage, fileId)
      }
    }
  },
  {
    // In one instance only: not every storage can tell concurrent replaces of several processes apart. The lock in the record can.
    name: 'of concurrent replaces with the same ifRevision in one instance, exactly one succeeds',
    async run ({ storage }) {
      for (const options of FORMAT_OPTIONS) {
        for (const contentOf of CONTENT_FORMS) {
          const { fileId, revision } = await storage.create('docx', OLD_BYTES)
          const contents = await Promise.all(Array.from({ length: CONCURRENT_REPLACES }, async (_, index) => await contentOf(storage, fileId, patternBytes(1000 + index, index))))
          const outcomes = await Promise.all(contents.map(async content => await storage.replace(fileId, content, { ...options, ifRevision: revision })))
          const winners = outcomes.flatMap((info, index) => info === null ? [] : [index])
          assert.equal(winners.length, 1, `one replace must resolve to an info and all others to null; ${winners.length} resolved to an info`)
          const [winner] = winners as [number]
          await assertUnchanged(storage, outcomes[winner]!, patternBytes(1000 + winner, winner))
        }
      }
    }
  }
]
