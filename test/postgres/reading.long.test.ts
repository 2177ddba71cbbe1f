import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t from 'tap'
import type { PostgresPool } from '../../lib/store/postgres/index.js'
import { noPostgres, postgres, storageOn, textOf } from '../kit/postgres.js'

const MIB = 1024 ** 2
const PIECE = MIB

t.setTimeout(300_000)

t.test('any range of any size is read, and no more of it than it has', { skip: noPostgres }, async t => {
  const { pool } = await postgres(t)
  let received = 0
  const counting: PostgresPool = {
    async query (query) {
      const result = await pool.query(query)
      for (const { bytes } of result.rows ?? []) received += bytes?.length ?? 0
      return result
    }
  }
  const { storage } = await storageOn(t, { pool: counting })
  const content = randomBytes(2 * PIECE + 5)
  for (const size of [0, 1, PIECE - 1, PIECE, PIECE + 1, content.length]) {
    const { fileId } = await storage.create('txt', inChunks(content.subarray(0, size), 300_001))
    const read = await storage.read(fileId)
    t.equal(read!.info.size, size)
    t.ok(Buffer.concat(await read!.body.toArray()).equals(content.subarray(0, size)), `${size} bytes`)
    for (const [start, end] of [[0, 0], [size - 1, size - 1], [PIECE - 1, PIECE - 1], [PIECE - 2, PIECE + 1], [7, 2 * PIECE + 1]]) {
      if (start! < 0 || end! >= size) continue
      received = 0
      const { body } = (await storage.read(fileId, { start: start!, end: end! }))!
      t.ok(Buffer.concat(await body.toArray()).equals(content.subarray(start, end! + 1)), `${start}-${end} of ${size}`)
      t.equal(received, end! - start! + 1)
    }
  }
})

t.test('a reader that stops holds no connection, and gets what it began to read', { skip: noPostgres }, async t => {
  const { newPool } = await postgres(t)
  const { storage } = await storageOn(t, { pool: newPool({ max: 1 }), queryTimeout: 10_000 })
  const content = randomBytes(6 * PIECE)
  const { fileId } = await storage.create('txt', content)
  const bodies = await Promise.all(Array.from({ length: 3 }, async () => (await storage.read(fileId))!.body))
  const received: Buffer[] = []
  for (const body of bodies) {
    await once(body, 'readable')
    received.push(body.read(1))
  }
  await storage.replace(fileId, Buffer.from('other'))
  t.equal(await textOf(storage, fileId), 'other')
  for (const [index, body] of bodies.entries()) {
    t.ok(Buffer.concat([received[index]!, ...await body.toArray()]).equals(content))
  }
})

t.test('a content of which a piece is missing or damaged is not served as if it were whole', { skip: noPostgres }, async t => {
  const { storage, rows } = await storageOn(t)
  const { fileId } = await storage.create('txt', randomBytes(3 * PIECE))
  const read = async () => await (await storage.read(fileId))!.body.toArray()
  const wrong = { code: 'FST_EDITOR_STORAGE', retryable: false }
  await rows("UPDATE blobs SET bytes = substr(bytes, 2) WHERE piece = 2 AND file_id <> '-'")
  await t.rejects(read(), wrong)
  await rows("DELETE FROM blobs WHERE piece = 1 AND file_id <> '-'")
  await t.rejects(read(), wrong)
  await rows("DELETE FROM blobs WHERE file_id <> '-'")
  await t.rejects(read(), wrong)
})

t.test('a document of 384 MiB is written and read in less than 256 MiB of memory', { skip: noPostgres }, async t => {
  const size = 384 * MIB
  const chunk = Buffer.alloc(64 * 1024, 'document')
  const { storage } = await storageOn(t)
  const write = async (size: number) => (await storage.create('txt', (async function * () {
    for (let sent = 0; sent < size; sent += chunk.length) yield chunk
  })())).fileId
  async function read (fileId: string): Promise<void> {
    let received = 0
    for await (const bytes of (await storage.read(fileId))!.body) received += bytes.length
    t.equal(received, (await storage.stat(fileId))!.size)
  }
  await read(await write(8 * MIB))
  const before = process.memoryUsage().rss
  let peak = before
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss) }, 20)
  t.teardown(() => clearInterval(timer))
  await read(await write(size))
  t.comment(`grew by ${Math.round((peak - before) / MIB)} MiB`)
  t.ok(peak - before < 256 * MIB)
})

async function * inChunks (bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}
