import assert from 'node:assert/strict'
import type { Content, ReplaceOptions, Storage } from '../../../types/storage.js'
import type { Cases } from '../conformance.js'
import {
  assertAbsent, assertStored, assertUnchanged, duringWrite, FORMAT_OPTIONS, halves, inChunks, NEW_BYTES, OLD_BYTES,
  onlyWinner, patternBytes, readAll, replace, replaceObserved, type Scene
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

export const replacingCases: Cases<Scene> = {
  async 'replace stores the new bytes under the same fileId and extension' ({ storage, list }) {
    const { fileId } = await storage.create('txt', Buffer.from('a longer first version'))
    const before = await list?.()
    const replaced = await storage.replace(fileId, Buffer.from('second'))
    const stored = await assertStored(storage, fileId, Buffer.from('second'))
    assert.deepEqual(stored, replaced, 'replace must resolve to the same info as stat')
    assert.equal(replaced?.fileId, fileId, 'replace must keep the fileId')
    assert.equal(replaced?.extension, 'txt', 'replace must keep the extension')
    assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
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
  async 'readers see the old version until a replace has finished' ({ storage }) {
    const old = await storage.create('bin', numberedBytes(1))
    const next = numberedBytes(2)
    await duringWrite(
      content => storage.replace(old.fileId, content),
      halves(next),
      () => assertUnchanged(storage, old, numberedBytes(1))
    )
    await assertStored(storage, old.fileId, next)
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
        const extension = number % 3 ? 'bin' : 'docx'
        await storage.replace(fileId, inChunks(...halves(numberedBytes(number))), { extension })
      }
    }
    const replacing = keepReplacing().finally(() => finished.abort())
    await Promise.all([replacing, keepReading(), keepReading(), keepReading()])
    await assertStored(storage, fileId, numberedBytes(25))
  },
  async 'after concurrent replaces the file has the complete content of one of them' ({ storage }) {
    const { fileId } = await storage.create('bin', numberedBytes(0))
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(async number =>
      await storage.replace(fileId, inChunks(...halves(numberedBytes(number))))
    ))
    const { number } = await assertComplete(storage, fileId)
    assert.notEqual(number, 0, 'the old content must be replaced')
  },
  async 'replace with another extension changes the extension and keeps the fileId' ({ storage, list }) {
    const old = await storage.create('docx', patternBytes(1000))
    const { fileId } = old
    const count = (await list?.())?.length
    const chunks = [patternBytes(10), patternBytes(20)] as const
    const { written: replaced, seen } = await duringWrite(
      content => storage.replace(fileId, content, { extension: 'ODT' }),
      chunks,
      () => storage.stat(fileId)
    )
    assert.deepEqual(seen, old, 'stat must resolve to the old info until replace has finished')
    assert.equal(replaced?.extension, 'odt', 'info.extension must be the new extension in lower case')
    assert.equal(replaced?.fileId, fileId, 'replace must keep the fileId')
    await assertUnchanged(storage, replaced!, Buffer.concat(chunks))
    assert.equal((await list?.())?.length, count, 'replace must remove the file with the old extension')

    const back = await storage.replace(fileId, patternBytes(7), { extension: 'docx' })
    assert.equal(back?.extension, 'docx', 'replace must change the extension back')
    assert.notEqual(back?.revision, old.revision, 'the revision must differ from earlier ones with the same extension')
    await assertStored(storage, fileId, patternBytes(7))
  },
  async 'replace with the same extension, in upper or lower case, keeps it' ({ storage }) {
    const { fileId } = await storage.create('docx', patternBytes(1000))
    const replaced = await storage.replace(fileId, patternBytes(10), { extension: 'DOCX' })
    assert.equal(replaced?.extension, 'docx', 'replace must keep the extension')
    await assertStored(storage, fileId, patternBytes(10))
  }
}

const OTHER_BYTES = patternBytes(500, 9)
const CONCURRENT_REPLACES = 12

