import t from 'tap'
import type { S3Storage } from '../../lib/store/s3/index.js'
import type { StoredDocument } from '../../types/storage.js'
import { chunksOf, noS3, proxiedStorage, type StoreFault, textOf } from '../kit/s3.js'

t.setTimeout(300_000)

const FAULTS: Readonly<Record<string, StoreFault>> = {
  'is refused': 'refused',
  'is done and its answer lost': 'lost',
  'arrives late': 'late',
  'is done and answered with 500': { doneWithStatus: 500 },
  'is answered with 503': { status: 503 }
}

/** Everything about a document, read without faults. */
interface Seen {
  readonly text: string | null
  readonly fileType: string | undefined
  readonly state: unknown
  readonly versions: ReadonlyArray<readonly [number, string | null, string | null]>
}

const OLD: Seen = { text: 'old', fileType: 'docx', state: 'old state', versions: [[1, 'first', 'first changes']] }

/** With so many more versions. */
function withMore (count: number): Seen {
  return { ...OLD, versions: [...OLD.versions, ...Array.from({ length: count }, (_, index) => [index + 2, `content ${index + 2}`, null] as const)] }
}

interface Attempt {
  /** Versions before it, without changes. */
  readonly more?: number
  run (storage: S3Storage, info: StoredDocument, recordVersion: string): Promise<unknown>
  readonly after: Seen
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  replace: {
    run: async (storage, { fileId, revision }) => await storage.replace(fileId, Buffer.from('new'), { ifRevision: revision, fileType: 'odt' }),
    after: { ...OLD, text: 'new', fileType: 'odt' }
  },
  'stage, and commit with a version and its changes': {
    async run (storage, { fileId, revision }, ifRecordVersion) {
      const staged = await storage.stage(fileId, chunksOf('n', 'ew'))
      try {
        return await storage.commit(fileId, staged, {
          ifRevision: revision,
          ifRecordVersion,
          record: () => 'new state',
          keep: () => ({ changes: Buffer.from('old changes') })
        })
      } finally {
        await staged.discard()
      }
    },
    after: { text: 'new', fileType: 'docx', state: 'new state', versions: [[1, 'first', 'first changes'], [2, 'old', 'old changes']] }
  },
  'commit that removes a version': {
    run: async (storage, { fileId, revision }, ifRecordVersion) =>
      await storage.commit(fileId, Buffer.from('new'), {
        ifRevision: revision,
        ifRecordVersion,
        record: () => 'new state',
        keep: () => ({}),
        prune: { keep: 1, maxBytes: Infinity, keptSince: new Date(0) }
      }),
    after: { ...OLD, text: 'new', state: 'new state', versions: [[2, 'old', null]] }
  },
  'commit that moves versions into a segment': {
    more: 16,
    run: async (storage, { fileId, revision }, ifRecordVersion) =>
      await storage.commit(fileId, Buffer.from('new'), {
        ifRevision: revision,
        ifRecordVersion,
        record: () => 'new state',
        keep: () => ({ details: 'x'.repeat(2000) })
      }),
    after: { ...withMore(16), text: 'new', state: 'new state', versions: [...withMore(16).versions, [18, 'old', null]] }
  },
  'state.set': {
    run: async (storage, { fileId }, version) => await storage.state.set(fileId, 'new state', version),
    after: { ...OLD, state: 'new state' }
  },
  'versions.keep': {
    run: async (storage, { fileId, revision }) => await storage.versions.keep(fileId, revision, { changes: Buffer.from('old changes') }),
    after: { ...OLD, versions: [[1, 'first', 'first changes'], [2, 'old', 'old changes']] }
  },
  'versions.remove': {
    run: async (storage, { fileId }) => { await storage.versions.remove(fileId, [1]); return true },
    after: { ...OLD, versions: [] }
  },
  remove: {
    run: async (storage, { fileId }) => await storage.remove(fileId),
    after: { text: null, fileType: undefined, state: null, versions: [] }
  }
}

