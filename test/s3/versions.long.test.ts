import t from 'tap'
import { s3Storage, type S3Storage } from '../../lib/store/s3/index.js'
import { noS3, proxiedStorage } from '../kit/s3.js'

t.setTimeout(300_000)

t.test('instances that commit, prune and remove at the same time leave every listed version whole, and a sweep leaves nothing else', { skip: noS3 }, async t => {
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
      prune: { keep: 40, maxBytes: Infinity, keptSince: new Date(0) }
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
  t.equal(listed.length, 40)
  for (const { version, details, changesSize } of listed) {
    const found = await instances[1]!.versions.read(fileId, version)
    t.equal(found && Buffer.concat(await found.body.toArray()).toString(), (details as string[])[0])
    if (changesSize !== null) t.ok(await storage.versions.read(fileId, version, 'changes'))
  }
  await storage.sweep({ olderThan: -60_000 })
  const record = await store.textOf(`records/${fileId}.json`)
  const { garbage } = JSON.parse(record) as { garbage: Array<{ name: string }> }
  const named = [...record.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name!)
  const stored = (await store.list(`contents/${fileId}/`)).map(key => key.split('/').at(-1)!)
  t.strictSame(stored.filter(name => !named.includes(name)), [])
  t.strictSame(named.filter(name => !stored.includes(name) && !garbage.some(item => item.name === name)), [])
})
