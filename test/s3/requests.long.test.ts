import { Readable } from 'node:stream'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import t from 'tap'
import { s3Storage } from '../../lib/store/s3/index.js'
import { chunksOf, noS3, proxiedStorage, s3, type StoreFault, textOf } from '../kit/s3.js'

t.setTimeout(300_000)
t.test('each method makes as few requests as documented', { skip: noS3 }, async t => {
  const { storage, proxy } = await proxiedStorage(t, { redirectDownloads: true })
  const made = async (task: () => Promise<unknown>) => {
    proxy.requests.length = 0
    await task()
    return proxy.requests.map(({ method }) => method).join(' ')
  }
  const { fileId } = await storage.create('docx', Buffer.from('content'))
  t.equal(await made(async () => await storage.stat(fileId)), 'GET')
  t.equal(await made(async () => await storage.snapshot(fileId)), 'GET')
  t.equal(await made(async () => await storage.downloadUrl!(fileId)), 'GET')
  t.equal(await made(async () => await textOf(storage, fileId)), 'GET GET')
  t.equal(await made(async () => await storage.create('docx', Buffer.from('content'))), 'PUT PUT')
  const save = async (keep: boolean) => {
    const { info, record } = await storage.snapshot(fileId)
    const staged = await storage.stage(fileId, chunksOf('saved'))
    const changes = keep ? await storage.stage(fileId, chunksOf('changes')) : undefined
    t.ok(
      await storage.commit(fileId, staged, {
        ifRevision: info!.revision,
        ifRecordVersion: record?.version ?? null,
        record: () => ({}),
        ...(changes && { keep: () => ({ changes }) })
      })
    )
    await Promise.all([staged.discard(), changes?.discard()])
  }
  t.equal(await made(async () => await save(false)), 'GET PUT PUT')
  t.equal(await made(async () => await save(true)), 'GET PUT PUT PUT')
  for (let round = 0; round < 40; round++) t.equal(await made(async () => await save(true)), 'GET PUT PUT PUT')
  t.equal((await storage.versions.list(fileId)).length, 41)
  t.equal(await made(async () => await storage.versions.list(fileId)), 'GET')
  await storage.versions.remove(fileId, Array.from({ length: 38 }, (_, index) => index + 1))
  t.strictSame((await storage.versions.list(fileId)).map(({ version }) => version), [39, 40, 41])
  for (const { version } of await storage.versions.list(fileId)) {
    t.equal(
      Buffer.concat(await (await storage.versions.read(fileId, version, 'changes'))!.body.toArray()).toString(),
      'changes'
    )
  }

  const { info, url } = (await storage.downloadUrl!(fileId))!
  t.equal(info.size, 5)
  t.match(url, /X-Amz-Expires=300&/)
  t.equal(await (await fetch(url)).text(), 'saved')
  t.equal((await fetch(url.replace('Expires=300', 'Expires=301'))).status, 403)
})

t.test('an instance whose clock is wrong by hours works, and its URLs are valid; a client that repeats nothing is told to set the clock', { skip: noS3 }, async t => {
  const { options, newClient } = await s3(t)
  for (const hours of [-5, 5]) {
    const RealDate = Date
    const now = () => RealDate.now() + hours * 3_600_000
    globalThis.Date = class extends RealDate {
      constructor (...given: [] | [number]) {
        super(...(given.length === 0 ? [now()] : given) as [number])
      }

      static override now = now
    } as DateConstructor
    try {
      const storage = s3Storage({ ...options, client: newClient(), redirectDownloads: true, sweepInterval: false })
      const { fileId } = await storage.create('docx', Buffer.from('content'))
      t.equal(await (await fetch((await storage.downloadUrl!(fileId))!.url)).text(), 'content')
      t.match(await storage.sweep(), { objects: 0 })
      await t.rejects(
        s3Storage({ ...options, client: newClient({ maxAttempts: 1 }), sweepInterval: false }).ready(),
        { code: 'FST_EDITOR_INVALID_OPTION', message: /set the clock/ }
      )
    } finally {
      globalThis.Date = RealDate
    }
  }
})

t.test('a store that ignores conditions is refused at the start, with the condition', { skip: noS3 }, async t => {
  const { options, newClient } = await s3(t)
  for (const [header, message] of [['if-none-match', /If-None-Match: \*/], ['if-match', /honour If-Match,/]] as const) {
    const client = newClient()
    client.middlewareStack.add(next => async args => {
      delete (args.request as { headers: Record<string, string> }).headers[header]
      return await next(args)
    }, { step: 'build', priority: 'low', name: 'ignoreCondition' })
    await t.rejects(s3Storage({ ...options, client }).ready(), { code: 'FST_EDITOR_INVALID_OPTION', message })
  }
  await t.rejects(s3Storage({ ...options, bucket: 'no-such-bucket' }).ready(), {
    code: 'FST_EDITOR_INVALID_OPTION',
    message: /bucket must be/
  })
  const stranger = newClient({ credentials: { accessKeyId: 'testaccess', secretAccessKey: 'not the secret' } })
  const refused: Error = await s3Storage({ ...options, client: stranger }).ready().then(
    () => t.fail() as never,
    error => error
  )
  t.match(refused, { code: 'FST_EDITOR_INVALID_OPTION', message: /credentials/ })
  for (let error: unknown = refused; error instanceof Error; error = error.cause) {
    t.notMatch(`${error.stack} ${JSON.stringify(error)}`, /testaccess|Signature=|X-Amz-/)
  }
})

