import assert from 'node:assert/strict'
import type { ReplaceOptions, StagedContent, Storage } from '../../../types/storage.js'
import { assertStored, type ConformanceCase, type ConformanceSubject, failingAfter, inPieces, inTheMiddleOf, pattern } from './case.js'

const OLD = pattern(1000)
const NEW = pattern(200_000, 5)
const PIECES = [NEW.subarray(0, 70_000), NEW.subarray(70_000)] as const

type Stage = NonNullable<Storage['stage']>

const formats: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'ODT' }]

/** `stage` is a capability: where there is none, there is nothing to prove. */
function stagingCase (name: string, run: (stage: Stage, subject: ConformanceSubject) => Promise<void>): ConformanceCase {
  return {
    name: `stage: ${name}`,
    async run (subject) {
      const { storage } = subject
      if (storage.stage) await run(async (...given) => await storage.stage!(...given), subject)
    }
  }
}

async function bytesOf (content: StagedContent): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

export const stagingCases: readonly ConformanceCase[] = [
  stagingCase('what is staged is nowhere seen, and is gone when it was discarded', async (stage, { storage, reopen, list }) => {
    const old = await storage.create('docx', OLD)
    const other = reopen?.() ?? storage
    const names = await list?.()
    async function assertUnseen () {
      for (const instance of [storage, other]) assert.deepEqual(await assertStored(instance, old.fileId, OLD), old)
      assert.deepEqual(await list?.(), names)
    }
    const { written: staged } = await inTheMiddleOf(content => stage(old.fileId, content), PIECES, assertUnseen)
    await assertUnseen()
    await staged.discard()
    await assertUnseen()
    await staged.discard()
    if (reopen) await other.close?.()
  }),
  stagingCase('what is staged has its size and is read as often as wanted', async (stage, { storage }) => {
    const { fileId } = await storage.create('docx', OLD)
    for (const pieces of [[], PIECES]) {
      const staged = await stage(fileId, inPieces(...pieces))
      const bytes = Buffer.concat(pieces)
      assert.equal(staged.size, bytes.length)
      for (let round = 0; round < 2; round++) assert.ok(bytes.equals(await bytesOf(staged)), 'the staged bytes are read')
      await staged.discard()
    }
  }),
  stagingCase('what is staged is what a replace publishes, whether it was read or not, and to discard it then changes nothing', async (stage, { storage, list }) => {
    for (const options of formats) {
      for (const isRead of [false, true]) {
        const { fileId } = await storage.create('docx', OLD)
        const names = (await list?.())?.length
        const staged = await stage(fileId, inPieces(...PIECES))
        if (isRead) await bytesOf(staged)
        const replaced = await storage.replace(fileId, staged, options)
        assert.deepEqual(await assertStored(storage, fileId, NEW), replaced)
        await staged.discard()
        assert.deepEqual(await assertStored(storage, fileId, NEW), replaced)
        assert.equal((await list?.())?.length, names)
      }
    }
  }),
  stagingCase('what is staged for a file can become another one', async (stage, { storage }) => {
    const old = await storage.create('docx', OLD)
    for (const fileId of [old.fileId, `${old.fileId}x`, '../x']) {
      const staged = await stage(fileId, inPieces(...PIECES))
      const created = await storage.create('odt', staged)
      await staged.discard()
      assert.deepEqual(await assertStored(storage, created.fileId, NEW), created)
      assert.equal(created.extension, 'odt')
    }
    assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
  }),
  stagingCase('what could not be published can be tried again', async (stage, { storage }) => {
    const old = await storage.create('docx', OLD)
    const staged = await stage(old.fileId, inPieces(...PIECES))
    const failure = new Error('not to be published')
    let isAnnounced = false
    const rejected = await storage.replace(old.fileId, staged, {
      async beforePublish () {
        isAnnounced = true
        throw failure
      }
    }).catch((error: unknown) => error)
    if (isAnnounced) assert.equal(rejected, failure)
    assert.equal(await storage.replace(`${old.fileId}x`, staged), null)
    assert.equal(await storage.replace(old.fileId, staged, { ifRevision: 'another' }), null)
    const replaced = await storage.replace(old.fileId, staged, { extension: 'odt' })
    assert.deepEqual(await assertStored(storage, old.fileId, NEW), replaced)
    assert.equal((await storage.stat(old.fileId))?.extension, 'odt')
  }),
  stagingCase('a source that fails rejects with its error and leaves nothing', async (stage, { storage, list }) => {
    const old = await storage.create('docx', OLD)
    const names = await list?.()
    for (const pieces of [[], PIECES]) {
      const failure = new Error('the source failed')
      await assert.rejects(stage(old.fileId, failingAfter(failure, ...pieces)), error => error === failure)
    }
    assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
    assert.deepEqual(await list?.(), names)
  })
]
