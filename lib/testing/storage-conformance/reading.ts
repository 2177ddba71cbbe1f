import assert from 'node:assert/strict'
import {
  assertAbsent, assertStored, type ConformanceCase, inChunks, MALFORMED_IDS, patternBytes, readAll
} from './case.js'

export const readingCases: readonly ConformanceCase[] = [
  {
    name: 'read returns the bytes that were stored',
    async run ({ storage }) {
      for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 13, 10, 26]), patternBytes(300_007)]) {
        const { fileId } = await storage.create('bin', bytes)
        await assertStored(storage, fileId, bytes)
      }
    }
  },
  {
    name: 'the chunks of a stream are stored in their order',
    async run ({ storage }) {
      const bytes = patternBytes(400_009)
      const chunks = [
        bytes.subarray(0, 1),
        bytes.subarray(1, 1),
        bytes.subarray(1, 200_000),
        new Uint8Array(bytes.subarray(200_000))
      ]
      const { fileId } = await storage.create('bin', inChunks(...chunks))
      await assertStored(storage, fileId, bytes)
      assert.ok(
        await storage.replace(fileId, inChunks(...chunks.toReversed())),
        'replace of a stored file must resolve to its info'
      )
      await assertStored(storage, fileId, Buffer.concat(chunks.toReversed()))
    }
  },
  {
    name: 'changing a buffer after it was stored or read does not change the file',
    async run ({ storage }) {
      const given = patternBytes(1000)
      const { fileId } = await storage.create('bin', given)
      given.fill(1)
      const { bytes } = await readAll(storage, fileId)
      bytes.fill(2)
      const result = await storage.read(fileId)
      for await (const chunk of result!.body) chunk.fill(3)
      await assertStored(storage, fileId, patternBytes(1000))
    }
  },
  {
    name: 'info contains the extension in lower case, the size in bytes, the modification time and the revision',
    async run ({ storage }) {
      const created = await storage.create('DocX', Buffer.from('é'))
      assert.equal(created.extension, 'docx', 'info.extension must be in lower case')
      assert.equal(created.size, 2, 'info.size must be the number of bytes')
      assert.ok(
        created.modifiedAt instanceof Date && created.modifiedAt.getTime() > 0,
        'info.modifiedAt must be a Date after 1970'
      )
      assert.equal(typeof created.revision, 'string', 'info.revision must be a string')
      assert.notEqual(created.revision, '', 'info.revision must not be empty')
      assert.deepEqual(await storage.stat(created.fileId), created, 'stat must resolve to the same info as create')
    }
  },
  {
    name: 'an unknown fileId is treated as absent',
    async run ({ storage }) {
      const { fileId, extension } = await storage.create('txt', Buffer.from('stored'))
      for (const unknown of [`${fileId}x`, fileId.slice(0, -1), `${fileId}.${extension}`, fileId.slice(0, -1) + '*']) {
        await assertAbsent(storage, unknown)
      }
      await assertStored(storage, fileId, Buffer.from('stored'))
    }
  },
  {
    name: 'a malformed fileId is treated as absent: no error, and no other file is affected',
    async run ({ storage }) {
      const { fileId } = await storage.create('txt', Buffer.from('stored'))
      for (const malformed of MALFORMED_IDS) await assertAbsent(storage, malformed)
      await assertStored(storage, fileId, Buffer.from('stored'))
    }
  },
  {
    name: 'a range includes its first and its last byte',
    async run ({ storage }) {
      const bytes = patternBytes(200_003)
      const { fileId } = await storage.create('bin', bytes)
      for (const [start, end] of [[0, 0], [0, 200_002], [200_002, 200_002], [70_000, 140_000]] as const) {
        const part = await readAll(storage, fileId, { start, end })
        assert.ok(
          part.bytes.equals(bytes.subarray(start, end + 1)),
          `read must return bytes ${start} to ${end}, both included`
        )
        assert.equal(part.info.size, bytes.length, 'info.size must be the size of the whole file')
      }
    }
  },
  {
    name: 'read rejects with a RangeError if the range is not within the file',
    async run ({ storage }) {
      const { fileId } = await storage.create('bin', patternBytes(10))
      const empty = await storage.create('bin', new Uint8Array(0))
      await assert.rejects(
        storage.read(fileId, { start: 0, end: 10 }),
        RangeError,
        'read of bytes 0-10 of 10 must reject with a RangeError'
      )
      await assert.rejects(
        storage.read(fileId, { start: 10, end: 12 }),
        RangeError,
        'read of bytes 10-12 of 10 must reject with a RangeError'
      )
      await assert.rejects(
        storage.read(empty.fileId, { start: 0, end: 0 }),
        RangeError,
        'read of bytes 0-0 of 0 must reject with a RangeError'
      )
    }
  },
  {
    name: 'a reader keeps the version that it has opened when the file is replaced',
    async run ({ storage }) {
      const before = patternBytes(1_500_000)
      const { fileId, revision } = await storage.create('bin', before)
      const unread = (await storage.read(fileId))!
      const partlyRead = (await storage.read(fileId))!
      const iterator = partlyRead.body[Symbol.asyncIterator]()
      const chunks: Buffer[] = [(await iterator.next()).value]

      assert.ok(
        await storage.replace(fileId, patternBytes(800_000, 9)),
        'replace of a stored file must resolve to its info'
      )

      for (let step = await iterator.next(); !step.done; step = await iterator.next()) chunks.push(step.value)
      assert.ok(
        Buffer.concat(chunks).equals(before),
        'a reader in the middle of the file must get the rest of the old bytes'
      )
      assert.ok(
        Buffer.concat(await unread.body.toArray()).equals(before),
        'a reader that has not read anything yet must get the old bytes'
      )
      assert.equal(unread.info.revision, revision, 'info.revision must be that of the old version')
      await assertStored(storage, fileId, patternBytes(800_000, 9))
    }
  },
  {
    name: 'destroying a body before its end does not affect the file',
    async run ({ storage }) {
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
]
