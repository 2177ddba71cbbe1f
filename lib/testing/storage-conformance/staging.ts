import assert from 'node:assert/strict'
import type { StagedContent, Storage } from '../../../types/storage.js'
import { assertUnchanged, type ConformanceCase, type StorageSubject, duringWrite, failingAfter, FORMAT_OPTIONS, inChunks, NEW_BYTES, OLD_BYTES } from './case.js'

const NEW_CHUNKS = [NEW_BYTES.subarray(0, 70_000), NEW_BYTES.subarray(70_000)] as const

type Stage = NonNullable<Storage['stage']>

/** Runs only for storages with `stage`. */
function stagingCase (name: string, run: (stage: Stage, subject: StorageSubject) => Promise<void>): ConformanceCase {
  return {
    name: `stage: ${name}`,
    async run (subject) {
      const { storage } = subject
      if (storage.stage) await run(async (fileId, content) => await storage.stage!(fileId, content), subject)
    }
  }
}

async function bytesOf (content: StagedContent): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const stagingCases: readonly ConformanceCase[] = [
  stagingCase('staged content is not visible; it can be discarded, also twice', async (stage, { storage, reopen, list }) => {
    const old = await storage.create('docx', OLD_BYTES)
    const other = reopen?.() ?? storage
    const names = await list?.()
    async function assertNotVisible () {
      for (const instance of [storage, other]) await assertUnchanged(instance, old, OLD_BYTES)
      assert.deepEqual(await list?.(), names, 'list must not contain staged content')
    }
    const { written: staged } = await duringWrite(content => stage(old.fileId, content), NEW_CHUNKS, assertNotVisible)
    await assertNotVisible()
    await staged.discard()
    await assertNotVisible()
    await staged.discard()
    if (reopen) await other.close?.()
  }),
  stagingCase('staged content has its size in bytes and can be read repeatedly', async (stage, { storage }) => {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    for (const chunks of [[], NEW_CHUNKS]) {
      const staged = await stage(fileId, inChunks(...chunks))
      const bytes = Buffer.concat(chunks)
      assert.equal(staged.size, bytes.length, 'size must be the number of staged bytes')
      for (let round = 0; round < 2; round++) assert.ok(bytes.equals(await bytesOf(staged)), 'iterating must yield the staged bytes')
      await staged.discard()
    }
  }),
  stagingCase('replace publishes staged content, whether or not it was read; discard then changes nothing', async (stage, { storage, list }) => {
    for (const options of FORMAT_OPTIONS) {
      for (const isRead of [false, true]) {
        const { fileId } = await storage.create('docx', OLD_BYTES)
        const count = (await list?.())?.length
        const staged = await stage(fileId, inChunks(...NEW_CHUNKS))
        if (isRead) await bytesOf(staged)
        const replaced = await storage.replace(fileId, staged, options)
        assert.ok(replaced, 'replace of a stored file must resolve to its info')
        await assertUnchanged(storage, replaced, NEW_BYTES)
        await staged.discard()
        await assertUnchanged(storage, replaced, NEW_BYTES)
        assert.equal((await list?.())?.length, count, 'replace must leave nothing behind')
      }
    }
  }),
  stagingCase('create publishes content that was staged for another file, or for an absent one', async (stage, { storage }) => {
    const old = await storage.create('docx', OLD_BYTES)
    for (const fileId of [old.fileId, `${old.fileId}x`, '../x']) {
      const staged = await stage(fileId, inChunks(...NEW_CHUNKS))
      const created = await storage.create('odt', staged)
      await staged.discard()
      await assertUnchanged(storage, created, NEW_BYTES)
      assert.equal(created.extension, 'odt', 'info.extension must be the one passed to create')
    }
    await assertUnchanged(storage, old, OLD_BYTES)
  }),
  stagingCase('staged content can still be published after a failed attempt', async (stage, { storage }) => {
    const old = await storage.create('docx', OLD_BYTES)
    const staged = await stage(old.fileId, inChunks(...NEW_CHUNKS))
    const failure = new Error('beforePublish failed')
    let isCalled = false
    const outcome = await storage.replace(old.fileId, staged, {
      async beforePublish () {
        isCalled = true
        throw failure
      }
    }).catch((error: unknown) => error)
    if (isCalled) assert.equal(outcome, failure, 'replace must reject with the error of beforePublish')
    assert.equal(await storage.replace(`${old.fileId}x`, staged), null, 'replace of an absent file must resolve to null')
    assert.equal(await storage.replace(old.fileId, staged, { ifRevision: 'another' }), null, 'replace of another revision must resolve to null')
    const replaced = await storage.replace(old.fileId, staged, { extension: 'odt' })
    assert.ok(replaced, 'replace of a stored file must resolve to its info')
    await assertUnchanged(storage, replaced, NEW_BYTES)
    assert.equal(replaced.extension, 'odt', 'info.extension must be the new extension')
  }),
  stagingCase('rejects with the error of a failing source and leaves nothing behind', async (stage, { storage, list }) => {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    for (const chunks of [[], NEW_CHUNKS]) {
      const failure = new Error('the source failed')
      await assert.rejects(stage(old.fileId, failingAfter(failure, ...chunks)), error => error === failure, 'stage must reject with the error of the source')
    }
    await assertUnchanged(storage, old, OLD_BYTES)
    assert.deepEqual(await list?.(), names, 'stage must leave nothing behind')
  })
]
