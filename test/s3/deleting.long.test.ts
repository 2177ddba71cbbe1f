import { randomUUID } from 'node:crypto'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { s3Storage } from '../../lib/store/s3/index.js'
import { chunksOf, movableStoreTime, noS3, proxiedStorage, textOf } from '../kit/s3.js'

// When objects are deleted. The store's clock goes on, ours stays where it is.

const MINUTE = 60_000

t.setTimeout(300_000)

t.test('what is superseded is deleted after 15 minutes and not before, and what is named never', { skip: noS3 }, async t => {
  const { storage, passTime, direct, proxy, named, objects, settled } = await timed(t)
  const { fileId, revision } = await storage.create('docx', Buffer.from('content 0'))
  let serial = 0
  const replace = async () => (await storage.replace(fileId, Buffer.from(`content ${++serial}`)))!.revision
  const deletions = () => proxy.requests.filter(({ method }) => method === 'DELETE').length

  await storage.versions.keep(fileId, revision, { changes: Buffer.from('changes 0') }) // version 1
  const second = await replace()
  await storage.versions.keep(fileId, second, { changes: Buffer.from('not wanted') }) // version 2
  await storage.versions.remove(fileId, [2]) // its content is the present one
  await storage.versions.keep(fileId, second, { changes: Buffer.from('not wanted') }) // version 3
  await storage.versions.keep(fileId, second, { changes: Buffer.from('changes 1') }) // and again
  passTime(24 * 60 * MINUTE)
  t.equal(await textOf(storage, fileId), 'content 1')
  await replace()
  await replace()
  await storage.versions.remove(fileId, [1])
  for (let round = 0; round < 8; round++) await replace()
  const before = await objects(fileId)
  t.strictSame(before, await named(fileId))
  proxy.requests.length = 0
  passTime(14 * MINUTE)
  await replace()
  await storage.stat(fileId)
  t.equal(deletions(), 0, 'not after 14 minutes')
  passTime(MINUTE + 2000)
  await replace()
  await replace() // the store's time is that of the write before
  await settled(fileId)
  t.ok(deletions() > 8, 'after 15 minutes')
  t.strictSame((await direct.versions.list(fileId)).map(({ version }) => version), [3])
  const kept = await direct.versions.read(fileId, 3)
  t.equal(Buffer.concat(await kept!.body.toArray()).toString(), 'content 1')
  t.equal(
    Buffer.concat(await (await direct.versions.read(fileId, 3, 'changes'))!.body.toArray()).toString(),
    'changes 1'
  )
  t.equal(await textOf(direct, fileId), `content ${serial}`)

  // Segments of versions and what is removed from them.
  for (let round = 0; round < 60; round++) {
    const { info, record } = await storage.snapshot(fileId)
    if (round % 5 === 4) {
      await storage.versions.remove(
        fileId,
        (await storage.versions.list(fileId)).map(({ version }) => version).filter(version => version % 4 === 0)
      )
    }
    t.ok(
      await storage.commit(fileId, Buffer.from(`content ${++serial}`), {
        ifRevision: info!.revision,
        ifRecordVersion: record?.version ?? null,
        record: () => ({ serial }),
        keep: () => ({
          details: `${serial - 1}${' '.repeat(serial % 3 * 1000)}`,
          changes: Buffer.from(`changes ${serial - 1}`)
        })
      })
    )
    passTime(3 * MINUTE)
  }
  await settled(fileId)
  const listed = await direct.versions.list(fileId)
  t.ok(listed.length > 40)
  for (const { version, details } of listed.slice(1)) {
    t.equal(
      Buffer.concat(await (await direct.versions.read(fileId, version))!.body.toArray()).toString(),
      `content ${String(details).trim()}`
    )
    t.equal(
      Buffer.concat(await (await direct.versions.read(fileId, version, 'changes'))!.body.toArray()).toString(),
      `changes ${String(details).trim()}`
    )
  }
})

t.test('a clock that is set, and a machine that was suspended, delete nothing early', { skip: noS3 }, async t => {
  const { storage, proxy, objects } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  for (let round = 0; round < 12; round++) await storage.replace(fileId, Buffer.from('new'))
  const { now } = Date
  const version = await storage.state.set(fileId, 1, null)
  try {
    Date.now = () => now() + 24 * 60 * MINUTE
    t.ok(await storage.state.set(fileId, 2, version))
  } finally {
    Date.now = now
  }
  t.equal((await objects(fileId)).length, 13)
  t.equal(proxy.requests.filter(({ method }) => method === 'DELETE').length, 0)
})

