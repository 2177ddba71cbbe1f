import assert from 'node:assert/strict'
import type { StagedContent, Storage } from '../../../types/storage.js'
import {
  assertAbsent,
  assertStored,
  assertUnchanged,
  type ConformanceCase,
  duringWrite,
  failingAfter,
  FORMAT_OPTIONS,
  inChunks,
  NEW_BYTES,
  OLD_BYTES,
  patternBytes,
  type StorageSubject
} from './case.js'

export const writingCases: readonly ConformanceCase[] = [
  {
    name: 'create returns unique fileIds that need no encoding in a URL',
    async run ({ storage }) {
      const infos = await Promise.all(
        Array.from({ length: 50 }, (_, index) => storage.create('txt', Buffer.from(String(index))))
      )
      assert.equal(new Set(infos.map(info => info.fileId)).size, 50, '50 creates must give 50 different fileIds')
      for (const [index, { fileId }] of infos.entries()) {
        assert.match(
          fileId,
          /^[A-Za-z0-9._~-]+$/,
          `the fileId must consist of characters that need no encoding in a URL: ${JSON.stringify(fileId)}`
        )
        await assertStored(storage, fileId, Buffer.from(String(index)))
      }
    }
  },
  {
    name: 'create rejects with the error of a failing source and leaves nothing behind',
    async run ({ storage, list }) {
      await storage.create('txt', Buffer.from('kept'))
      const before = await list?.()
      for (const chunks of [[], [patternBytes(100_000)]]) {
        const failure = new Error('the source failed')
        await assert.rejects(
          storage.create('txt', failingAfter(failure, ...chunks)),
          error => error === failure,
          'create must reject with the error of the source'
        )
      }
      assert.deepEqual(await list?.(), before, 'create must leave nothing behind')
    }
  },
  {
    name: 'create: of two files with one given fileId, one is stored; staged content stays if there is one already',
    async run ({ storage, reopen }) {
      const other = reopen?.() ?? storage
      const fileId = (await storage.create('txt', OLD_BYTES)).fileId.replace(/.{4}/, 'copy')
      const first = await storage.create('txt', OLD_BYTES, { fileId })
      if (first.fileId !== fileId) return // it cannot choose
      await assert.rejects(
        other.create('txt', NEW_BYTES, { fileId }),
        { code: 'FST_EDITOR_NAME_TAKEN' },
        'create must reject with NameTakenError if there is such a file'
      )
      await assertUnchanged(storage, first, OLD_BYTES)
      const next = fileId.replace('copy', 'next')
      const created = await Promise.allSettled(
        [storage, other].map(async instance => await instance.create('txt', NEW_BYTES, { fileId: next }))
      )
      assert.equal(
        created.filter(({ status }) => status === 'fulfilled').length,
        1,
        'of two creates with one fileId, one must store the file and the other one reject'
      )
      await assertStored(storage, next, NEW_BYTES)
      const staged = await storage.stage?.(fileId, inChunks(NEW_BYTES))
      if (staged) {
        await assert.rejects(storage.create('txt', staged, { fileId }), { code: 'FST_EDITOR_NAME_TAKEN' })
        await storage.create('txt', staged)
      }
      await assert.rejects(
        storage.create('txt', OLD_BYTES, { fileId: '../x' }),
        'create must reject a malformed fileId'
      )
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'replace rejects with the error of a failing source and keeps the old version',
    async run ({ storage, list }) {
      const old = await storage.create('txt', Buffer.from('old'))
      const before = await list?.()
      for (const chunks of [[], [Buffer.from('new')], [patternBytes(200_000), patternBytes(200_000)]]) {
        for (const options of [{}, { extension: 'md' }]) {
          const failure = new Error('the source failed')
          await assert.rejects(
            storage.replace(old.fileId, failingAfter(failure, ...chunks), options),
            error => error === failure,
            'replace must reject with the error of the source'
          )
          await assertUnchanged(storage, old, Buffer.from('old'))
        }
      }
      assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
    }
  },
  {
    name: 'an unfinished create is not visible',
    async run ({ storage, list }) {
      const before = await list?.()
      const { written, seen } = await duringWrite(
        content => storage.create('bin', content),
        [patternBytes(100_000), patternBytes(10)],
        async () => list?.()
      )
      assert.deepEqual(seen, before, 'list must not contain a file that is still being created')
      await assertStored(storage, written.fileId, Buffer.concat([patternBytes(100_000), patternBytes(10)]))
    }
  },
  {
    name: 'a second instance sees the same version',
    async run ({ storage, reopen }) {
      const { fileId } = await storage.create('txt', Buffer.from('one'))
      const other = reopen?.() ?? storage
      assert.deepEqual(
        await other.stat(fileId),
        await storage.stat(fileId),
        'stat must resolve to the same info in both instances after create'
      )
      await other.replace(fileId, Buffer.from('two'), { extension: 'md' })
      const info = await assertStored(storage, fileId, Buffer.from('two'))
      assert.deepEqual(
        await other.stat(fileId),
        info,
        'stat must resolve to the same info in both instances after replace'
      )
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'remove: a removed file is absent',
    async run ({ storage, list }) {
      if (!storage.remove) return
      const before = await list?.()
      const { fileId } = await storage.create('txt', Buffer.from('short-lived'))
      assert.equal(await storage.remove(fileId), true, 'remove of a stored file must resolve to true')
      await assertAbsent(storage, fileId)
      assert.deepEqual(await list?.(), before, 'remove must leave nothing behind')
    }
  }
]

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
  stagingCase(
    'staged content is not visible; it can be discarded, also twice',
    async (stage, { storage, reopen, list }) => {
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
    }
  ),
  stagingCase('staged content has its size in bytes and can be read repeatedly', async (stage, { storage }) => {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    for (const chunks of [[], NEW_CHUNKS]) {
      const staged = await stage(fileId, inChunks(...chunks))
      const bytes = Buffer.concat(chunks)
      assert.equal(staged.size, bytes.length, 'size must be the number of staged bytes')
      for (let round = 0; round < 2; round++) {
        assert.ok(bytes.equals(await bytesOf(staged)), 'iterating must yield the staged bytes')
      }
      await staged.discard()
    }
  }),
  stagingCase(
    'replace publishes staged content, whether or not it was read; discard then changes nothing',
    async (stage, { storage, list }) => {
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
    }
  ),
  stagingCase(
    'create publishes content that was staged for another file, or for an absent one',
    async (stage, { storage }) => {
      const old = await storage.create('docx', OLD_BYTES)
      for (const fileId of [old.fileId, `${old.fileId}x`, '../x']) {
        const staged = await stage(fileId, inChunks(...NEW_CHUNKS))
        const created = await storage.create('odt', staged)
        await staged.discard()
        await assertUnchanged(storage, created, NEW_BYTES)
        assert.equal(created.extension, 'odt', 'info.extension must be the one passed to create')
      }
      await assertUnchanged(storage, old, OLD_BYTES)
    }
  ),
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
    assert.equal(
      await storage.replace(`${old.fileId}x`, staged),
      null,
      'replace of an absent file must resolve to null'
    )
    assert.equal(
      await storage.replace(old.fileId, staged, { ifRevision: 'another' }),
      null,
      'replace of another revision must resolve to null'
    )
    const replaced = await storage.replace(old.fileId, staged, { extension: 'odt' })
    assert.ok(replaced, 'replace of a stored file must resolve to its info')
    await assertUnchanged(storage, replaced, NEW_BYTES)
    assert.equal(replaced.extension, 'odt', 'info.extension must be the new extension')
  }),
  stagingCase(
    'rejects with the error of a failing source and leaves nothing behind',
    async (stage, { storage, list }) => {
      const old = await storage.create('docx', OLD_BYTES)
      const names = await list?.()
      for (const chunks of [[], NEW_CHUNKS]) {
        const failure = new Error('the source failed')
        await assert.rejects(stage(old.fileId, failingAfter(failure, ...chunks)), error =>
          error === failure, 'stage must reject with the error of the source')
      }
      await assertUnchanged(storage, old, OLD_BYTES)
      assert.deepEqual(await list?.(), names, 'stage must leave nothing behind')
    }
  )
]
