import { randomUUID } from 'node:crypto'
import type { StoredVersion, VersionStore } from '../../../types/storage.js'
import { BoundedMap } from '../../bounded-map.js'
import { acceptContent } from '../../content.js'
import { StorageError } from '../../errors.js'
import { isSafeFileId } from '../../security/file-id.js'
import { assertKeepOptions, assertVersionNumbers } from '../call-options.js'
import { detailsText } from '../version-details.js'
import {
  type DocumentRecord, isCrowded, listText, parseList, presentEntries, splitVersions, storedVersion, type VersionEntry, withList, withoutVersions,
  withVersion
} from './document-record.js'
import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'
import { type Change, OutdatedRecord, type Records } from './records.js'
import { blobOf, naming, type Staging } from './staging.js'

export interface S3Versions {
  readonly store: VersionStore
  /** All versions of a record, oldest first. */
  entries (fileId: string, record: DocumentRecord): Promise<readonly VersionEntry[]>
  /** Those in the older list of a record, also the removed ones. */
  older (fileId: string, record: DocumentRecord): Promise<readonly VersionEntry[]>
  removed (fileId: string, record: DocumentRecord, numbers: readonly number[]): Promise<DocumentRecord>
  /** Moves entries into a new list if there are too many in the record. */
  tidied (fileId: string, record: DocumentRecord): Promise<Change>
}

export interface VersionsDependencies {
  readonly store: ObjectStore
  readonly names: ObjectNames
  readonly records: Records
  readonly staging: Staging
  readonly deleteLater: (fileId: string, names: readonly string[]) => void
  readonly ready: () => Promise<void>
}

const MAX_LISTS = 200
const MAX_LIST_LENGTH = 128 * 1024
const MAX_READ_ATTEMPTS = 3

export function createVersions ({ store, names, records, staging, deleteLater, ready }: VersionsDependencies): S3Versions {
  /** Texts of older lists by key: they never change. */
  const lists = new BoundedMap<string, string>(MAX_LISTS)

  async function older (fileId: string, { versions }: DocumentRecord): Promise<readonly VersionEntry[]> {
    if (!versions.older) return []
    const key = names.content(fileId, versions.older.name)
    const text = lists.get(key) ?? (await store.get(key))?.text
    if (text === undefined) throw new OutdatedRecord('the list of older versions of a document')
    const found = parseList(text)
    if (!found) throw new StorageError('the list of older versions of a document is damaged', { retryable: false })
    rememberList(key, text)
    return found
  }

  function rememberList (key: string, text: string): void {
    if (text.length <= MAX_LIST_LENGTH) lists.set(key, text)
  }

  async function entries (fileId: string, record: DocumentRecord): Promise<readonly VersionEntry[]> {
    return [...presentEntries(record, await older(fileId, record)), ...record.versions.entries]
  }

  /** The versions of a file as they are in the store. A list that was superseded since its record was read may be deleted. */
  async function present (fileId: string): Promise<readonly VersionEntry[]> {
    if (!isSafeFileId(fileId)) return []
    await ready()
    for (let attempt = 1; ; attempt++) {
      const { record } = await records.read(fileId)
      if (!record?.content) return []
      try {
        return await entries(fileId, record)
      } catch (error) {
        if (!(error instanceof OutdatedRecord) || attempt === MAX_READ_ATTEMPTS) throw error
      }
    }
  }

  async function removed (fileId: string, record: DocumentRecord, numbers: readonly number[]): Promise<DocumentRecord> {
    return withoutVersions(record, await older(fileId, record), new Set(numbers))
  }

  async function tidied (fileId: string, record: DocumentRecord): Promise<Change> {
    if (!isCrowded(record)) return { record }
    const { listed, inline } = splitVersions(record, await older(fileId, record))
    if (listed.length === 0) return { record: withList(record, inline, undefined) }
    const name = randomUUID()
    const key = names.content(fileId, name)
    const text = listText(listed)
    await store.put(key, text)
    rememberList(key, text)
    return { record: withList(record, inline, name), undo: () => deleteLater(fileId, [name]) }
  }

  const versions: VersionStore = {
    list: async fileId => (await present(fileId)).map(storedVersion),

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const { details, changes } = options
      if (changes !== undefined) acceptContent(changes, { name: 'changes' })
      const text = detailsText(details)
      if (!isSafeFileId(fileId)) return null
      await ready()
      if ((await records.read(fileId)).record?.content?.revision !== revision) return null
      const placed = changes && await staging.place(fileId, changes)
      const keptAt = new Date().toISOString()
      let kept: StoredVersion | undefined
      const isKept = await naming(placed ? [placed] : [], async onSending => await records.write(fileId, async record => {
        if (record?.content?.revision !== revision) return null
        placed?.assertFresh()
        const { entry, ...changed } = withVersion(record, { details: JSON.parse(text), changes: blobOf(placed), keptAt })!
        kept = storedVersion(entry)
        return await tidied(fileId, changed.record)
      }, { onSending }))
      return isKept ? kept! : null
    },

    async read (fileId, version, part = 'content') {
      const entry = (await present(fileId)).find(candidate => candidate.version === version)
      const blob = part === 'changes' ? entry?.changes : entry?.content
      const body = blob && await store.open(names.content(fileId, blob.name), blob.size)
      return body ? { version: storedVersion(entry!), body } : null
    },

    async remove (fileId, numbers) {
      assertVersionNumbers(numbers)
      if (!isSafeFileId(fileId)) return
      await ready()
      await records.write(fileId, async record => {
        if (!record?.content) return null
        const changed = await removed(fileId, record, numbers)
        return changed === record ? null : await tidied(fileId, changed)
      })
    }
  }

  return { store: versions, entries, older, removed, tidied }
}
