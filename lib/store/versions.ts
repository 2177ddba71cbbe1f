import type { VersionKeepOptions, StoredVersion, VersionStore } from '../../types/storage.js'
import { limitConcurrency } from '../util/queue.js'
import { bytesOf } from '../util/streams.js'
import {
  acceptChanges, assertKeepOptions, assertLabel, assertListOptions, assertVersionNumbers, detailsText
} from './call-options.js'
import type { Contents, PlaceOnce } from './contents.js'
import type { Driver } from './contract.js'
import {
  type DocumentRecord, type FileRecord, type Kept, labelled, presentVersion, storedVersion, type VersionEntry,
  withoutVersions, withVersion
} from './record.js'
import type { Records } from './records.js'

/** Bytes of JSON text. Longer details are in a blob, not in the record, which every change reads and writes. */
const MAX_SHORT_DETAILS = 1024
/** How many long details of a list are read at once. */
const READ_AT_ONCE = 16

/** The earlier contents that the records of documents name. */
export function createVersions (driver: Driver, records: Records, contents: Contents) {
  async function described (fileId: string, entry: VersionEntry): Promise<StoredVersion> {
    const { details } = entry
    if (typeof details === 'string') return storedVersion(entry, details)
    const body = await driver.read(fileId, details)
    return storedVersion(entry, body ? (await bytesOf(body)).toString() : undefined)
  }

  /** A version's data besides its content. Its changes, and long details, are stored in blobs. */
  async function keptAs (
    { details, changes, session, priority }: VersionKeepOptions, keptAt: Date, placeOnce: PlaceOnce
  ): Promise<Kept> {
    const text = detailsText(details)
    return {
      keptAt: keptAt.toISOString(),
      details: Buffer.byteLength(text) > MAX_SHORT_DETAILS ? await placeOnce(text) : text,
      changes: changes ? await placeOnce(changes) : null,
      ...(session !== undefined && { session }),
      ...(priority !== undefined && { priority })
    }
  }

  /** Resolves to whether the record was changed. */
  async function change (
    fileId: string, changer: (record: DocumentRecord) => DocumentRecord | undefined
  ): Promise<boolean> {
    return await records.change(fileId, record => {
      const changed = record?.content ? changer(record) : undefined
      return changed === undefined || changed === record ? null : changed
    })
  }

  return {
    keptAs,

    /** The newest version of a record; `null` if it has none. */
    async newest (fileId: string, { versions }: DocumentRecord): Promise<StoredVersion | null> {
      const entry = versions.at(-1)
      return entry ? await described(fileId, entry) : null
    },

    store: {
      async list (fileId, options = {}) {
        assertListOptions(options)
        const record = await records.recordOf(fileId)
        const entries = record?.content ? record.versions.slice(-(options.newest ?? 0)) : []
        const inTurn = limitConcurrency({ concurrency: READ_AT_ONCE })
        return await Promise.all(entries.map(async entry => await inTurn(async () => await described(fileId, entry))))
      },

      async keep (fileId, revision, options = {}) {
        assertKeepOptions(options)
        const changes = acceptChanges(options)
        const text = detailsText(options.details)
        const isPresent = (record: DocumentRecord | null): record is FileRecord =>
          record?.content?.revision === revision
        if (!isPresent(await records.recordOf(fileId))) return null
        const keptAt = new Date()
        let entry: VersionEntry | undefined
        const isKept = await contents.name(fileId, [], async (record, placeOnce) => {
          if (!isPresent(record)) return null
          entry = presentVersion(record, await keptAs({ ...options, ...(changes && { changes }) }, keptAt, placeOnce))
          return withVersion(record, entry)
        })
        return isKept ? storedVersion(entry!, text) : null
      },

      async read (fileId, version, part = 'content') {
        const record = await records.recordOf(fileId)
        const entry = record?.content && record.versions.find(candidate => candidate.version === version)
        const blob = part === 'changes' ? entry?.changes : entry?.content
        const body = blob && await driver.read(fileId, blob)
        return body ? { version: await described(fileId, entry!), body } : null
      },

      async remove (fileId, numbers) {
        assertVersionNumbers(numbers)
        await change(fileId, record => withoutVersions(record, numbers))
      },

      async label (fileId, version, label) {
        assertLabel(label)
        return await change(fileId, record => labelled(record, version, label))
      }
    } satisfies VersionStore
  }
}