t.test('the 15 minutes begin after a write that was long under way', { skip: noS3 }, async t => {
  const { storage, passTime, proxy, objects, named, settled } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('content'))
  for (let round = 0; round < 9; round++) await storage.replace(fileId, Buffer.from('content'))
  const { revision } = (await storage.stat(fileId))!
  proxy.onRequest = ({ method, url }) => {
    if (method === 'PUT' && url.includes('/records/')) passTime(20 * MINUTE)
    return undefined
  }
  await storage.replace(fileId, Buffer.from('content'))
  proxy.onRequest = () => undefined
  await storage.stat(fileId)
  t.ok(await storage.state.set(fileId, 1, null))
  await settled(fileId)
  t.ok((await objects(fileId)).includes(revision))
  t.ok((await named(fileId)).length < 5, 'older contents are deleted')
})

t.test('content that was staged half a day ago is not published, because a sweep may delete it', { skip: noS3 }, async t => {
  const { storage, direct, proxy } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const { now } = Date
  const passHalfADay = () => {
    Date.now = () => now() + 12 * 60 * MINUTE + 1000
  }
  const refused = { code: 'FST_EDITOR_STORAGE', message: /too long ago/ }
  try {
    const written = await storage.stage(fileId, chunksOf('written'))
    proxy.onRequest = ({ method, url }) => {
      if (method === 'PUT' && url.includes('/records/')) passHalfADay()
      return undefined
    }
    await t.rejects(storage.replace(fileId, written), refused, 'while it was written')
    Date.now = now
    proxy.onRequest = () => undefined
    const staged = await direct.stage(fileId, chunksOf('new'))
    passHalfADay()
    await t.rejects(direct.replace(fileId, staged), refused)
  } finally {
    Date.now = now
  }
  t.equal(await textOf(storage, fileId), 'written')
})

t.test('content that is published twice is stored twice, because the first copy is deleted', { skip: noS3 }, async t => {
  const { storage } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const staged = await storage.stage(fileId, chunksOf('new'))
  const first = await storage.replace(fileId, staged)
  await storage.replace(fileId, Buffer.from('other'))
  const second = await storage.replace(fileId, staged)
  t.not(second!.revision, first!.revision)
  t.equal(await textOf(storage, fileId), 'new')
})

t.test('what other programs have stored beside the documents is never deleted, nor are their uploads', { skip: noS3 }, async t => {
  const { storage, store, passTime } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('content'))
  const uuid = randomUUID()
  const others = [
    'contents/report.docx', 'contents/reports/2026.docx', `contents/reports/${uuid}.docx`, `contents/a/b/${uuid}`,
    `contents/a b/${uuid}`, `contents/%20/${uuid}`, `contents/${fileId}/notes.txt`,
    `contents/contents/${fileId}/${uuid}`, 'contents/records/report.json', 'sweep.json.old'
  ]
  const own = [`contents/${fileId}/${uuid}`, `contents/removed/${uuid}`, `contents/-/${uuid}`]
  for (const key of [...others, ...own]) {
    await store.client.send(new PutObjectCommand({ Bucket: store.bucket, Key: store.prefix + key, Body: 'x' }))
  }
  for (const key of ['contents/backup.tar', `contents/removed/${randomUUID()}`]) {
    await store.client.send(new CreateMultipartUploadCommand({ Bucket: store.bucket, Key: store.prefix + key }))
  }
  const before = await store.list('')
  passTime(25 * 60 * MINUTE)
  t.strictSame(await storage.sweep(), { objects: own.length, bytes: own.length, uploads: 1 })
  t.strictSame(await store.list(''), before.filter(key => !own.includes(key)))
  t.equal(await textOf(storage, fileId), 'content')
  const { Uploads = [] } = await store.client.send(
    new ListMultipartUploadsCommand({ Bucket: store.bucket, Prefix: store.prefix })
  )
  t.strictSame(Uploads.map(({ Key }) => Key), [`${store.prefix}contents/backup.tar`])
})

t.test('a sweep does not delete what a record names by the time it is written', { skip: noS3 }, async t => {
  const { storage, store, passTime, proxy, objects } = await timed(t)
  const { fileId } = await storage.create('docx', Buffer.from('content'))
  const left = randomUUID()
  await store.client.send(
    new PutObjectCommand({ Bucket: store.bucket, Key: `${store.prefix}contents/${fileId}/${left}`, Body: 'x' })
  )
  passTime(25 * 60 * MINUTE)
  // Another instance names the object at the moment of the write, as one that was suspended for long might.
  let isNamed = false
  proxy.onRequest = ({ method, url }) => {
    if (isNamed || method !== 'PUT' || !url.includes('/records/')) return undefined
    isNamed = true
    return { until: nameAsChanges() }
  }
  async function nameAsChanges (): Promise<void> {
    const key = `${store.prefix}records/${fileId}.json`
    const record = JSON.parse(await store.textOf(`records/${fileId}.json`))
    record.content.name = left
    record.content.size = 1
    await store.client.send(new PutObjectCommand({ Bucket: store.bucket, Key: key, Body: JSON.stringify(record) }))
  }
  await storage.sweep()
  t.equal(isNamed, true)
  t.ok((await objects(fileId)).includes(left), 'it is needed now')
})

