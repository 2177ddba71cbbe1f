import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { type EditorConfig, fakeClock, type Session } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/storage/s3/index.js'
import { startDocumentServer } from '../kit/document-server.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'
import { movableStoreTime, noS3, s3, s3Proxy, type StoreRequest } from '../kit/s3.js'

// What the plugin asks of the object store, counted by a proxy in front of it, with the repeats of the SDK.

const MINUTE = 60_000
const SAVES = 50
const VERSIONS = 200
/** Documents beside the one that is looked up. */
const OTHERS = 1000
const AT_ONCE = 32
const ADA = { user: { id: 'ada', name: 'Ada' } }

interface Counted<Result> {
  readonly result: Result
  /** Such as `GET record`. */
  readonly requests: readonly string[]
}

interface CountingService extends Host {
  readonly fileId: string
  /** On the same objects; its requests are not counted. */
  readonly uncounted: S3Storage
  /** Of `uncounted`. */
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
  /** Opens the document as a page would. */
  page (): Promise<EditorConfig>
  /** Resolves when the editor has joined. */
  join (config?: EditorConfig): Promise<Session>
  count<Result> (work: () => Promise<Result>): Promise<Counted<Result>>
  /** The store's clock goes on by so many milliseconds. */
  passTime (milliseconds: number): void
  /** Prints what was counted, and tests the limit. */
  expect (what: string, requests: readonly string[], most: number): void
}

t.setTimeout(300_000)

t.test('opening a document takes 1 request to the store, a download 2 or 1, a save 3 to 5', { skip: noS3 }, async t => {
  await t.test('without further options', async t => {
    const service = await startCounting(t)
    const { count, expect, page, join } = service
    const opened = await count(page)
    expect('opening a document', opened.requests, 1)

    const download = await count(async () => await (await service.downloadAsDocumentServer(service.fileId)).text())
    t.equal(download.result, 'uploaded')
    expect('a download', download.requests, 2)

    const first = await count(async () => await join(opened.result))
    expect('the first editor joins: a download and a callback with status 1', first.requests, 2 + 2)
    const second = await count(async () => await join(opened.result))
    expect('another one joins: a callback with status 1', second.requests, 1)
    await second.result.close()

    await first.result.edit('edited')
    const saved = await count(async () => await first.result.close())
    t.match(saved.result, { status: 2, accepted: true })
    t.equal(await service.storedText(service.fileId), 'edited')
    expect('a save', saved.requests, 3)

    const unchanged = await join()
    const closed = await count(async () => await unchanged.close())
    expect('everybody leaves, and nothing was changed: a callback with status 4', closed.requests, 2)

    await manySaves(t, service, { average: 3 + 1, most: 3 })
  })

  await t.test('with the hook onSaved, redirected downloads, and force saves that are waited for', async t => {
    const service = await startCounting(t, { onSaved: async () => {} }, { redirectDownloads: true })
    const { count, expect, join, app, fileId } = service
    const download = await count(async () => await (await service.downloadAsDocumentServer(fileId)).text())
    t.equal(download.result, 'uploaded')
    expect('a download that is redirected', download.requests, 1)

    const session = await join()
    await session.edit('forced')
    const control = await app.editorControl().openDocument(fileId)
    const forced = await count(async () => await control.forceSave())
    t.match(forced.result, { saved: true })
    // While it waits, it reads the record every 250 ms.
    expect('a force save that is waited for, without reading the record', forced.requests.filter(request => request !== 'GET record'), 5)
    t.comment(`… and ${forced.requests.filter(request => request === 'GET record').length} GET record`)

    await session.edit('edited')
    const saved = await count(async () => await session.close())
    t.match(saved.result, { status: 2, accepted: true })
    expect('a save with onSaved', saved.requests, 3)
  })

  await t.test('with versions, changes and onSaved', async t => {
    const service = await startCounting(t, { onSaved: async () => {}, versions: { keep: 20 } })
    const { count, expect, join, app, fileId } = service
    const session = await join()
    await session.edit('edited')
    const saved = await count(async () => await session.close())
    t.match(saved.result, { status: 2, accepted: true })
    expect('a save with onSaved, a version and its changes', saved.requests, 4)

    await manySaves(t, service, { average: 4 + 2, most: 4 + 2 })

    const control = await app.editorControl().openDocument(fileId)
    const { history } = await control.history()
    t.equal(history.length, 21, 'no more versions than are to be kept')
    const restored = await count(async () => await control.restore(history[0]!.version))
    expect('restoring a version', withoutDeletions(restored.requests), 9)
  })
})

