import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { StagedContent, Storage } from '../../../types/storage.js'
import type { Cases } from '../conformance.js'
import {
  assertAbsent, assertSourceFails, assertStored, assertUnchanged, duringWrite, FORMAT_OPTIONS, halves, inChunks,
  NEW_BYTES, OLD_BYTES, optionalCases, patternBytes, replace, replaceObserved, type Scene
} from './case.js'

export const writingCases: Cases<Scene> = {
  async 'create returns unique fileIds that need no encoding in a URL' ({ storage }) {
    const contents = Array.from({ length: 50 }, (_, index) => Buffer.from(String(index)))
    const infos = await Promise.all(contents.map(content => storage.create('txt', content)))
    assert.equal(new Set(infos.map(info => info.fileId)).size, 50, '50 creates must give 50 different fileIds')
    for (const [index, { fileId }] of infos.entries()) {
      const message = `the fileId must consist of characters that need no encoding in a URL: ${JSON.stringify(fileId)}`
      assert.match(fileId, /^[A-Za-z0-9._~-]+$/, message)
      await assertStored(storage, fileId, contents[index]!)
    }
  },
  async 'create rejects with the error of a failing source and leaves nothing behind' ({ storage, list }) {
    await storage.create('txt', Buffer.from('kept'))
    const before = await list?.()
    for (const chunks of [[], [patternBytes(100_000)]]) {
      await assertSourceFails('create', content => storage.create('txt', content), chunks)
    }
    assert.deepEqual(await list?.(), before, 'create must leave nothing behind')
  },
  async 'create: of two files with one given fileId, one is stored; staged content stays if there is one already' (
    { storage, other }
  ) {
    const fileId = (await storage.create('txt', OLD_BYTES)).fileId.replace(/.{4}/, 'copy')
    const first = await storage.create('txt', OLD_BYTES, { fileId })
    if (first.fileId !== fileId) return // it cannot choose
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
    const staged = await storage.stage?.(fileId, inChunks(NEW_BYTES))
    if (staged) {
      await assert.rejects(storage.create('txt', staged, { fileId }), isTaken)
      await storage.create('txt', staged)
    }
    await assert.rejects(storage.create('txt', OLD_BYTES, { fileId: '../x' }), 'create must reject a malformed fileId')
  },
  async 'replace rejects with the error of a failing source and keeps the old version' ({ storage, list }) {
    const old = await storage.create('txt', Buffer.from('old'))
    const before = await list?.()
    for (const chunks of [[], [Buffer.from('new')], [patternBytes(200_000), patternBytes(200_000)]]) {
      for (const options of [{}, { extension: 'md' }]) {
        await assertSourceFails('replace', content => storage.replace(old.fileId, content, options), chunks)
        await assertUnchanged(storage, old, Buffer.from('old'))
      }
    }
    assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
  },
  async 'an unfinished create is not visible' ({ storage, list }) {
    const before = await list?.()
    const chunks = [patternBytes(100_000), patternBytes(10)] as const
    const { written, seen } = await duringWrite(content => storage.create('bin', content), chunks, async () => list?.())
    assert.deepEqual(seen, before, 'list must not contain a file that is still being created')
    await assertStored(storage, written.fileId, Buffer.concat(chunks))
  },
  async 'a second instance sees the same version' ({ storage, other }) {
    const { fileId } = await storage.create('txt', Buffer.from('one'))
    const message = 'stat must resolve to the same info in both instances'
    assert.deepEqual(await other.stat(fileId), await storage.stat(fileId), `${message} after create`)
    await other.replace(fileId, Buffer.from('two'), { extension: 'md' })
    const info = await assertStored(storage, fileId, Buffer.from('two'))
    assert.deepEqual(await other.stat(fileId), info, `${message} after replace`)
  },
  async 'remove: a removed file is absent' ({ storage, list }) {
    if (!storage.remove) return
    const before = await list?.()
    const { fileId } = await storage.create('txt', Buffer.from('short-lived'))
    assert.equal(await storage.remove(fileId), true, 'remove of a stored file must resolve to true')
    await assertAbsent(storage, fileId)
    assert.deepEqual(await list?.(), before, 'remove must leave nothing behind')
  }
}

const NEW_CHUNKS = halves(NEW_BYTES)

