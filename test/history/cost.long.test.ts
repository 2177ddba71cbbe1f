import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage, type Storage } from '../../lib/index.js'
import { s3Storage } from '../../lib/storage/s3/index.js'
import { diskCost } from './disk-cost.js'
import { noS3, s3 } from '../kit/s3.js'
import { s3Proxy } from '../helpers/s3-proxy.js'
import { startService } from '../kit/sessions.js'
import { writeVersionsToFiles, writeVersionsToStore } from './many-versions.js'

// What a save costs with many versions, counted where the plugin's calls arrive: at the file system, or at the object
// store.

t.setTimeout(300_000)

const COUNTED_SAVES = 64
/** Segments are put together and written anew: more of that is due in some stretches than in others. */
const TOLERANCE = 2
const MANY = 10_000

const CHANGES = Array.from(
  { length: 180 },
  (_, index) => ({
    created: '2026-01-02 03:04:05',
    user: { id: `user-${index % 7}`, name: 'A user who changed something' }
  })
)

interface Cost {
  readonly calls: number
  readonly bytes: number
}

/** Saves a document again and again, each time with 180 changes. */
async function startSaving (t: Test, storage: Storage, keep: number) {
  const service = await startService(t, { profile: 'classic', storage, versions: { keep } })
  const { fileId } = service
  const session = await service.open()
  await session.edit('saved')
  t.match(await session.forceSave(), { accepted: true })
  const { url } = service.sent(6)[0]!.body as { url: string }
  const key = await service.key()
  let saves = 0
  return {
    fileId,
    async save (times: number) {
      for (let count = 0; count < times; count++) {
        const number = ++saves // a save is known by its key, time and path
        const body = {
          status: 6,
          key,
          url: `${url}&number=${number}`,
          lastsave: new Date(Date.UTC(2126, 0, 1) + number * 1000).toISOString(),
          history: { serverVersion: '9.3.1', changes: CHANGES }
        }
        const { body: answer } = await service.postCallback(fileId, body)
        if (answer !== '{"error":0}') t.fail(answer)
      }
    }
  }
}

/** What a save costs on average. `make` makes so many versions of the document at once. */
async function costs (t: Test, storage: Storage, versions: number, now: () => Cost, make: (fileId: string) => Promise<void>): Promise<Cost> {
  const { fileId, save } = await startSaving(t, storage, Math.max(versions, 200))
  if (versions === MANY) await make(fileId)
  await save(versions === MANY ? 3 : versions)
  const before = { ...now() }
  await save(COUNTED_SAVES)
  const after = { ...now() }
  const newest = Math.min(versions, 200)
  t.ok((await storage.versions!.list(fileId, { newest })).length >= newest, 'what is kept is listed')
  const cost = { calls: (after.calls - before.calls) / COUNTED_SAVES, bytes: (after.bytes - before.bytes) / COUNTED_SAVES }
  t.comment(`a save with ${versions} versions: ${cost.calls.toFixed(1)} calls, ${Math.round(cost.bytes / 1024)} KiB`)
  return cost
}

function assertSame (t: Test, few: Cost, many: Cost): void {
  t.ok(many.calls <= few.calls * TOLERANCE, `${many.calls} calls instead of ${few.calls}`)
  t.ok(many.bytes <= few.bytes * TOLERANCE, `${many.bytes} bytes instead of ${few.bytes}`)
}

t.test('files: a save costs the same with 1, 200 and 10,000 versions of 180 changes', async t => {
  const measured: Cost[] = []
  for (const versions of [1, 200, MANY]) {
    await t.test(`${versions}`, async t => {
      const directory = join(t.testdir(), 'uploads')
      const cost = await diskCost(t, path => path.startsWith(directory) && path.includes('.fastify-onlyoffice-'))
      measured.push(
        await costs(t, fileStorage({ directory }), versions, () => cost, async fileId => {
          await writeVersionsToFiles(directory, fileId, versions)
        })
      )
    })
  }
  for (const cost of measured.slice(1)) assertSame(t, measured[0]!, cost)
})

t.test('S3: a save costs the same with 1, 200 and 10,000 versions of 180 changes', { skip: noS3 }, async t => {
  const measured: Cost[] = []
  for (const versions of [1, 200, MANY]) {
    await t.test(`${versions}`, async t => {
      const store = await s3(t)
      const proxy = await s3Proxy(t, store.endpoint)
      const storage = s3Storage({ ...store.options, client: store.newClient({ endpoint: proxy.endpoint }), sweepInterval: false })
      const calls = () => proxy.requests.filter(({ method }) => method !== 'DELETE').length // nobody waits for those
      measured.push(
        await costs(t, storage, versions, () => ({ calls: calls(), bytes: proxy.bytes }), async fileId => {
          await writeVersionsToStore(store, fileId, versions)
        })
      )
    })
  }
  for (const cost of measured.slice(1)) assertSame(t, measured[0]!, cost)
})