t.test('listing 200 versions takes 2 requests, and a look-up 1, whatever the number of documents', { skip: noS3 }, async t => {
  const { app, storage, fileId, uncounted, client, bucket, prefix, count, expect } = await startCounting(t, { versions: {} })
  const alone = await count(async () => await storage.stat(fileId))
  expect('looking a document up', alone.requests, 1)
  const nothing = await count(async () => await storage.stat('nothing'))
  expect('looking up what does not exist', nothing.requests, 1)

  let { info, record } = await uncounted.snapshot(fileId)
  let recordVersion = record?.version ?? null
  for (let version = 1; version <= VERSIONS; version++) {
    const committed = await uncounted.commit(fileId, Buffer.from(`content ${version}`), {
      ifRevision: info!.revision,
      ifRecordVersion: recordVersion,
      record: () => ({ format: 1, sessions: [], saves: [] }),
      keep: () => ({ details: {} })
    })
      ;({ info, recordVersion } = committed!)
  }
  const listed = await count(async () => await storage.versions!.list(fileId))
  t.equal(listed.result.length, VERSIONS)
  expect('listing 200 versions, by an instance that has not seen them', listed.requests, 2)
  const control = await app.editorControl().openDocument(fileId)
  const history = await count(async () => await control.history())
  t.equal(history.result.history.length, VERSIONS + 1)
  expect('showing 200 versions again', history.requests, 2)

  const text = JSON.stringify({ format: 2, content: null, state: null, versions: { last: 0, segments: [], entries: [] }, garbage: [], tags: [] })
  let made = 0
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (made < OTHERS) await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}records/other-${++made}.json`, Body: text }))
  }))
  t.strictSame((await count(async () => await storage.stat(fileId))).requests, alone.requests, `among ${OTHERS} documents`)
  t.strictSame((await count(async () => await storage.stat('nothing'))).requests, nothing.requests)
})

/** A service whose requests to the object store are counted, and an emulated document server: both really listening. */
async function startCounting (t: Test, options: Omit<HostOptions, 'clock'> = {}, storageOptions: Partial<S3StorageOptions> = {}): Promise<CountingService> {
  const { bucket, prefix, endpoint, newClient } = await s3(t)
  const proxy = await s3Proxy(t, endpoint)
  const [client, counted] = [newClient(), newClient({ endpoint: proxy.endpoint })]
  const storeTime = movableStoreTime(counted)
  const storage = s3Storage({
    client: counted,
    bucket,
    prefix,
    sweepInterval: false,
    ...storageOptions,
    // What the document server fetches there is no request of the application.
    ...(storageOptions.redirectDownloads !== undefined && { redirectDownloads: { client } })
  })
  await storage.ready()
  const uncounted = s3Storage({ client, bucket, prefix, sweepInterval: false })
  const clock = fakeClock({ autoAdvance: true })
  const documentServer = await startDocumentServer(t, { clock, sharedClock: true })
  const host = await startHost(t, { clock, documentServerOrigin: documentServer.url, storage, ...options })
  const fileId = await host.app.editorControl().setDocumentFromBytes(Buffer.from('uploaded'), 'Notes.txt')

  async function page (): Promise<EditorConfig> {
    return (await host.app.editorControl(ADA).openDocument(fileId)).config!
  }
  return {
    ...host,
    fileId,
    uncounted,
    client,
    bucket,
    prefix,
    page,
    async join (config) {
      const session = await documentServer.open(config ?? await page())
      await session.nextEvent('joined')
      return session
    },
    passTime: storeTime.pass,
    async count (work) {
      const before = proxy.requests.length
      const result = await work()
      return { result, requests: proxy.requests.slice(before).map(request => described(request, bucket, prefix)) }
    },
    expect (what, requests, most) {
      t.ok(requests.length <= most, `${what}: at most ${most} requests`, { requests })
      t.comment(`${what}: ${requests.length} (${requests.join(', ')})`)
    }
  }
}

/** Minutes pass between them, so that what they supersede is deleted, which they do not wait for. */
async function manySaves (t: Test, { join, count, passTime }: CountingService, limit: { readonly average: number, readonly most: number }): Promise<void> {
  const counts: number[] = []
  const all = await count(async () => {
    for (let save = 1; save <= SAVES; save++) {
      const session = await join()
      await session.edit(`edit ${save}`)
      const saved = await count(async () => await session.close())
      t.match(saved.result, { status: 2, accepted: true })
      counts.push(withoutDeletions(saved.requests).length)
      passTime(5 * MINUTE)
    }
  })
  const deletions = all.requests.length - withoutDeletions(all.requests).length
  const average = (counts.reduce((sum, one) => sum + one, 0) + deletions) / SAVES
  const most = Math.max(...counts)
  t.ok(average <= limit.average, `${SAVES} saves: at most ${limit.average} requests on average`, { counts })
  t.ok(most <= limit.most, `${SAVES} saves: at most ${limit.most} without deletions`, { counts })
  t.comment(`${SAVES} saves: ${average.toFixed(1)} requests on average, at most ${most} for one, and ${deletions} deletions of what they superseded`)
}

function withoutDeletions (requests: readonly string[]): readonly string[] {
  return requests.filter(request => !request.startsWith('DELETE'))
}

function described ({ method, url }: StoreRequest, bucket: string, prefix: string): string {
  const key = url.slice(`/${bucket}/${prefix}`.length)
  return `${method} ${key.startsWith('records/') ? 'record' : key.startsWith('contents/') ? 'content' : key}`
}
