import assert from 'node:assert/strict'
import type { Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'
import {
  assertAbsent, assertStored, assertUnchanged, type ConformanceCase, duringWrite, FORMAT_OPTIONS, inChunks, NEW_BYTES,
  OLD_BYTES, patternBytes, readAll
} from './case.js'

/** Content whose length and every byte encode its number. */
function numberedBytes (number: number): Buffer {
  return Buffer.alloc(150_000 + number * 1000, number)
}

/** Asserts that the file has one complete numbered content. */
async function assertComplete (storage: Storage, fileId: string): Promise<{ number: number, revision: string }> {
  const { info, bytes } = await readAll(storage, fileId)
  const number = bytes[0] ?? -1
  assert.ok(bytes.equals(numberedBytes(number)), 'read must return one complete version, not a mixture')
  assert.equal(info.size, bytes.length, 'info.size must be the number of bytes in the body')
  return { number, revision: info.revision }
}

export const replacingCases: readonly ConformanceCase[] = [
  {
    name: 'replace stores the new bytes under the same fileId and extension',
    async run ({ storage, list }) {
      const { fileId } = await storage.create('txt', Buffer.from('a longer first version'))
      const before = await list?.()
      const replaced = await storage.replace(fileId, Buffer.from('second'))
      assert.deepEqual(
        await assertStored(storage, fileId, Buffer.from('second')),
        replaced,
        'replace must resolve to the same info as stat'
      )
      assert.equal(replaced?.fileId, fileId, 'replace must keep the fileId')
      assert.equal(replaced?.extension, 'txt', 'replace must keep the extension')
      assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
    }
  },
  {
    name: 'the revision changes with every replace, also a fast one with content of the same size, and never otherwise',
    async run ({ storage }) {
      const { fileId, revision } = await storage.create('txt', Buffer.from('000'))
      const revisions = new Set([revision])
      for (let round = 1; round < 30; round++) {
        await storage.replace(fileId, Buffer.from(String(round).padStart(3, '0')))
        const info = await storage.stat(fileId)
        revisions.add(info!.revision)
      }
      assert.equal(revisions.size, 30, 'create and 29 replaces must give 30 different revisions')
      const last = await storage.stat(fileId)
      await readAll(storage, fileId)
      await storage.create('txt', Buffer.from('another file'))
      assert.equal(
        (await storage.stat(fileId))?.revision,
        last?.revision,
        'the revision must not change when the file is read or another one is created'
      )
    }
  },
  {
    name: 'readers see the old version until a replace has finished',
    async run ({ storage }) {
      const old = await storage.create('bin', numberedBytes(1))
      const next = numberedBytes(2)
      await duringWrite(
        content => storage.replace(old.fileId, content),
        [next.subarray(0, 100_000), next.subarray(100_000)],
        () => assertUnchanged(storage, old, numberedBytes(1))
      )
      await assertStored(storage, old.fileId, next)
    }
  },
  {
    name: 'readers during many replaces always see one complete version with its own info',
    async run ({ storage }) {
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
        try {
          for (let number = 1; number <= 25; number++) {
            const bytes = numberedBytes(number)
            await storage.replace(fileId, inChunks(bytes.subarray(0, 70_000), bytes.subarray(70_000)), {
              extension: number % 3 ? 'bin' : 'docx'
            })
          }
        } finally {
          finished.abort()
        }
      }
      await Promise.all([keepReplacing(), keepReading(), keepReading(), keepReading()])
      await assertStored(storage, fileId, numberedBytes(25))
    }
  },
  {
    name: 'after concurrent replaces the file has the complete content of one of them',
    async run ({ storage }) {
      const { fileId } = await storage.create('bin', numberedBytes(0))
      await Promise.all(Array.from({ length: 8 }, (_, index) => {
        const bytes = numberedBytes(index + 1)
        return storage.replace(fileId, inChunks(bytes.subarray(0, 90_000), bytes.subarray(90_000)))
      }))
      const { number } = await assertComplete(storage, fileId)
      assert.notEqual(number, 0, 'the old content must be replaced')
    }
  },
  {
    name: 'replace with another extension changes the extension and keeps the fileId',
    async run ({ storage, list }) {
      const old = await storage.create('docx', patternBytes(1000))
      const count = (await list?.())?.length
      const { written: replaced, seen } = await duringWrite(
        content => storage.replace(old.fileId, content, { extension: 'ODT' }),
        [patternBytes(10), patternBytes(20)],
        () => storage.stat(old.fileId)
      )
      assert.deepEqual(seen, old, 'stat must resolve to the old info until replace has finished')
      assert.equal(replaced?.extension, 'odt', 'info.extension must be the new extension in lower case')
      assert.equal(replaced?.fileId, old.fileId, 'replace must keep the fileId')
      await assertUnchanged(storage, replaced!, Buffer.concat([patternBytes(10), patternBytes(20)]))
      assert.equal((await list?.())?.length, count, 'replace must remove the file with the old extension')

      const back = await storage.replace(old.fileId, patternBytes(7), { extension: 'docx' })
      assert.equal(back?.extension, 'docx', 'replace must change the extension back')
      assert.notEqual(
        back?.revision,
        old.revision,
        'the revision must differ from earlier ones with the same extension'
      )
      await assertStored(storage, old.fileId, patternBytes(7))
    }
  },
  {
    name: 'replace with the same extension, in upper or lower case, keeps it',
    async run ({ storage }) {
      const { fileId } = await storage.create('docx', patternBytes(1000))
      const replaced = await storage.replace(fileId, patternBytes(10), { extension: 'DOCX' })
      assert.equal(replaced?.extension, 'docx', 'replace must keep the extension')
      await assertStored(storage, fileId, patternBytes(10))
    }
  }
]

