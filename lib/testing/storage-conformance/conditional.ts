import assert from 'node:assert/strict'
import type { Content, ReplaceOptions, Storage } from '../../../types/storage.js'
import { assertAbsent, assertStored, type ConformanceCase, inPieces, pattern } from './case.js'

const OLD = pattern(1000)
const NEW = pattern(200_000, 5)
const THEIRS = pattern(500, 9)
const AT_ONCE = 12

const formats: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'ODT' }]

/** The same bytes in every way they can be given. */
const givings: ReadonlyArray<(storage: Storage, fileId: string, bytes: Uint8Array) => Promise<Content>> = [
  async (_storage, _fileId, bytes) => bytes,
  async (_storage, _fileId, bytes) => inPieces(bytes.subarray(0, 100), bytes.subarray(100)),
  async (storage, fileId, bytes) => await storage.stage?.(fileId, inPieces(bytes)) ?? bytes
]

export const conditionalCases: readonly ConformanceCase[] = [
  {
    name: 'a replace of another revision than the stored one is null and changes nothing, one of the stored one is done',
    async run ({ storage }) {
      for (const options of formats) {
        for (const give of givings) {
          const first = await storage.create('docx', OLD)
          const { fileId } = first
          const second = await storage.replace(fileId, THEIRS)
          for (const ifRevision of [first.revision, '', 'no revision']) {
            assert.equal(await storage.replace(fileId, await give(storage, fileId, NEW), { ...options, ifRevision }), null)
            assert.deepEqual(await assertStored(storage, fileId, THEIRS), second)
          }
          const third = await storage.replace(fileId, await give(storage, fileId, NEW), { ...options, ifRevision: second!.revision })
          assert.ok(third, 'the stored revision is replaced')
          assert.deepEqual(await assertStored(storage, fileId, NEW), third)
        }
      }
    }
  },
  {
    name: 'a file that changes while it is announced is not replaced',
    async run ({ storage, reopen }) {
      const other = reopen?.() ?? storage
      for (const options of formats) {
        const { fileId, revision } = await storage.create('docx', OLD)
        let isAnnounced = false
        const outcome = await storage.replace(fileId, NEW, {
          ...options,
          ifRevision: revision,
          async beforePublish () {
            isAnnounced = true
            await other.replace(fileId, THEIRS)
          }
        })
        if (!isAnnounced) continue
        assert.equal(outcome, null)
        await assertStored(storage, fileId, THEIRS)
      }
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'a file that is removed while it is announced stays removed',
    async run ({ storage }) {
      if (!storage.remove) return
      for (const options of formats) {
        const { fileId, revision } = await storage.create('docx', OLD)
        let isAnnounced = false
        const outcome = await storage.replace(fileId, NEW, {
          ...options,
          ifRevision: revision,
          async beforePublish () {
            isAnnounced = true
            await storage.remove!(fileId)
          }
        })
        if (!isAnnounced) continue
        assert.equal(outcome, null)
        await assertAbsent(storage, fileId)
      }
    }
  },
  {
    // What two processes do at the very same moment only some storages can tell apart: there the lock in the record decides.
    name: 'of replaces of one revision at the same time, through one storage, exactly one is done',
    async run ({ storage }) {
      for (const options of formats) {
        for (const give of givings) {
          const { fileId, revision } = await storage.create('docx', OLD)
          const contents = await Promise.all(Array.from({ length: AT_ONCE }, async (_, index) => await give(storage, fileId, pattern(1000 + index, index))))
          const outcomes = await Promise.all(contents.map(async content => await storage.replace(fileId, content, { ...options, ifRevision: revision })))
          const winners = outcomes.flatMap((info, index) => info === null ? [] : [index])
          assert.equal(winners.length, 1, `${winners.length} were told that theirs is stored`)
          const [winner] = winners as [number]
          assert.deepEqual(await assertStored(storage, fileId, pattern(1000 + winner, winner)), outcomes[winner])
        }
      }
    }
  }
]