for (const [name, { more = 0, run, after }] of Object.entries(ATTEMPTS)) {
  const old = withMore(more)
  t.test(`${name}: whichever request fails, and however, the document is as before or as after, and what is acknowledged is there`, { skip: noS3 }, async t => {
    const { storage, direct, proxy } = await proxiedStorage(t, { requestTimeout: 5000 })
    let faults = 0
    for (const [how, fault] of Object.entries(FAULTS)) {
      for (let nth = 1, wasReached = true; wasReached; nth++) {
        const { info, recordVersion } = await document(direct, more)
        wasReached = false
        const before = proxy.requests.length
        proxy.onRequest = ({ number }) => {
          if (number !== before + nth) return undefined
          wasReached = true
          faults++
          return fault
        }
        const outcome: unknown = await run(storage, info, recordVersion).catch((error: unknown) => error)
        proxy.onRequest = () => undefined
        const seen = await look(direct, info.fileId)
        const label = `request ${nth} of ${name} ${how}`
        if (outcome instanceof Error) {
          t.match((outcome as { code?: string }).code, /^FST_EDITOR_STORAGE/, label)
          if (JSON.stringify(seen) !== JSON.stringify(old)) t.strictSame(seen, after, label)
        } else {
          t.strictSame(seen, outcome ? after : old, label)
          if (name !== 'remove') t.ok(outcome, label)
        }
        await proxy.deliver()
        const later = await look(direct, info.fileId)
        if (JSON.stringify(later) !== JSON.stringify(seen)) t.strictSame([later, outcome instanceof Error], [after, true], `${label}: later`)
      }
    }
    t.ok(faults >= 2 * Object.keys(FAULTS).length)
  })
}

t.test('create: whichever request fails, what is acknowledged is there and nothing else', { skip: noS3 }, async t => {
  const { storage, direct, proxy, store } = await proxiedStorage(t, { requestTimeout: 5000 })
  const acknowledged = new Set<string>()
  for (const [how, fault] of Object.entries(FAULTS)) {
    for (let nth = 1, wasReached = true; wasReached; nth++) {
      wasReached = false
      const before = proxy.requests.length
      proxy.onRequest = ({ number }) => {
        if (number !== before + nth) return undefined
        wasReached = true
        return fault
      }
      const outcome = await storage.create('docx', chunksOf('content')).catch((error: Error) => error)
      proxy.onRequest = () => undefined
      if (outcome instanceof Error) continue
      acknowledged.add(`records/${outcome.fileId}.json`)
      t.equal(await textOf(direct, outcome.fileId), 'content', `request ${nth} ${how}`)
    }
  }
  await proxy.deliver()
  t.strictSame(new Set(await store.list('records/')), acknowledged)
})

t.test('content stays if its record arrives at last, after every repeat has failed', { skip: noS3 }, async t => {
  const { storage, direct, proxy } = await proxiedStorage(t)
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  proxy.onRequest = ({ method, url }) => method === 'PUT' && url.includes('/records/') ? 'late' : undefined
  await t.rejects(storage.replace(fileId, Buffer.from('new')), { code: 'FST_EDITOR_STORAGE' })
  await new Promise(resolve => setTimeout(resolve, 500)) // for deletions in the background
  await proxy.deliver()
  t.equal(await textOf(direct, fileId), 'new')
})

async function document (storage: S3Storage, more: number): Promise<{ info: StoredDocument, recordVersion: string }> {
  const first = await storage.create('docx', Buffer.from('first'))
  await storage.versions.keep(first.fileId, first.revision, { changes: Buffer.from('first changes') })
  let present = first
  for (let version = 2; version <= more + 1; version++) {
    present = (await storage.replace(present.fileId, Buffer.from(`content ${version}`)))!
    await storage.versions.keep(present.fileId, present.revision)
  }
  const { info, recordVersion } =
    (await storage.commit(first.fileId, Buffer.from('old'), {
      ifRevision: present.revision,
      ifRecordVersion: null,
      record: () => 'old state'
    }))!
  return { info, recordVersion }
}

async function look (storage: S3Storage, fileId: string): Promise<Seen> {
  const { info, record } = await storage.snapshot(fileId)
  const listed = await storage.versions.list(fileId)
  const part = async (version: number, name: 'content' | 'changes') => {
    const found = await storage.versions.read(fileId, version, name)
    return found && Buffer.concat(await found.body.toArray()).toString()
  }
  return {
    text: await textOf(storage, fileId),
    fileType: info?.fileType,
    state: record?.value ?? null,
    versions: await Promise.all(listed.map(async ({ version }) => [version, await part(version, 'content'), await part(version, 'changes')] as const))
  }
}
