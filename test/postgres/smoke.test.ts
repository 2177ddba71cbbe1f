import t from 'tap'
import { postgresStorage, type PostgresStorageOptions } from '../../lib/store/postgres/index.js'
import { noPostgres, storageOn, textOf } from '../kit/postgres.js'

t.test('options are checked', async t => {
  const pool = { query: async () => ({ rows: [] }) }
  const wrong: Array<[option: string, Partial<Record<keyof PostgresStorageOptions, unknown>>]> = [
    ['pool', { pool: 'postgres://localhost' }],
    ['schema', { schema: '' }],
    ['schema', { schema: 'ä'.repeat(32) }],
    ['schema', { schema: 'a\0b' }],
    ['queryTimeout', { queryTimeout: 0 }],
    ['sweepInterval', { sweepInterval: true }]
  ]
  for (const [option, given] of wrong) {
    t.throws(() => postgresStorage({ pool, ...given } as PostgresStorageOptions), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${option} `)
    })
  }
  t.throws(() => postgresStorage({} as PostgresStorageOptions), { message: /^Option pool is missing/ })
})

t.test('a document is created, replaced with its record, and removed', { skip: noPostgres }, async t => {
  const { storage, rows } = await storageOn(t)
  const { fileId, revision } = await storage.create('docx', Buffer.from('old'))
  t.match(await storage.commit(fileId, Buffer.from('new'), { ifRevision: revision, ifRecordVersion: null, record: () => 'saved' }), { info: { size: 3 } })
  t.match(await storage.snapshot(fileId), { info: { fileId, fileType: 'docx' }, record: { value: 'saved' } })
  t.equal(await textOf(storage, fileId), 'new')
  t.equal(await storage.remove(fileId), true)
  t.strictSame(await rows('SELECT file_id FROM records UNION ALL SELECT file_id FROM blobs'), [])
})
