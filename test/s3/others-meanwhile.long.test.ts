import t from 'tap'
import { s3Storage, type S3Storage } from '../../lib/store/s3/index.js'
import { chunksOf, noS3, proxiedStorage, textOf } from '../kit/s3.js'

// What other instances do between two requests of one.

t.setTimeout(300_000)

t.test('a commit whose answer was lost, and that many writes of others have followed, is never taken for one that was not made', { skip: noS3 }, async t => {
  for (const writes of [15, 16, 40]) {
    for (const [isCreated, isRepeatAnswered] of [[false, false], [true, false], [false, true]]) {
      const attempts = isRepeatAnswered ? { maxAttempts: 2 } : {}
      const { storage, direct, proxy, store } = await proxiedStorage(t, {}, attempts)
      const fileId = `${writes}-${isCreated}-${isRepeatAnswered}`
      if (!isCreated) await direct.create('docx', Buffer.from('old'), { fileId })
      const staged = await storage.stage(fileId, chunksOf('new'))
      const { info } = await storage.snapshot(fileId)
      const before = proxy.requests.length
      let version: string | null = null
      let puts = 0
      proxy.onRequest = ({ method, url, number }) => {
        if (!url.includes('/records/')) return undefined
        // The SDK repeats the request. The store refuses the repeat, because the record is no longer the one it was.
        if (method === 'PUT') return puts++ > 0 && isRepeatAnswered ? undefined : 'lost'
        return number > before + (isCreated ? 2 : 1) ? { until: setStates() } : undefined
      }
      const setStates = async () => {
        proxy.onRequest = () => undefined
        version = (await direct.snapshot(fileId)).record?.version ?? null
        for (let write = 0; write < writes; write++) version = await direct.state.set(fileId, { write }, version)
      }
      const outcome: unknown = await (isCreated
        ? storage.create('docx', staged, { fileId })
        : storage.commit(fileId, staged, { ifRevision: info!.revision, ifRecordVersion: null, record: () => ({}) }))
        .catch((error: unknown) => error)
      await staged.discard()
      t.ok(version, 'the others have written')
      if (writes < 16) t.match(outcome, isCreated ? { size: 3 } : { info: { size: 3 } })
      else t.match(outcome, { code: 'FST_EDITOR_STORAGE', retryable: true })
      await storage.stat(fileId)
      t.equal(await textOf(direct, fileId), 'new', `${writes} writes`)
      t.match((await store.list(`contents/${fileId}/`)).length, isCreated ? Number : 2)
      t.ok(await storage.state.set(fileId, 'next', version), 'the next write is as usual')
    }
  }
})

t.test('an instance that has not seen the last writes of others works with what is there now', { skip: noS3 }, async t => {
  const { storage, direct, proxy, store } = await proxiedStorage(t)
  const { fileId } = await storage.create('docx', Buffer.from('first'))
  const save = async (instance: S3Storage) => {
    const { info, record } = await instance.snapshot(fileId)
    t.ok(
      await instance.commit(fileId, Buffer.from('next'), {
        ifRevision: info!.revision,
        ifRecordVersion: record?.version ?? null,
        record: () => ({}),
        keep: () => ({})
      })
    )
  }
  for (let round = 0; round < 18; round++) await save(storage)
  const other = s3Storage({
    ...store.options,
    client: store.newClient({ endpoint: proxy.endpoint }),
    sweepInterval: false
  })
  await other.snapshot(fileId)
  for (let round = 0; round < 20; round++) await save(direct)
  await direct.sweep({ olderThan: -60_000 })
  await other.versions.remove(fileId, [2, 20, 38])
  t.equal((await direct.versions.list(fileId)).length, 35)
  await storage.versions.remove(fileId, [1, 3])
  const left = await other.versions.list(fileId)
  t.equal(left.length, 33)
  await direct.sweep({ olderThan: -60_000 })
  for (const { version } of left) {
    t.equal(Buffer.concat(await (await direct.versions.read(fileId, version))!.body.toArray()).toString(), 'next')
  }
})

t.test('what is superseded or published while a sweep looks at its document stays, and one document that fails does not end the sweep', { skip: noS3 }, async t => {
  const { direct, proxy, store } = await proxiedStorage(t)
  const old = await direct.create('docx', Buffer.from('old'))
  const { fileId } = old
  const staged = await direct.stage(fileId, chunksOf('published late'))
  const others = [
    await direct.create('docx', Buffer.from('other')),
    await direct.create('docx', Buffer.from('other'))
  ]
  for (const { fileId } of others) await direct.stage(fileId, chunksOf('never published'))
  const failing = others[0]!.fileId
  const client = store.newClient({ endpoint: proxy.endpoint, maxAttempts: 1 })
  client.middlewareStack.add(next => async args => {
    const result = await next(args)
    const output = result.output as { LastModified?: Date } // of a record
    if (output.LastModified) output.LastModified = new Date(output.LastModified.getTime() - 3_600_000)
    return result
  }, { step: 'initialize', name: 'older' })
  const instance = s3Storage({ ...store.options, client, sweepInterval: false })
  await instance.ready()
  let reads = 0
  proxy.onRequest = ({ method, url }) => {
    if (url.includes(`records/${failing}`)) return { status: 500 }
    if (!url.includes(`records/${fileId}`) || method !== 'PUT' || reads++ > 0) return undefined
    return { until: direct.replace(fileId, staged) }
  }
  await t.rejects(instance.sweep({ olderThan: -7_200_000 }), { code: 'FST_EDITOR_STORAGE', retryable: true })
  t.ok(reads > 0)
  t.ok((await store.list('contents/')).some(key => key.endsWith(old.revision)), 'somebody may be reading it')
  t.strictSame((await store.list(`contents/${others[1]!.fileId}/`)).map(key => key.split('/').at(-1)), [
    others[1]!.revision
  ])
  t.equal((await store.list(`contents/${failing}/`)).length, 2)
  t.equal((await store.list(`contents/${fileId}/`)).length, 2, 'the old content and the new one')
  t.equal(await textOf(direct, fileId), 'published late')
})

t.test('the start understands a store whose answers to its trial writes are lost', { skip: noS3 }, async t => {
  const { proxy, store } = await proxiedStorage(t)
  for (let nth = 1; nth <= 8; nth++) {
    const storage = s3Storage({
      ...store.options,
      client: store.newClient({ endpoint: proxy.endpoint }),
      sweepInterval: false
    })
    const before = proxy.requests.length
    proxy.onRequest = ({ number }) => number === before + nth ? 'lost' : undefined
    await storage.ready().catch(async () => await storage.ready())
    const { fileId, revision } = await storage.create('docx', Buffer.from('old'))
    t.ok(await storage.replace(fileId, Buffer.from('new'), { ifRevision: revision }), `request ${nth}`)
  }
})

t.test('content that is stored while another instance replaces the document becomes no version of it', { skip: noS3 }, async t => {
  const { storage, direct, proxy } = await proxiedStorage(t)
  const { fileId, revision } = await storage.create('docx', Buffer.from('old'))
  proxy.onRequest = ({ method, url }) =>
    method === 'PUT' && url.includes('/contents/') ? { until: direct.replace(fileId, Buffer.from('new')) } : undefined
  t.equal(await storage.versions.keep(fileId, revision, { changes: Buffer.from('changes') }), null)
  t.strictSame(await direct.versions.list(fileId), [])
})