const OTHER_BYTES = patternBytes(500, 9)
const CONCURRENT_REPLACES = 12

/** Every form of content: bytes, a stream, and staged content if the storage supports it. */
const CONTENT_FORMS: ReadonlyArray<(storage: Storage, fileId: string, bytes: Uint8Array) => Promise<Content>> = [
  async (_storage, _fileId, bytes) => bytes,
  async (_storage, _fileId, bytes) => inChunks(bytes.subarray(0, 100), bytes.subarray(100)),
  async (storage, fileId, bytes) => await storage.stage?.(fileId, inChunks(bytes)) ?? bytes
]

/** Replaces a file, and makes a change in `beforePublish`. `isCalled`: whether the storage called `beforePublish`. */
async function replaceWhile (
  storage: Storage,
  fileId: string,
  options: ReplaceOptions,
  change: () => Promise<unknown>
): Promise<{ isCalled: boolean, outcome: FileInfo | null }> {
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
            const outcome = await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), {
              ...options,
              ifRevision
            })
            assert.equal(
              outcome,
              null,
              `replace must resolve to null: ifRevision ${JSON.stringify(ifRevision)} is not the stored revision`
            )
            await assertUnchanged(storage, second, OTHER_BYTES)
          }
          const third = await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), {
            ...options,
            ifRevision: second.revision
          })
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
        const { isCalled, outcome } = await replaceWhile(
          storage,
          fileId,
          { ...options, ifRevision: revision },
          async () => await other.replace(fileId, OTHER_BYTES)
        )
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
        const { isCalled, outcome } = await replaceWhile(
          storage,
          fileId,
          { ...options, ifRevision: revision },
          async () => await storage.remove!(fileId)
        )
        if (!isCalled) continue
        assert.equal(outcome, null, 'replace must resolve to null: the file has been removed meanwhile')
        await assertAbsent(storage, fileId)
      }
    }
  },
  {
    // In one instance only: not every storage can tell concurrent replaces of several processes apart. The lock in the
    // record can.
    name: 'of concurrent replaces with the same ifRevision in one instance, exactly one succeeds',
    async run ({ storage }) {
      for (const options of FORMAT_OPTIONS) {
        for (const contentOf of CONTENT_FORMS) {
          const { fileId, revision } = await storage.create('docx', OLD_BYTES)
          const contents = await Promise.all(
            Array.from({ length: CONCURRENT_REPLACES }, async (_, index) =>
              await contentOf(storage, fileId, patternBytes(1000 + index, index)))
          )
          const outcomes = await Promise.all(
            contents.map(async content => await storage.replace(fileId, content, { ...options, ifRevision: revision }))
          )
          const winners = outcomes.flatMap((info, index) => info === null ? [] : [index])
          assert.equal(
            winners.length,
            1,
            `one replace must resolve to an info and all others to null; ${winners.length} resolved to an info`
          )
          const [winner] = winners as [number]
          await assertUnchanged(storage, outcomes[winner]!, patternBytes(1000 + winner, winner))
        }
      }
    }
  }
]