/** Every form of content: bytes, a stream, and staged content if the storage supports it. */
const CONTENT_FORMS: ReadonlyArray<(storage: Storage, fileId: string, bytes: Uint8Array) => Promise<Content>> = [
  async (_storage, _fileId, bytes) => bytes,
  async (_storage, _fileId, bytes) => inChunks(...halves(bytes)),
  async (storage, fileId, bytes) => await storage.stage?.(fileId, inChunks(bytes)) ?? bytes
]

/** Every way to replace a file: in both formats, from each form of content. */
const WAYS = FORMAT_OPTIONS.flatMap(options => CONTENT_FORMS.map(contentOf => ({ options, contentOf })))

/**
 * Replaces a new file, which `change` changes in `beforePublish`. Asserts that this replaces nothing; resolves to the
 * fileId, or to `null` if the storage does not call `beforePublish`.
 */
async function replaceWhile (
  storage: Storage, options: ReplaceOptions, change: (fileId: string) => Promise<unknown>
): Promise<string | null> {
  const { fileId, revision } = await storage.create('docx', OLD_BYTES)
  const { calls, outcome } = await replaceObserved(storage, fileId, NEW_BYTES, { ...options, ifRevision: revision },
    async () => await change(fileId))
  if (outcome instanceof Error) throw outcome
  if (calls.length === 0) return null
  assert.equal(outcome, null, 'replace must resolve to null: the file has been changed meanwhile')
  return fileId
}

export const conditionalCases: Cases<Scene> = {
  async 'replace with ifRevision replaces the stored revision; for any other it resolves to null and changes nothing' (
    { storage }
  ) {
    for (const { options, contentOf } of WAYS) {
      const first = await storage.create('docx', OLD_BYTES)
      const { fileId } = first
      const second = await replace(storage, fileId, OTHER_BYTES)
      const replaceIf = async (ifRevision: string) =>
        await storage.replace(fileId, await contentOf(storage, fileId, NEW_BYTES), { ...options, ifRevision })
      for (const stale of [first.revision, '', 'no revision']) {
        const message = `replace must resolve to null: ifRevision ${JSON.stringify(stale)} is not the stored revision`
        assert.equal(await replaceIf(stale), null, message)
        await assertUnchanged(storage, second, OTHER_BYTES)
      }
      const third = await replaceIf(second.revision)
      assert.ok(third, 'replace must resolve to the info: ifRevision is the stored revision')
      await assertUnchanged(storage, third, NEW_BYTES)
    }
  },
  async 'replace with ifRevision resolves to null if the file changes during beforePublish' ({ storage, other }) {
    for (const options of FORMAT_OPTIONS) {
      const fileId = await replaceWhile(storage, options, async fileId => await other.replace(fileId, OTHER_BYTES))
      if (fileId !== null) await assertStored(storage, fileId, OTHER_BYTES)
    }
  },
  async 'replace with ifRevision resolves to null if the file is removed during beforePublish' ({ storage }) {
    if (!storage.remove) return
    for (const options of FORMAT_OPTIONS) {
      const fileId = await replaceWhile(storage, options, async fileId => await storage.remove!(fileId))
      if (fileId !== null) await assertAbsent(storage, fileId)
    }
  },
  // In one instance only: not every storage can tell concurrent replaces of several processes apart. The lock in the
  // record can.
  async 'of concurrent replaces with the same ifRevision in one instance, exactly one succeeds' ({ storage }) {
    for (const { options, contentOf } of WAYS) {
      const { fileId, revision } = await storage.create('docx', OLD_BYTES)
      const versions = Array.from({ length: CONCURRENT_REPLACES }, (_, index) => patternBytes(1000 + index, index))
      const contents = await Promise.all(versions.map(async bytes => await contentOf(storage, fileId, bytes)))
      const outcomes = await Promise.all(
        contents.map(async content => await storage.replace(fileId, content, { ...options, ifRevision: revision }))
      )
      const winner = onlyWinner('replace', outcomes)
      await assertUnchanged(storage, outcomes[winner]!, versions[winner]!)
    }
  }
}
