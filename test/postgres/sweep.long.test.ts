import { randomUUID } from 'node:crypto'
import t from 'tap'
import { postgresStorage } from '../../lib/store/postgres/index.js'
import { noPostgres, storageOn, textOf } from '../kit/postgres.js'

t.setTimeout(300_000)

t.test('a sweep deletes what no record has named for a day, and nothing else', { skip: noPostgres }, async t => {
  const { storage, rows } = await storageOn(t)
  const age = async (table: 'blobs' | 'records', hours: number) => await rows(
    `UPDATE ${table} SET ${table === 'blobs' ? 'written_at = written_at' : 'modified_at = modified_at'} - $1 * interval '1 hour'`, [hours]
  )
  const { fileId, revision } = await storage.create('txt', Buffer.from('first'))
  await storage.versions.keep(fileId, revision, { changes: Buffer.from('changes') })
  await storage.replace(fileId, Buffer.from('content'))
  const { fileId: other } = await storage.create('txt', Buffer.from('superseded'))
  await storage.replace(other, Buffer.from('present'))
  await storage.stage(fileId, chunks('never published'))
  await storage.stage('removed', chunks('of a removed document'))
  await storage.stage('no/name', chunks('of no document'))
  const growing = randomUUID() // of which the last piece is young
  const left = randomUUID() // of which a crash has left the second piece
  const add = async (blob: string, piece: number, hours: number) => await rows(
    "INSERT INTO blobs (file_id, blob, piece, written_at, bytes) VALUES ($1, $2, $3, clock_timestamp() - $4 * interval '1 hour', 'x')",
    ['large', blob, piece, hours]
  )
  await age('blobs', 23)
  t.strictSame(await storage.sweep(), { blobs: 0, bytes: 0 }, 'not after 23 hours')
  await age('blobs', 2)
  await add(growing, 0, 30)
  await add(growing, 1, 1)
  await add(left, 1, 30)
  const fresh = await storage.stage(fileId, chunks('fresh'))

  t.strictSame(await storage.sweep(), { blobs: 4, bytes: 'never publishedof a removed documentof no documentx'.length })
  t.equal((await rows('SELECT FROM blobs WHERE blob = $1', [growing])).length, 2)
  t.equal(await textOf(storage, fileId), 'content')
  t.equal(Buffer.concat(await (await storage.versions.read(fileId, 1))!.body.toArray()).toString(), 'first')
  t.equal(Buffer.concat(await (await storage.versions.read(fileId, 1, 'changes'))!.body.toArray()).toString(), 'changes')

  await storage.stage(other, chunks('fresh'))
  t.strictSame(await storage.sweep(), { blobs: 0, bytes: 0 })
  await age('records', 1)
  t.strictSame(await storage.sweep(), { blobs: 1, bytes: 'superseded'.length }, 'garbage, when nobody can be reading it')
  t.equal(await textOf(storage, other), 'present')
  t.ok(await storage.replace(fileId, fresh))
  t.equal(await textOf(storage, fileId), 'fresh')
})

t.test('a sweep does not delete what a write that is under way names', { skip: noPostgres }, async t => {
  const { storage, options, pool, rows } = await storageOn(t)
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  let publish = async (): Promise<unknown> => null
  let publishing: Promise<unknown> | undefined
  const sweeping = postgresStorage({
    ...options,
    pool: {
      async query (query) {
        // After the sweep has seen that no record names it, another instance does.
        if (query.text.startsWith('UPDATE') && query.text.includes('_records')) await (publishing ??= publish())
        return await pool.query(query)
      }
    }
  })
  await sweeping.ready()
  const staged = await storage.stage(fileId, chunks('new'))
  await rows("UPDATE blobs SET written_at = written_at - interval '25 hours'")
  publishing = undefined
  publish = async () => await storage.replace(fileId, staged)
  await sweeping.sweep()
  t.ok(await publishing)
  t.equal(await textOf(storage, fileId), 'new')
})

t.test('every instance sweeps in the background, until it is closed', { skip: noPostgres }, async t => {
  const { options, storage, rows } = await storageOn(t)
  await storage.stage('report', chunks('never published'))
  await rows("UPDATE blobs SET written_at = written_at - interval '25 hours'")
  const sweeping = postgresStorage({ ...options, sweepInterval: 20 })
  await sweeping.ready()
  while ((await rows('SELECT FROM blobs')).length > 0);
  await sweeping.close()
})

async function * chunks (text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
