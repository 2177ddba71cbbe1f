import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, CreateMultipartUploadCommand, DeleteObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/storage/s3/index.js'
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
    `contents/report/${uuid}`, `contents/_/${uuid}`, `probe/${uuid}`,
    'records/report.json', 'records/readme.txt', 'contents/2026.pdf'
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
  await storage.stat('nothing') // which tells the time
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

t.test('of two prefixes whose objects could be confused, the later one is refused', { skip: noS3 }, async t => {
  const { open, store } = await opener(t)
  const overlapping = [
    ['', 'records/'], ['', 'contents/'], ['', 'probe/'], ['a/', 'a/contents/'],
    ['', 'contents/a/'], ['', 'records/a/b/'], ['a/', 'a/probe/records/']
  ]
  for (const [index, [outer, inner]] of overlapping.entries()) {
    for (const [first, second] of [[outer!, inner!], [inner!, outer!]] as const) {
      const folder = `${index}${first === outer ? 'o' : 'i'}/`
      const storage = open(folder + first)
      // Names that the other one gives to objects of its own.
      for (const fileId of ['probe', 'contents', 'fastify-onlyoffice']) {
        t.ok(await storage.createAs(fileId, 'docx', Buffer.from(fileId)))
      }
      const before = await store.list(folder)
      const label = `'${first}', then '${second}'`
      const message = new RegExp(store.prefix + folder + first)
      await t.rejects(open(folder + second).ready(), { ...REFUSED, message }, label)
      await t.rejects(open(folder + second).sweep(ALL), REFUSED)
      t.strictSame(await store.list(folder), before, 'it has left nothing')
      t.match(await open(folder + first).sweep(ALL), { objects: 0 }, 'the other one starts again')
      t.equal(await textOf(storage, 'probe'), 'probe')
    }
  }
})

t.test('of two such prefixes that start at the same moment, at most one is taken', { skip: noS3 }, async t => {
  const { open, store } = await opener(t)
  for (const [index, [late, early]] of [['', 'contents/'], ['contents/', '']].entries()) {
    const folder = `${index}/`
    const proxy = await s3Proxy(t, store.endpoint)
    proxy.onRequest = ({ method, url }) => {
      return method === 'PUT' && url.includes(MARK) ? { until: open(folder + early!).ready() } : undefined
    }
    await t.rejects(open(folder + late!, { client: store.newClient({ endpoint: proxy.endpoint }) }).ready(), REFUSED)
    await open(folder + early!).ready()
    t.strictSame((await store.list(folder)).filter(key => key.includes(MARK)), [folder + early! + MARK])
  }
})

t.test('other prefixes share a bucket, and delete nothing of each other', { skip: noS3 }, async t => {
  const { client } = await s3(t)
  const prefixes = [
    '', 'other-app/', 'other-app/more/', 'contents-2026/', 'a/records.old/', 'mark/', `${MARK}/`, 'patients/records/'
  ]
  for (const ordered of [prefixes, prefixes.toReversed()]) {
    const bucket = `shared-${randomUUID()}`
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'images/logo.png', Body: 'x' }))
    const storages: S3Storage[] = []
    for (const prefix of ordered) {
      const storage = s3Storage({ client, bucket, ...(prefix !== '' && { prefix }), sweepInterval: false })
      t.ok(await storage.createAs('report', 'docx', Buffer.from(prefix)), prefix)
      storages.push(storage)
    }
    for (const storage of storages) t.match(await storage.sweep(ALL), { objects: 0 })
    for (const [index, storage] of storages.entries()) t.equal(await textOf(storage, 'report'), ordered[index])
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

t.test('a prefix that has lost its mark gets it again if its records can be read', { skip: noS3 }, async t => {
  const { open, put, remove, store } = await opener(t)
  const { fileId } = await open('').create('docx', Buffer.from('content'))
  await remove(MARK)
  const storage = open('')
  t.match(await storage.sweep(ALL), { objects: 0 })
  t.equal(await textOf(storage, fileId), 'content')
  t.ok((await store.list()).includes(MARK))

  await remove(MARK)
  await put(`records/${fileId}.json`, '{"format":2}')
  await t.rejects(open('').ready(), { ...REFUSED, message: /records/ })
  await put(MARK, '{"format":1}') // as the message says
  await open('').ready()
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