interface StagingScene extends Scene {
  readonly storage: Storage & Required<Pick<Storage, 'stage'>>
}

async function bytesOf (content: StagedContent): Promise<Buffer> {
  return Buffer.concat(await Readable.from(content).toArray())
}

const isStaging = (scene: Scene): scene is StagingScene => scene.storage.stage !== undefined

export const stagingCases = optionalCases('stage', async scene => isStaging(scene) ? scene : undefined, {
  async 'staged content is not visible; it can be discarded, also twice' ({ storage, other, list }) {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    async function assertNotVisible () {
      for (const instance of [storage, other]) await assertUnchanged(instance, old, OLD_BYTES)
      assert.deepEqual(await list?.(), names, 'list must not contain staged content')
    }
    const { written: staged } = await duringWrite(
      content => storage.stage(old.fileId, content),
      NEW_CHUNKS,
      assertNotVisible
    )
    await assertNotVisible()
    await staged.discard()
    await assertNotVisible()
    await staged.discard()
  },
  async 'staged content has its size in bytes and can be read repeatedly' ({ storage }) {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    for (const chunks of [[], NEW_CHUNKS]) {
      const staged = await storage.stage(fileId, inChunks(...chunks))
      const bytes = Buffer.concat(chunks)
      assert.equal(staged.size, bytes.length, 'size must be the number of staged bytes')
      for (let round = 0; round < 2; round++) {
        assert.ok(bytes.equals(await bytesOf(staged)), 'iterating must yield the staged bytes')
      }
      await staged.discard()
    }
  },
  async 'replace publishes staged content, whether or not it was read; discard then changes nothing' (
    { storage, list }
  ) {
    for (const options of FORMAT_OPTIONS) {
      for (const isRead of [false, true]) {
        const { fileId } = await storage.create('docx', OLD_BYTES)
        const count = (await list?.())?.length
        const staged = await storage.stage(fileId, inChunks(...NEW_CHUNKS))
        if (isRead) await bytesOf(staged)
        const replaced = await replace(storage, fileId, staged, options)
        await assertUnchanged(storage, replaced, NEW_BYTES)
        await staged.discard()
        await assertUnchanged(storage, replaced, NEW_BYTES)
        assert.equal((await list?.())?.length, count, 'replace must leave nothing behind')
      }
    }
  },
  async 'create publishes content that was staged for another file, or for an absent one' ({ storage }) {
    const old = await storage.create('docx', OLD_BYTES)
    for (const fileId of [old.fileId, `${old.fileId}x`, '../x']) {
      const staged = await storage.stage(fileId, inChunks(...NEW_CHUNKS))
      const created = await storage.create('odt', staged)
      await staged.discard()
      await assertUnchanged(storage, created, NEW_BYTES)
      assert.equal(created.extension, 'odt', 'info.extension must be the one passed to create')
    }
    await assertUnchanged(storage, old, OLD_BYTES)
  },
  async 'staged content can still be published after a failed attempt' ({ storage }) {
    const { fileId } = await storage.create('docx', OLD_BYTES)
    const staged = await storage.stage(fileId, inChunks(...NEW_CHUNKS))
    const failure = new Error('beforePublish failed')
    const fail = async () => { throw failure }
    const { calls, outcome } = await replaceObserved(storage, fileId, staged, {}, fail)
    if (calls.length > 0) assert.equal(outcome, failure, 'replace must reject with the error of beforePublish')
    const absent = await storage.replace(`${fileId}x`, staged)
    assert.equal(absent, null, 'replace of an absent file must resolve to null')
    const stale = await storage.replace(fileId, staged, { ifRevision: 'another' })
    assert.equal(stale, null, 'replace of another revision must resolve to null')
    const replaced = await replace(storage, fileId, staged, { extension: 'odt' })
    await assertUnchanged(storage, replaced, NEW_BYTES)
    assert.equal(replaced.extension, 'odt', 'info.extension must be the new extension')
  },
  async 'rejects with the error of a failing source and leaves nothing behind' ({ storage, list }) {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    for (const chunks of [[], NEW_CHUNKS]) {
      await assertSourceFails('stage', content => storage.stage(old.fileId, content), chunks)
    }
    await assertUnchanged(storage, old, OLD_BYTES)
    assert.deepEqual(await list?.(), names, 'stage must leave nothing behind')
  }
})
