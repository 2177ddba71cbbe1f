import { randomBytes } from 'node:crypto'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { interceptDiskCalls } from '../campaigns/faults/disk-calls.js'
import { contentsOf } from '../kit/storage.js'

const KIB = 1024
const MIB = 1024 * KIB

async function * chunked (content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size)
}

const bytes = randomBytes(20 * MIB + 7)
const lengths = {
  nothing: 0,
  'one byte': 1,
  'a first piece': 64 * KIB,
  'one byte more': 64 * KIB + 1,
  'whole pieces': 64 * KIB + 2 * MIB,
  'a part of a piece': 3 * MIB + 7,
  'more than is flushed at once': bytes.length
}

for (const [name, length] of Object.entries(lengths)) {
  t.test(`streamed content is stored unchanged, in chunks of any size: ${name}`, async t => {
    const storage = fileStorage({ directory: t.testdir() })
    const content = bytes.subarray(0, length)
    for (const size of [999, 64 * KIB, 5 * MIB]) {
      const { fileId, size: stored } = await storage.create('docx', chunked(content, size))
      t.equal(stored, length)
      t.ok(content.equals(Buffer.concat(await (await storage.read(fileId))!.body.toArray())), `chunks of ${size} bytes`)
    }
  })
}

t.test('a source that uses the memory of its chunks again is stored unchanged', async t => {
  const storage = fileStorage({ directory: t.testdir() })
  async function * sameMemory (): AsyncGenerator<Uint8Array> {
    const memory = Buffer.alloc(10 * KIB)
    for await (const chunk of chunked(bytes, memory.length)) yield memory.subarray(0, Buffer.from(chunk).copy(memory))
  }
  const { fileId } = await storage.create('docx', sameMemory())
  t.ok(bytes.equals(Buffer.concat(await (await storage.read(fileId))!.body.toArray())))
})

t.test('a source of something other than bytes is refused', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  for (const chunk of [1, null, {}, [1, 2], new Uint16Array(2)]) {
    async function * source () { yield chunk as Uint8Array }
    await t.rejects(storage.replace('a', source()), { code: 'FST_EDITOR_INVALID_OPTION', message: 'Option content must be a stream of Uint8Arrays' })
  }
  t.strictSame(Object.keys(await contentsOf(directory)), ['a.docx'])
})

t.test('a flush that fails while content is still arriving refuses all of it', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  await storage.ready()
  const before = await contentsOf(directory)
  const disk = await interceptDiskCalls()
  async function * large () {
    for (let written = 0; written < 20 * MIB; written += MIB) yield bytes.subarray(0, MIB)
    disk.heal() // the flush at the end succeeds
  }
  disk.fail({ name: 'datasync' })
  await t.rejects(storage.replace('a', large()), { code: 'EIO' })
  t.strictSame(await contentsOf(directory), before)
  t.equal((await storage.replace('a', large()))?.size, 20 * MIB)
})
