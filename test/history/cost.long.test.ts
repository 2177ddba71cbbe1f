import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { fileStorage, type Storage } from '../../lib/index.js'
import { fileLookup } from '../../lib/storage/file-lookup.js'
import { fileState, recordPaths } from '../../lib/storage/file-state.js'
import { modesFor } from '../../lib/storage/file-system.js'
import { s3Storage } from '../../lib/storage/s3/index.js'
import { BLOCK, editLog } from '../../lib/storage/version-log-editor.js'
import { EMPTY_LOG, parseSegment, type VersionLog } from '../../lib/storage/version-log.js'
import { noS3, s3, s3Proxy, type TestS3 } from '../kit/s3.js'
import { startService } from '../kit/sessions.js'

// What so many saves would have left, written at once. Contents, changes and details of these versions are missing: no
// save needs them.

interface StoredLog {
  readonly log: VersionLog
  /** The segments: by name their texts, and the numbers of their newest versions. */
  readonly segments: ReadonlyMap<string, readonly [text: string, last: number]>
}

/** Each fourth one ends a session: the two before it may go when there are too many. */
async function logOf (versions: number): Promise<StoredLog> {
  const segments = new Map<string, [string, number]>()
  let log = EMPTY_LOG
  for (let version = 1; version <= versions; version++) {
    const editor = editLog(log, {
      read: async ({ blob }) => parseSegment('a', segments.get(blob.name)![0]),
      async write (text, last) {
        const name = randomUUID()
        segments.set(name, [text, last])
        return { name, size: text.length }
      }
    })
    const time = new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString()
    const [content, changes, details] = [100_000, 20_000, 25_000].map(size => ({
      name: randomUUID(),
      size,
      mtimeNs: '1'
    })) as [StoredBlob, StoredBlob, StoredBlob]
    editor.keep({
      version,
      revision: `revision ${version}`,
      extension: 'txt',
      modifiedAt: time,
      keptAt: time,
      content,
      changes,
      details,
      session: `session ${Math.floor(version / 4)}`
    })
    await editor.roll()
    for (const name of editor.superseded().keys()) segments.delete(name)
    log = editor.log()
  }
  return { log, segments }
}

type StoredBlob = VersionLog['segments'][number]['blob']

export async function writeVersionsToFiles (directory: string, fileId: string, versions: number): Promise<void> {
  const root = join(directory, '.fastify-onlyoffice-versions')
  const { log, segments } = await logOf(versions)
  const { folderOf } = recordPaths(root)
  const closing = new AbortController()
  const { store, prepare } = fileState(root, { directory, modes: modesFor(), lookup: fileLookup(directory), ready: async () => {}, closing: closing.signal }, () => true)
  await prepare()
  closing.abort()
  await store.set(fileId, { format: 1, log, superseded: [] }, (await store.get(fileId))?.version ?? null)
  for (const [name, [text, last]] of segments) {
    const path = join(folderOf(fileId), 'blobs', String(Math.floor(last / BLOCK)), name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

export async function writeVersionsToStore ({ client, bucket, prefix, textOf }: TestS3, fileId: string, versions: number): Promise<void> {
  const { log, segments } = await logOf(versions)
  const put = async (key: string, text: string) => await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: text }))
  for (const [name, [text]] of segments) await put(`contents/${fileId}/${name}`, text)
  await put(`records/${fileId}.json`, JSON.stringify({ ...JSON.parse(await textOf(`records/${fileId}.json`)), versions: log }))
}

export interface DiskCost {
  /** Calls to the file system. */
  calls: number
  /** What was read and written, the names in listed directories included. */
  bytes: number
}

type Call = (this: unknown, ...args: unknown[]) => Promise<unknown>
type Calls = Record<string, Call>

const FUNCTIONS = ['link', 'lstat', 'mkdir', 'open', 'readFile', 'readdir', 'rename', 'rmdir', 'stat', 'unlink', 'writeFile']
const METHODS = ['close', 'read', 'readFile', 'stat', 'sync', 'utimes', 'write', 'writeFile']

/** Counts the calls of this process that concern such paths, until the end of the test. */
export async function diskCost (t: Test, isMeant: (path: string) => boolean): Promise<DiskCost> {
  const cost: DiskCost = { calls: 0, bytes: 0 }
  const require = createRequire(import.meta.url)
  const promises = require('node:fs/promises') as Calls
  const handle = await promises.open!(import.meta.filename, 'r') as { close (): Promise<void> }
  const methods = Object.getPrototypeOf(handle) as Calls
  await handle.close()
  const meant = new WeakSet<object>()

  const counted = (name: string, call: Call, concerns: (self: unknown, args: readonly unknown[]) => boolean): Call => async function (...args) {
    const result = await call.apply(this, args)
    if (!concerns(this, args)) return result
    cost.calls++
    if (name === 'open') meant.add(result as object)
    else if (name === 'write' || name === 'writeFile') cost.bytes += lengthOf(args[name === 'writeFile' && this === undefined ? 1 : 0])
    else if (name === 'readFile') cost.bytes += lengthOf(result)
    else if (name === 'read') cost.bytes += (result as { bytesRead: number }).bytesRead
    else if (name === 'readdir') cost.bytes += (result as string[]).reduce((sum, entry) => sum + entry.length, 0)
    return result
  }
  const replace = (target: Calls, names: readonly string[], concerns: (self: unknown, args: readonly unknown[]) => boolean) => {
    const originals = names.map(name => [name, target[name]!] as const)
    for (const [name, call] of originals) target[name] = counted(name, call, concerns)
    t.teardown(() => {
      for (const [name, call] of originals) target[name] = call
      syncBuiltinESMExports()
    })
  }
  replace(promises, FUNCTIONS, (_self, args) => args.some(path => typeof path === 'string' && isMeant(path)))
  replace(methods, METHODS, self => meant.has(self as object))
  syncBuiltinESMExports()
  return cost
}

function lengthOf (data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data)
  return data instanceof Uint8Array ? data.byteLength : 0
}

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