t.test('of all instances one sweeps in the background when it is due, and none after it is closed', { skip: noS3 }, async t => {
  const { store, proxy, passTime, client } = await timed(t)
  const instances = Array.from({ length: 4 }, () => s3Storage({ ...store.options, client, sweepInterval: 2000 }))
  t.teardown(async () => await Promise.all(instances.map(async instance => await instance.close())))
  const count = (part: string) =>
    proxy.requests.filter(({ method, url }) => method === 'GET' && url.includes(part)).length
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!await isSo()) await instances[0]!.stat('nothing')
  }
  await instances[0]!.stage('x', chunksOf('never published'))
  await Promise.all(instances.map(async instance => await instance.ready()))
  const marks = `/${store.prefix}fastify-onlyoffice.mark`
  const before = count(marks)
  await until(() => count(marks) >= before + instances.length + 2 && count('prefix=') >= 2) // each looks, one sweeps
  t.equal(count('prefix='), 2, 'contents and uploads are listed once')
  t.equal((await store.list('contents/')).length, 1)
  passTime(25 * 60 * MINUTE)
  await until(async () => (await store.list('contents/')).length === 0)
  await Promise.all(instances.map(async instance => await instance.close()))
  const pause = async () => {
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  await pause() // for what had begun
  const requests = count('')
  await new Promise(resolve => setTimeout(resolve, 2500))
  t.equal(count(''), requests)
})

t.test('a store that calls a record removed, although a write at the same moment has kept it: it is removed again, with all objects', { skip: noS3 }, async t => {
  const { storage, direct, proxy, store } = await proxiedStorage(t)
  const { fileId, revision } = await storage.create('docx', Buffer.from('content'))
  let removals = 0
  proxy.onRequest = ({ method, url }) => {
    if (!url.includes('/records/')) return undefined
    if (method === 'DELETE' && ++removals === 1) return { status: 204 }
    return method === 'GET' && removals === 1
      ? { until: direct.versions.keep(fileId, revision, { changes: Buffer.from('changes') }) }
      : undefined
  }
  t.equal(await storage.remove(fileId), true)
  t.equal(removals, 2)
  t.strictSame(await store.list(''), ['fastify-onlyoffice.mark'])

  // Somebody creates it anew at that moment: that is another document.
  t.ok(await direct.create('docx', Buffer.from('old'), { fileId }))
  let created: Promise<unknown> | undefined
  proxy.onRequest = ({ method, url }) => {
    if (!url.includes('/records/')) return undefined
    if (method === 'DELETE') removals++
    if (method !== 'GET' || removals !== 3) return undefined
    created ??= direct.create('docx', Buffer.from('new'), { fileId })
    return { until: created }
  }
  t.equal(await storage.remove(fileId), true)
  t.equal(await textOf(direct, fileId), 'new')
})

async function timed (t: Test) {
  const { proxy, store, direct } = await proxiedStorage(t)
  const client = store.newClient({ endpoint: proxy.endpoint })
  const time = movableStoreTime(client)
  const storage = s3Storage({ ...store.options, client, sweepInterval: false })
  await storage.ready()
  proxy.requests.length = 0

  const objects = async (fileId: string): Promise<string[]> =>
    (await store.list(`contents/${fileId}/`)).map(key => key.split('/').at(-1)!)

  /** What the record names, also as garbage. */
  async function named (fileId: string): Promise<string[]> {
    interface Named {
      readonly name: string
    }
    interface Entry {
      readonly content: Named
      readonly changes: Named | null
      readonly details: Named | string
    }
    const { content, versions, garbage } = JSON.parse(await store.textOf(`records/${fileId}.json`)) as {
      content: Named,
      versions: Entry[],
      garbage: Named[]
    }
    const blobs = [
      content,
      ...garbage,
      ...versions.flatMap(({ content, changes, details }) => [content, changes, details])
    ]
    return [...new Set(blobs.flatMap(blob => blob !== null && typeof blob === 'object' ? [blob.name] : []))].sort()
  }

  return {
    storage,
    direct,
    client,
    store,
    proxy,
    objects,
    named,
    passTime: time.pass,
    /** Resolves when the store has exactly the objects that the record names. */
    async settled (fileId: string) {
      while ((await objects(fileId)).join() !== (await named(fileId)).join());
    }
  }
}
