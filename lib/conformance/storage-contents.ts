import assert from 'node:assert/strict'
import {
  assertAbsent, assertSourceFails, assertStored, assertUnchanged, duringWrite, halves, inChunks, NEW_BYTES, OLD_BYTES,
  patternBytes, readAll, replace, type StorageCases
} from './storage-scene.js'

/** What is written can be read: bytes, ranges, streams, staged contents. */
export const contentCases: StorageCases = {
  async 'read returns the bytes that were stored' ({ storage }) {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 13, 10, 26]), patternBytes(300_007)]) {
      const { fileId } = await storage.create('bin', bytes)
      await assertStored(storage, fileId, bytes)
    }
  },
  async 'the chunks of a stream are stored in their order' ({ storage }) {
    const bytes = patternBytes(400_009)
    const [first, empty, second] = [bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1, 200_000)]
    const chunks = [first, empty, second, new Uint8Array(bytes.subarray(200_000))]
    const { fileId } = await storage.create('bin', inChunks(...chunks))
    await assertStored(storage, fileId, bytes)
    await replace(storage, fileId, inChunks(...chunks.toReversed()))
    await assertStored(storage, fileId, Buffer.concat(chunks.toReversed()))
  },
  async 'changing a buffer after it was stored or read does not change the file' ({ storage }) {
    const given = patternBytes(1000)
    const { fileId } = await storage.create('bin', given)
    given.fill(1)
    const { bytes } = await readAll(storage, fileId)
    bytes.fill(2)
    const result = await storage.read(fileId)
    for await (const chunk of result!.body) chunk.fill(3)
    await assertStored(storage, fileId, patternBytes(1000))
  },
  async 'an unknown fileId is treated as absent' ({ storage }) {
    const { fileId, fileType } = await storage.create('txt', Buffer.from('stored'))
    for (const unknown of [`${fileId}x`, fileId.slice(0, -1), `${fileId}.${fileType}`, fileId.slice(0, -1) + '*']) {
      await assertAbsent(storage, unknown)
    }
    await assertStored(storage, fileId, Buffer.from('stored'))
  },
  async 'a range includes its first and its last byte' ({ storage }) {
    const bytes = patternBytes(200_003)
    const { fileId } = await storage.create('bin', bytes)
    for (const [start, end] of [[0, 0], [0, 200_002], [200_002, 200_002], [70_000, 140_000]] as const) {
      const part = await readAll(storage, fileId, { start, end })
      const expected = bytes.subarray(start, end + 1)
      assert.ok(part.bytes.equals(expected), `read must return bytes ${start} to ${end}, both included`)
      assert.equal(part.info.size, bytes.length, 'info.size must be the size of the whole file')
    }
  },
  async 'a reader keeps the version that it has opened when the file is replaced' ({ storage }) {
    const [before, after] = [patternBytes(1_500_000), patternBytes(800_000, 9)]
    const { fileId, revision } = await storage.create('bin', before)
    const unread = (await storage.read(fileId))!
    const partlyRead = (await storage.read(fileId))!
    const iterator = partlyRead.body.iterator({ destroyOnReturn: false })
    const { value: start } = await iterator.next()
    await replace(storage, fileId, after)

    const rest = await partlyRead.body.toArray()
    const isWhole = Buffer.concat([start, ...rest]).equals(before)
    assert.ok(isWhole, 'a reader in the middle of the file must get the rest of the old bytes')
    const late = Buffer.concat(await unread.body.toArray())
    assert.ok(late.equals(before), 'a reader that has not read anything yet must get the old bytes')
    assert.equal(unread.info.revision, revision, 'info.revision must be that of the old version')
    await assertStored(storage, fileId, after)
  },
  async 'create rejects with the error of a failing source and leaves nothing behind' ({ storage, list }) {
    await storage.create('txt', Buffer.from('kept'))
    const before = await list?.()
    for (const chunks of [[], [patternBytes(100_000)]]) {
      await assertSourceFails('create', content => storage.create('txt', content), chunks)
    }
    assert.deepEqual(await list?.(), before, 'create must leave nothing behind')
  },
  async 'a second instance sees the same version' ({ storage, other }) {
    const { fileId } = await storage.create('txt', Buffer.from('one'))
    const message = 'stat must resolve to the same info in both instances'
    assert.deepEqual(await other.stat(fileId), await storage.stat(fileId), `${message} after create`)
    await other.replace(fileId, Buffer.from('two'), { fileType: 'md' })
    const info = await assertStored(storage, fileId, Buffer.from('two'))
    assert.deepEqual(await other.stat(fileId), info, `${message} after replace`)
  },
  async 'staged content is not visible; it can be discarded, also twice' ({ storage, other, list }) {
    const old = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    async function assertNotVisible () {
      for (const instance of [storage, other]) await assertUnchanged(instance, old, OLD_BYTES)
      assert.deepEqual(await list?.(), names, 'list must not contain staged content')
    }
    const stage = async (content: AsyncIterable<Uint8Array>) => await storage.stage(old.fileId, content)
    const { written: staged } = await duringWrite(stage, halves(NEW_BYTES), assertNotVisible)
    await assertNotVisible()
    await staged.discard()
    await assertNotVisible()
    await staged.discard()
  },
  async 'downloadUrl: the content can be fetched without further credentials, also after it was replaced' (
    { storage }
  ) {
    if (!storage.downloadUrl) return
    const info = await storage.create('docx', OLD_BYTES)
    const given = await storage.downloadUrl(info.fileId)
    assert.deepEqual(given?.info, info, 'downloadUrl must resolve to the info that stat resolves to')
    const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())
    assert.ok((await fetched(given.url)).equals(OLD_BYTES), 'the URL must give the content of the file')
    await storage.replace(info.fileId, NEW_BYTES)
    const again = await fetched(given.url)
    assert.ok(again.equals(OLD_BYTES), 'the URL must give the same content after the file was replaced')
    const present = await fetched((await storage.downloadUrl(info.fileId))!.url)
    assert.ok(present.equals(NEW_BYTES), 'a new URL must give the present content')
  },
  async 'an earlier version can be read, by every instance, after the file was replaced and its format changed' (
    { storage, other, list }
  ) {
    const { fileId, revision } = await storage.create('docx', OLD_BYTES)
    const names = await list?.()
    const kept = await storage.versions.keep(fileId, revision, { changes: inChunks(...halves(NEW_BYTES)) })
    assert.deepEqual(await list?.(), names, 'list of all stored objects must not contain versions')
    await replace(storage, fileId, patternBytes(1000, 9), { fileType: 'odt' })
    for (const { versions } of [storage, other]) {
      assert.deepEqual(await versions.list(fileId), [kept], 'the version must be listed as it was kept')
      for (const [part, bytes] of [['content', OLD_BYTES], ['changes', NEW_BYTES]] as const) {
        const found = await versions.read(fileId, 1, part)
        const read = found && Buffer.concat(await found.body.toArray())
        assert.ok(read?.equals(bytes), `read must give exactly the ${bytes.length} bytes of the ${part} that were kept`)
      }
    }
  }
}
