import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t from 'tap'
import { s3Storage, type S3Storage } from '../../lib/storage/s3/index.js'
import { noS3, proxiedStorage } from '../kit/s3.js'

// The segments of older versions: what is lost with one, and what instances do to them at the same time.

t.setTimeout(300_000)

const LIMITS = { keep: 20, maxBytes: Infinity, keptSince: new Date(0) }

t.test(
  'a segment that is missing, damaged or of an unknown format: saves go on, the limits and a sweep delete nothing that it names, and the history says so',
  { skip: noS3 },
  async t => {
    for (const damage of [undefined, '', '{"format":2,"entries":[{}]}', '{"format":2,"entries":[],"next":1}', '{"format":3,"entries":[]}']) {
      const isUnknown = damage?.startsWith('{') === true
      const { direct: first, store } = await proxiedStorage(t)
      const { fileId } = await first.create('docx', Buffer.from('content 1'))
      const save = async (storage: S3Storage, times: number) => {
        for (let index = 0; index < times; index++) {
          const { info, record } = await storage.snapshot(fileId)
          t.ok(
            await storage.commit(fileId, Buffer.from('next'), {
              ifRevision: info!.revision,
              ifRecordVersion: record?.version ?? null,
              record: () => ({}),
              keep: () => ({ details: 'x'.repeat(2000) }),
              prune: LIMITS
            })
          )
        }
      }
      const objects = async () => (await store.list(`contents/${fileId}/`)).map(key => key.split('/').at(-1)!)
      await save(first, 18)
      const key = `contents/${fileId}/${
        JSON.parse(await store.textOf(`records/${fileId}.json`)).versions.segments[0].blob.name
      }`
      const text = await store.textOf(key)
      const named = [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name!)
      t.equal(named.length, 30, '15 contents and their details')
      const at = { Bucket: store.bucket, Key: store.prefix + key }
      await store.client.send(
        damage === undefined ? new DeleteObjectCommand(at) : new PutObjectCommand({ ...at, Body: damage })
      )

      const other = (await proxiedStorage(t)).direct // has not read it
      const left = [...named, (await other.stat(fileId))!.revision]
      await save(other, 40)
      t.match(await other.sweep({ olderThan: -60_000 }), { objects: 0 })
      const present = await objects()
      t.strictSame(left.filter(name => !present.includes(name)), [])
      await t.rejects(other.versions.list(fileId), {
        code: isUnknown ? 'FST_EDITOR_UNKNOWN_RECORD' : 'FST_EDITOR_STORAGE',
        retryable: false,
        message: isUnknown ? /list of versions/ : /older versions/
      })
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
  }
)

t.test(
  'instances that commit, prune and remove at the same time leave every listed version whole, and a sweep leaves nothing else',
  { skip: noS3 },
  async t => {
    const { direct: storage, store } = await proxiedStorage(t)
    const instances = [
      storage,
      s3Storage({ ...store.options, sweepInterval: false }),
      s3Storage({ ...store.options, sweepInterval: false })
    ]
    const { fileId } = await storage.create('docx', Buffer.from('content 0'))
    let serial = 0
    const save = async (instance: S3Storage) => {
      const { info, record } = await instance.snapshot(fileId)
      const content = `content ${++serial}`
      const committed = await instance.commit(fileId, Buffer.from(content), {
        ifRevision: info!.revision,
        ifRecordVersion: record?.version ?? null,
        record: () => content,
        keep: () => ({
          details: [record?.value ?? 'content 0', ' '.repeat(serial % 2 * 2000)],
          session: `session ${Math.floor(serial / 12)}`,
          ...serial % 3 === 0 && { changes: Buffer.from(content) }
        }),
        prune: { ...LIMITS, keep: 40 }
      })
      return committed !== null
    }
    await Promise.all(instances.map(async (instance, index) => {
      for (let round = 0; round < 50; round++) {
        if (!await save(instance)) continue
        if (round % 10 === index) {
          await instance.versions.remove(
            fileId,
            (await instance.versions.list(fileId)).slice(3, 5).map(({ version }) => version)
          )
        }
      }
    }))
    for (let saves = 0; saves < 40; saves++) t.ok(await save(storage))
    const listed = await storage.versions.list(fileId)
    t.ok(listed.length >= 40 && listed.length <= 56, String(listed.length))
    for (const { version, details, changesSize } of listed) {
      const found = await instances[1]!.versions.read(fileId, version)
      t.equal(found && Buffer.concat(await found.body.toArray()).toString(), (details as string[])[0])
      if (changesSize !== null) t.ok(await storage.versions.read(fileId, version, 'changes'))
    }
    await storage.sweep({ olderThan: -60_000 })
    const record = await store.textOf(`records/${fileId}.json`)
    const { versions, garbage } = JSON.parse(record) as {
      versions: { segments: Array<{ blob: { name: string } }> },
      garbage: Array<{ name: string }>
    }
    const texts = await Promise.all(
      versions.segments.map(async ({ blob }) => await store.textOf(`contents/${fileId}/${blob.name}`))
    )
    const named = [record, ...texts].flatMap(text => [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name!))
    const stored = (await store.list(`contents/${fileId}/`)).map(key => key.split('/').at(-1)!)
    t.strictSame(stored.filter(name => !named.includes(name)), [])
    t.strictSame(named.filter(name => !stored.includes(name) && !garbage.some(item => item.name === name)), [])
  }
)
