import assert from 'node:assert/strict'
import type { ConformanceCase } from './case.js'
import { assertAbsent, assertStored, inPieces, malformed, pattern, readAll } from './case.js'

export const readingCases: readonly ConformanceCase[] = [
  {
    name: 'bytes are read as they were stored',
    async run ({ storage }) {
      for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 13, 10, 26]), pattern(300_007)]) {
        const { fileId } = await storage.create('bin', bytes)
        await assertStored(storage, fileId, bytes)
      }
    }
  },
  {
    name: 'content that arrives in pieces is stored in their order',
    async run ({ storage }) {
      const bytes = pattern(400_009)
      const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1, 200_000), new Uint8Array(bytes.subarray(200_000))]
      const { fileId } = await storage.create('bin', inPieces(...pieces))
      await assertStored(storage, fileId, bytes)
      assert.ok(await storage.replace(fileId, inPieces(...pieces.toReversed())))
      await assertStored(storage, fileId, Buffer.concat(pieces.toReversed()))
    }
  },
  {
    name: 'what is done to a buffer later changes nothing that is stored',
    async run ({ storage }) {
      const given = pattern(1000)
      const { fileId } = await storage.create('bin', given)
      given.fill(1)
      const { bytes } = await readAll(storage, fileId)
      bytes.fill(2)
      const result = await storage.read(fileId)
      for await (const chunk of result!.body) chunk.fill(3)
      await assertStored(storage, fileId, pattern(1000))
    }
  },
  {
    name: 'info has the id, the extension in lower case, the size in bytes and the time',
    async run ({ storage }) {
      const created = await storage.create('DocX', Buffer.from('é'))
      assert.equal(created.extension, 'docx')
      assert.equal(created.size, 2)
      assert.ok(created.modifiedAt instanceof Date && created.modifiedAt.getTime() > 0)
      assert.equal(typeof created.revision, 'string')
      assert.notEqual(created.revision, '')
      assert.deepEqual(await storage.stat(created.fileId), created)
    }
  },
  {
    name: 'an id that was never given is absent',
    async run ({ storage }) {
      const { fileId, extension } = await storage.create('txt', Buffer.from('mine'))
      for (const other of [`${fileId}x`, fileId.slice(0, -1), `${fileId}.${extension}`, fileId.slice(0, -1) + '*']) {
        await assertAbsent(storage, other)
      }
      await assertStored(storage, fileId, Buffer.from('mine'))
    }
  },
  {
    name: 'a malformed id is absent, never an error and never another file',
    async run ({ storage }) {
      const { fileId } = await storage.create('txt', Buffer.from('mine'))
      for (const id of malformed) await assertAbsent(storage, id)
      await assertStored(storage, fileId, Buffer.from('mine'))
    }
  },
  {
    name: 'a range has its first and its last byte',
    async run ({ storage }) {
      const bytes = pattern(200_003)
      const { fileId } = await storage.create('bin', bytes)
      for (const [start, end] of [[0, 0], [0, 200_002], [200_002, 200_002], [70_000, 140_000]] as const) {
        const part = await readAll(storage, fileId, { start, end })
        assert.ok(part.bytes.equals(bytes.subarray(start, end + 1)), `bytes ${start} to ${end}`)
        assert.equal(part.info.size, bytes.length, 'info describes the whole file')
      }
    }
  },
  {
    name: 'a range beyond the end is a RangeError',
    async run ({ storage }) {
      const { fileId } = await storage.create('bin', pattern(10))
      const empty = await storage.create('bin', new Uint8Array(0))
      await assert.rejects(storage.read(fileId, { start: 0, end: 10 }), RangeError)
      await assert.rejects(storage.read(fileId, { start: 10, end: 12 }), RangeError)
      await assert.rejects(storage.read(empty.fileId, { start: 0, end: 0 }), RangeError)
    }
  },
  {
    name: 'a reader keeps the version it opened while the file is replaced',
    async run ({ storage }) {
      const before = pattern(1_500_000)
      const { fileId, revision } = await storage.create('bin', before)
      const unread = (await storage.read(fileId))!
      const begun = (await storage.read(fileId))!
      const iterator = begun.body[Symbol.asyncIterator]()
      const chunks: Buffer[] = [(await iterator.next()).value]

      assert.ok(await storage.replace(fileId, pattern(800_000, 9)))

      for (let step = await iterator.next(); !step.done; step = await iterator.next()) chunks.push(step.value)
      assert.ok(Buffer.concat(chunks).equals(before), 'a reader in the middle ends with the old bytes')
      assert.ok(Buffer.concat(await unread.body.toArray()).equals(before), 'a reader that had not begun gets the old bytes')
      assert.equal(unread.info.revision, revision)
      await assertStored(storage, fileId, pattern(800_000, 9))
    }
  },
  {
    name: 'a body given up half way harms nobody',
    async run ({ storage }) {
      const bytes = pattern(500_000)
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
