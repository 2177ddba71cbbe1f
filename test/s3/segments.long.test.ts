import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t from 'tap'
import type { S3Storage } from '../../lib/storage/s3/index.js'
import { noS3 } from '../helpers/s3.js'
import { proxiedStorage } from './support.js'

// What becomes of a document whose older versions cannot be found out.

t.setTimeout(300_000)

const LIMITS = { keep: 20, maxBytes: Infinity, keptSince: new Date(0) }

t.test('a segment that is missing or damaged: saves go on, the limits and a sweep delete nothing that it names, and the history says so', { skip: noS3 }, async t => {
  for (const damage of [undefined, '', '{"format":2,"entries":[{}]}', '{"format":3,"entries":[]}']) {
    const { direct: first, store } = await proxiedStorage(t)
    const { fileId } = await first.create('docx', Buffer.from('content 1'))
    const save = async (storage: S3Storage, times: number) => {
      for (let index = 0; index < times; index++) {
        const { info, record } = await storage.snapshot(fileId)
        t.ok(await storage.commit(fileId, Buffer.from('next'), { ifRevision: info!.revision, ifRecordVersion: record?.version ?? null, record: () => ({}), keep: () => ({ details: 'x'.repeat(2000) }), prune: LIMITS }))
      }
    }
    const objects = async () => (await store.list(`contents/${fileId}/`)).map(key => key.split('/').at(-1)!)
    await save(first, 18)
    const key = `contents/${fileId}/${JSON.parse(await store.textOf(`records/${fileId}.json`)).versions.segments[0].blob.name}`
    const text = await store.textOf(key)
    const named = [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name!)
    t.equal(named.length, 30, '15 contents and their details')
    const at = { Bucket: store.bucket, Key: store.prefix + key }
    await store.client.send(damage === undefined ? new DeleteObjectCommand(at) : new PutObjectCommand({ ...at, Body: damage }))

    const other = (await proxiedStorage(t)).direct // has not read it
    const left = [...named, (await other.stat(fileId))!.revision]
    await save(other, 40)
    t.match(await other.sweep({ olderThan: -60_000 }), { objects: 0 })
    const present = await objects()
    t.strictSame(left.filter(name => !present.includes(name)), [])
    await t.rejects(other.versions.list(fileId), { code: 'FST_EDITOR_STORAGE', retryable: false, message: /older versions/ })
    t.match(await other.versions.list(fileId, { newest: 2 }), [{ version: Number }, { version: 58 }])
    t.ok(await other.versions.read(fileId, 58))

    await store.client.send(new PutObjectCommand({ ...at, Body: text }))
    const listed = (await other.versions.list(fileId)).map(({ version }) => version)
    t.strictSame(listed.slice(0, 15), Array.from({ length: 15 }, (_, index) => index + 1))
    t.ok(listed.length >= 15 + 20)
    await other.versions.remove(fileId, listed)
    t.strictSame(await other.versions.list(fileId), [])
    t.equal(await other.remove(fileId), true)
    t.strictSame(await objects(), [])
  }
})
