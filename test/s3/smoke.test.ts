import { S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import { s3Storage, type S3StorageOptions } from '../../lib/store/s3/index.js'
import { noS3, s3, textOf } from '../kit/s3.js'

t.test('options are checked', async t => {
  const client = new S3Client({ region: 'us-east-1' })
  const wrong: Array<[option: string, Partial<Record<keyof S3StorageOptions, unknown>>]> = [
    ['client', { client: {} }],
    ['bucket', { bucket: '' }],
    ['prefix', { prefix: 'no-slash' }],
    ['prefix', { prefix: '/documents/' }],
    ['requestTimeout', { requestTimeout: 0 }],
    ['sweepInterval', { sweepInterval: true }],
    ['redirectDownloads', { redirectDownloads: 'yes' }],
    ['redirectDownloads.lifetime', { redirectDownloads: { lifetime: 3_600_000 } }]
  ]
  for (const [option, given] of wrong) {
    t.throws(() => s3Storage({ client, bucket: 'documents', ...given } as S3StorageOptions), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${option} `)
    })
  }
})

t.test('arguments are checked before anything is requested', async t => {
  const client = new S3Client({ region: 'us-east-1', endpoint: 'http://127.0.0.1:9', maxAttempts: 1 })
  const storage = s3Storage({ client, bucket: 'documents', sweepInterval: false })
  t.teardown(async () => await storage.close())
  const replace = storage.replace as (...given: unknown[]) => Promise<unknown>
  const message = /ifRevison is unknown: use .*ifRevision/ // it would replace any revision
  await t.rejects(replace('report', Buffer.from('new'), { ifRevison: 'x' }), { code: 'FST_EDITOR_INVALID_OPTION', message })
  await t.rejects(replace('report', 'new'), { code: 'FST_EDITOR_INVALID_OPTION', message: /content must be a Uint8Array/ })
})

t.test('a document is created, replaced with its record, and removed', { skip: noS3 }, async t => {
  const { options, list } = await s3(t)
  const storage = s3Storage({ ...options, sweepInterval: false })
  t.teardown(async () => await storage.close())
  const { fileId, revision } = await storage.create('docx', Buffer.from('old'))
  t.match(await storage.commit(fileId, Buffer.from('new'), { ifRevision: revision, ifRecordVersion: null, record: () => 'saved' }), { info: { size: 3 } })
  t.match(await storage.snapshot(fileId), { info: { fileId, fileType: 'docx' }, record: { value: 'saved' } })
  t.equal(await textOf(storage, fileId), 'new')
  t.equal(await storage.remove(fileId), true)
  t.strictSame(await list(), ['fastify-onlyoffice.mark'])
})
