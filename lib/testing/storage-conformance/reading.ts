import assert from 'node:assert/strict'
import type { Cases } from '../conformance.js'
import {
  assertAbsent, assertStored, inChunks, MALFORMED_IDS, patternBytes, readAll, replace, type Scene
} from './case.js'

export const readingCases: Cases<Scene> = {
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
  async 'info contains the extension in lower case, the size in bytes, the modification time and the revision' (
    { storage }
  ) {
    const created = await storage.create('DocX', Buffer.from('é'))
    const { extension, size, modifiedAt, revision } = created
    assert.equal(extension, 'docx', 'info.extension must be in lower case')
    assert.equal(size, 2, 'info.size must be the number of bytes')
    assert.ok(modifiedAt instanceof Date && modifiedAt.getTime() > 0, 'info.modifiedAt must be a Date after 1970')
    assert.equal(typeof revision, 'string', 'info.revision must be a string')
    assert.notEqual(revision, '', 'info.revision must not be empty')
    assert.deepEqual(await storage.stat(created.fileId), created, 'stat must resolve to the same info as create')
  },
  async 'an unknown fileId is treated as absent' ({ storage }) {
    const { fileId, extension } = await storage.create('txt', Buffer.from('stored'))
    for (const unknown of [`${fileId}x`, fileId.slice(0, -1), `${fileId}.${extension}`, fileId.slice(0, -1) + '*']) {
      await assertAbsent(storage, unknown)
    }
    await assertStored(storage, fileId, Buffer.from('stored'))
  },
  async 'a malformed fileId is treated as absent: no error, and no other file is affected' ({ storage }) {
    const { fileId } = await storage.create('txt', Buffer.from('stored'))
    for (const malformed of MALFORMED_IDS) await assertAbsent(storage, malformed)
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
  async 'read rejects with a RangeError if the range is not within the file' ({ storage }) {
    for (const [size, start, end] of [[10, 0, 10], [10, 10, 12], [0, 0, 0]] as const) {
      const { fileId } = await storage.create('bin', patternBytes(size))
      const message = `read of bytes ${start}-${end} of ${size} must reject with a RangeError`
      await assert.rejects(storage.read(fileId, { start, end }), RangeError, message)
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
  async 'destroying a body before its end does not affect the file' ({ storage }) {
    const bytes = patternBytes(500_000)
    const { fileId } = await storage.create('bin', bytes)
    for (let round = 0; round < 20; round++) {
      const { body } = (await storage.read(fileId))!
      if (round % 2) await body[Symbol.asyncIterator]().next()
      body.destroy()
    }
    await assertStored(storage, fileId, bytes)
  }
}