t.test('the client repeats requests within the time limit, and errors say what the store answered', { skip: noS3 }, async t => {
  const { storage, proxy } = await proxiedStorage(t, { requestTimeout: 2000 }, { maxAttempts: 2 })
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  const failing = async (fault: StoreFault, times = Infinity) => {
    proxy.onRequest = () => times-- > 0 ? fault : undefined
    return await storage.stat(fileId).catch((error: unknown) => error)
  }
  const failed = { code: 'FST_EDITOR_STORAGE', retryable: true }
  t.match(await failing({ status: 503 }, 1), { fileId })
  t.match(await failing({ status: 503 }), { ...failed, cause: { name: 'SlowDown', status: 503, attempts: 2 } })
  t.match(await failing('refused'), { ...failed, cause: { attempts: 2 } })
  const denied = { name: 'AccessDenied', attempts: 1 }
  t.match(await failing({ status: 403, code: 'AccessDenied' }), { ...failed, retryable: false, cause: denied })
  t.match(await failing({ until: new Promise(() => {}) }), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  const patient = (await proxiedStorage(t, { requestTimeout: 2000 }, { maxAttempts: 100 }))
  patient.proxy.onRequest = () => ({ status: 503 })
  await t.rejects(patient.storage.stat(fileId), { code: 'FST_EDITOR_STORAGE_TIMEOUT' }, 'in a pause of the client')
})

t.test('bodies: cut off or stalled ones end with an error, and those that nobody reads hold no connection', {
  skip: noS3
}, async t => {
  const { storage, proxy } = await proxiedStorage(t, { requestTimeout: 1000 }, {
    requestHandler: { httpAgent: { maxSockets: 2 } }
  })
  const bytes = Buffer.alloc(3_000_000, 'x')
  const { fileId } = await storage.create('bin', bytes)
  for (const fault of [{ cutAfter: 1_000_000 }, { cutAfter: 0 }, { stallAfter: 1_000_000 }]) {
    proxy.onRequest = ({ url }) => url.includes('contents') ? fault : undefined
    await t.rejects(async () => await (await storage.read(fileId))!.body.toArray(), { code: /FST_EDITOR_STORAGE/ })
  }
  proxy.onRequest = () => undefined
  for (let round = 0; round < 6; round++) (await storage.read(fileId))!.body.destroy()
  const small = await storage.create('bin', Buffer.from('small'))
  const unread = []
  for (let round = 0; round < 6; round++) unread.push((await storage.read(small.fileId))!.body)
  for (const body of unread) t.equal(Buffer.concat(await body.toArray()).toString(), 'small')
  t.ok(Buffer.concat(await (await storage.read(fileId))!.body.toArray()).equals(bytes))
})

t.test('uploads: a large content is stored in parts, and a failed one leaves nothing', { skip: noS3 }, async t => {
  const { storage, direct, proxy, store } = await proxiedStorage(t, { requestTimeout: 6000 })
  async function * large (error?: Error) {
    const chunk = Buffer.alloc(100_000)
    for (let index = 0; index < 250; index++) {
      chunk.fill(index) // the owner of a buffer may use it again
      yield chunk
    }
    if (error) throw error
  }
  const uploads = async () => await direct.sweep({ olderThan: -60_000 })
  const { fileId, size } = await storage.create('bin', large())
  t.equal(size, 25_000_000)
  const stored = Buffer.concat(await (await direct.read(fileId))!.body.toArray())
  t.ok(stored.equals(Buffer.concat(Array.from({ length: 250 }, (_, index) => Buffer.alloc(100_000, index)))))
  await direct.remove(fileId)
  proxy.onRequest = ({ method, url }) => method === 'POST' && /uploadId/.test(url) ? 'lost' : undefined
  await t.rejects(storage.create('bin', large()), { code: /FST_EDITOR_STORAGE/ })
  proxy.onRequest = () => undefined
  const failure = new Error('the source failed')
  t.equal(await storage.create('bin', large(failure)).catch((error: unknown) => error), failure)
  t.match(await uploads(), { objects: 0, uploads: 0 })
  proxy.onRequest = ({ method, url }) =>
    method === 'PUT' && /partNumber=2/.test(url) ? { until: new Promise(() => {}) } : undefined
  await t.rejects(storage.create('bin', large()), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  t.match(await uploads(), { objects: 0, uploads: 0 })
  proxy.onRequest = ({ method }) => method === 'POST' ? { status: 500 } : undefined
  const content = Readable.from(large(), { objectMode: false })
  await t.rejects(storage.create('bin', content), { code: 'FST_EDITOR_STORAGE', message: /CreateMultipartUpload/ })
  t.ok(content.destroyed)
  t.strictSame(await store.list('contents/'), [])
})

t.test('sweep: deletes what no record names, and nothing else', { skip: noS3 }, async t => {
  const { direct: storage, store } = await proxiedStorage(t)
  const first = await storage.create('docx', Buffer.from('first'))
  const { fileId } = first
  await storage.versions.keep(fileId, first.revision, { changes: Buffer.from('changes') })
  const second = (await storage.replace(fileId, Buffer.from('second')))!
  const third = (await storage.replace(fileId, Buffer.from('third')))!
  const staged = await storage.stage(fileId, chunksOf('staged'))
  await storage.stage('../x', chunksOf('staged for nothing'))
  const removed = await storage.create('docx', Buffer.from('removed'))
  await storage.stage(removed.fileId, chunksOf('never published'))
  await storage.remove(removed.fileId)

  t.strictSame(await storage.sweep(), { objects: 0, bytes: 0, uploads: 0 }, 'all are younger than a day')
  t.match(await storage.sweep({ olderThan: -60_000 }), { objects: 3 })
  t.equal(await textOf(storage, fileId), 'third')
  t.equal(Buffer.concat(await (await storage.versions.read(fileId, 1))!.body.toArray()).toString(), 'first')
  t.ok((await store.list('contents/')).some(key => key.endsWith(second.revision)), 'somebody may still be reading it')
  await t.rejects(storage.create('docx', staged), { code: 'FST_EDITOR_STORAGE' })

  // A record that cannot be read names anything.
  const key = `records/${fileId}.json`
  const text = await store.textOf(key)
  const put = async (Body: string) => await store.client.send(new PutObjectCommand({ Bucket: store.bucket, Key: store.prefix + key, Body }))
  const changes = [
    text.replace('"format":1', '"format":2'), text.replace('"format":1', '"format":1,"next":1'),
    text.replace('"fileType":', '"next":1,"fileType":'), text.replace('"version":', '"next":1,"version":'), '{}'
  ]
  for (const record of [...changes, '{"form']) {
    const code = record === '{"form' ? 'FST_EDITOR_STORAGE' : 'FST_EDITOR_UNKNOWN_RECORD'
    await put(record)
    const before = await store.list()
    t.match(await storage.sweep({ olderThan: -60_000 }), { objects: 0 })
    const calls: ReadonlyArray<() => Promise<unknown>> = [
      () => storage.stat(fileId),
      () => storage.replace(fileId, Buffer.from('x')),
      () => storage.state.set(fileId, 1, null),
      () => storage.create('docx', Buffer.from('x'), { fileId }),
      () => storage.versions.list(fileId),
      () => storage.versions.remove(fileId, [1]),
      ...code === 'FST_EDITOR_STORAGE' ? [] : [() => storage.remove(fileId)]
    ]
    for (const call of calls) await t.rejects(call(), { code, retryable: false }, record.slice(0, 40))
    const listed = []
    for await (const { fileId } of storage.state.list()) listed.push(fileId)
    t.strictSame(listed, [], 'which does not stop a list')
    t.strictSame((await store.list()).filter(name => before.includes(name)), before)
    t.equal(await store.textOf(key), record)
  }
  t.ok((await store.list('contents/')).some(key => key.endsWith(third.revision)))
  await put(JSON.stringify({ ...JSON.parse(text), state: { value: { format: 2 }, version: 'a' } }))
  await t.rejects(storage.remove(fileId), { code: 'FST_EDITOR_UNKNOWN_RECORD' }, 'the record of its sessions is unknown')
  t.equal(await textOf(storage, fileId), 'third')
  await put('{"form')
  t.equal(await storage.remove(fileId), true, 'a damaged one')
})

t.test('documents can be moved in under their own ids', { skip: noS3 }, async t => {
  const { direct: storage, store } = await proxiedStorage(t)
  const fileId = 'Übersicht #1 & more'
  const created = await storage.create('docx', Buffer.from('moved'), { fileId })
  t.match(created, { fileId, fileType: 'docx', size: 5 })
  await t.rejects(storage.create('docx', Buffer.from('again'), { fileId }), { code: 'FST_EDITOR_NAME_TAKEN' })
  t.strictSame(await store.list('records/'), ['records/_C3_9Cbersicht_20_231_20_26_20more.json'])
  await t.rejects(storage.create('docx', Buffer.from(''), { fileId: '../x' }), { code: 'FST_EDITOR_INVALID_OPTION' })
  t.ok(await storage.state.set(fileId, { a: 1 }, null))
  const listed = []
  for await (const record of storage.state.list()) listed.push(record.fileId)
  t.strictSame(listed, [fileId])
  t.equal(await textOf(storage, fileId), 'moved')
})
