import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, CreateMultipartUploadCommand, DeleteObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/store/s3/index.js'
import { movableStoreTime, noS3, s3, s3Proxy, textOf } from '../kit/s3.js'

// Which prefixes a storage takes for its own, and that it deletes nothing under any other.

const MARK = 'fastify-onlyoffice.mark'
const HOUR = 60 * 60_000
const REFUSED = { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option prefix / }
/** Sweeps objects of any age. */
const ALL = { olderThan: -HOUR }

t.setTimeout(300_000)

t.test('a prefix that another program uses is refused, and nothing of it is deleted', { skip: noS3 }, async t => {
  const { open, put, store } = await opener(t)
  const uuid = randomUUID()
  const others = [
    `contents/report/${uuid}`, `contents/-/${uuid}`, 'records/report.json', 'records/readme.txt', 'contents/2026.pdf'
  ]
  for (const [index, key] of others.entries()) {
    const folder = `${index}/`
    await put(folder + key, '{"format":1}')
    const storage = open(folder, { sweepInterval: 1 })
    await t.rejects(storage.ready(), { ...REFUSED, message: new RegExp(key) }, key)
    await t.rejects(storage.sweep(ALL), REFUSED, key)
    t.strictSame(await store.list(folder), [folder + key])
  }

  const Key = `${store.prefix}upload/contents/report/${uuid}`
  await store.client.send(new CreateMultipartUploadCommand({ Bucket: store.bucket, Key }))
  await t.rejects(open('upload/').ready(), { ...REFUSED, message: new RegExp(uuid) })
  const listing = new ListMultipartUploadsCommand({ Bucket: store.bucket, Prefix: store.prefix })
  const { Uploads = [] } = await store.client.send(listing)
  t.strictSame(Uploads.map(upload => upload.Key), [Key])
})

t.test('nothing is swept while the mark is missing or cannot be read', { skip: noS3 }, async t => {
  const { open, put, remove, store } = await opener(t)
  const client = store.newClient()
  const time = movableStoreTime(client)
  const storage = open('', { client })
  await storage.create('docx', Buffer.from('content'))
  await put(`contents/report/${randomUUID()}`, 'x')
  const before = await store.list('contents/')
  time.pass(25 * HOUR)
  for (const text of [undefined, '', 'mine', '{"format":2}', '[1]']) {
    if (text === undefined) await remove(MARK)
    else await put(MARK, text)
    const message = new RegExp(MARK)
    await t.rejects(storage.sweep(), { code: 'FST_EDITOR_STORAGE', retryable: false, message })
    if (text !== undefined) await t.rejects(open('').ready(), REFUSED, text)
    t.strictSame(await store.list('contents/'), before)
  }
  await put(MARK, '{"format":1}')
  t.match(await storage.sweep(), { objects: 1 })
})

t.test('prefixes share a bucket, even one in a folder of another, and delete nothing of each other', { skip: noS3 }, async t => {
  const { client } = await s3(t)
  const apart = ['', 'other-app/', 'other-app/more/', 'contents-2026/', `${MARK}/`]
  const within = ['records/', 'contents/', 'contents/contents/', 'contents/a/', 'contents/-/', 'other-app/records/more/']
  // Names that other prefixes give to objects of their own.
  const fileIds = ['report', 'contents', 'records', 'fastify-onlyoffice']
  for (const prefixes of [[...apart, ...within], apart.toReversed()]) {
    const bucket = `shared-${randomUUID()}`
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'images/logo.png', Body: 'x' }))
    const storages: S3Storage[] = []
    for (const prefix of prefixes) {
      storages.push(s3Storage({ client, bucket, ...(prefix !== '' && { prefix }), sweepInterval: false }))
      await storages.at(-1)!.ready()
    }
    for (const [index, storage] of storages.entries()) {
      const prefix = prefixes[index]!
      for (const fileId of fileIds) t.ok(await storage.create('docx', Buffer.from(prefix), { fileId }), prefix)
      const Key = `${prefix}contents/-/${randomUUID()}` // of a start that failed
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }))
    }
    for (const storage of storages) t.strictSame(await storage.sweep(ALL), { objects: 1, bytes: 1, uploads: 0 })
    for (const [index, storage] of storages.entries()) {
      for (const fileId of fileIds) t.equal(await textOf(storage, fileId), prefixes[index])
    }
  }
})

t.test('instances that start at the same moment on an empty prefix all start', { skip: noS3 }, async t => {
  const { open, store } = await opener(t)
  for (let round = 0; round < 5; round++) {
    const instances = Array.from({ length: 8 }, () => open(`${round}/`, { client: store.newClient() }))
    await Promise.all(instances.map(async instance => await instance.create('docx', Buffer.from('content'))))
    t.equal((await store.list(`${round}/records/`)).length, instances.length)
    t.strictSame((await store.list(`${round}/`)).filter(key => key.includes(MARK)), [`${round}/${MARK}`])
  }
})

t.test('whichever request of the first start fails, the next start succeeds', { skip: noS3 }, async t => {
  const { open, store } = await opener(t)
  const proxy = await s3Proxy(t, store.endpoint)
  const faults = {
    refused: 'refused', lost: 'lost', late: 'late', error: { status: 500 }, doneWithError: { doneWithStatus: 500 }
  } as const
  for (const [how, fault] of Object.entries(faults)) {
    for (let nth = 1, wasReached = true; wasReached; nth++) {
      const folder = `${how}${nth}/`
      const storage = open(folder, { client: store.newClient({ endpoint: proxy.endpoint, maxAttempts: 1 }) })
      const before = proxy.requests.length
      wasReached = false
      let isMark = false
      proxy.onRequest = ({ number, method, url }) => {
        if (number !== before + nth) return undefined
        wasReached = true
        isMark = method === 'PUT' && url.includes(MARK)
        return fault
      }
      const failure: unknown = await storage.ready().then(() => undefined, (error: unknown) => error)
      if (failure !== undefined) t.match(failure, { code: 'FST_EDITOR_STORAGE' }, `${how} ${nth}`)
      if (isMark && (how === 'lost' || how === 'doneWithError')) t.equal(failure, undefined, 'the mark is looked for')
      proxy.onRequest = () => undefined
      await proxy.deliver()
      await storage.ready()
      await open(folder).ready()
      t.ok((await store.list(folder)).includes(folder + MARK), `${how} ${nth}`)
    }
  }
})

t.test('a prefix that has lost its mark is refused until somebody makes it again', { skip: noS3 }, async t => {
  const { open, put, remove } = await opener(t)
  const { fileId } = await open('').create('docx', Buffer.from('content'))
  await remove(MARK)
  await t.rejects(open('').ready(), { ...REFUSED, message: /records/ })
  await put(MARK, '{"format":1}') // as the message says
  t.equal(await textOf(open(''), fileId), 'content')
})

/** Opens storages below the prefix of the test. */
async function opener (t: Test) {
  const store = await s3(t)
  const { bucket, prefix } = store
  return {
    store,
    open (below: string, options: Partial<S3StorageOptions> = {}): S3Storage {
      const storage = s3Storage({ ...store.options, sweepInterval: false, ...options, prefix: prefix + below })
      t.teardown(async () => await storage.close())
      return storage
    },
    async put (key: string, text: string) {
      await store.client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: text }))
    },
    async remove (key: string) {
      await store.client.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }))
    }
  }
}
