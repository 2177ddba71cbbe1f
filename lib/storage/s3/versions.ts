import { randomUUID } from 'node:crypto'
import type { KeepOptions, StoredVersion, VersionLimits, VersionStore } from '../../../types/storage.js'
import { StorageError, UnknownRecordError } from '../../errors.js'
import { BoundedMap } from '../../util/bounded-map.js'
import { limitConcurrency } from '../../util/queue.js'
import {
  acceptChanges, assertKeepOptions, assertLabel, assertLimits, assertListOptions, assertVersionNumbers
} from '../call-options.js'
import {
  areLong, blobsOf, detailsText, orderOf, parseSegment, type Segment, segmentsOfNewest, storedVersion, type VersionEntry
} from '../version-log.js'
import { editLog, type LogEditor } from '../version-log-editor.js'
import {
  type Change, directNames, type DocumentRecord, type FileRecord, type Kept, presentVersion, type Records, withGarbage
} from './document-record.js'
import type { S3Services } from './services.js'
import type { PlaceOnce, Staging } from './staging.js'

export type S3Versions = ReturnType<typeof createVersions>

const MAX_TEXTS = 200
const MAX_TEXT_LENGTH = 128 * 1024
const MAX_READ_ATTEMPTS = 3
/** How many long details of a list are read at once. */
const READ_AT_ONCE = 16

export function createVersions ({ store, names, deleteLater }: S3Services, records: Records, staging: Staging) {
  /** Texts of segments and details by key, which never change. */
  const texts = new BoundedMap<string, string>(MAX_TEXTS)

  async function textOf (fileId: string, name: string): Promise<string | undefined> {
    const key = names.content(fileId, name)
    const text = texts.get(key) ?? (await store.get(key))?.text
    if (text !== undefined) remember(key, text)
    return text
  }

  function remember (key: string, text: string): void {
    if (text.length <= MAX_TEXT_LENGTH) texts.set(key, text)
  }

  async function readSegment (fileId: string, { blob }: Segment): Promise<readonly VersionEntry[] | undefined> {
    let entries: readonly VersionEntry[] | undefined
    try {
      entries = parseSegment(fileId, await textOf(fileId, blob.name) ?? '')
      return entries
    } finally {
      if (!entries) texts.delete(names.content(fileId, blob.name)) // somebody may restore it
    }
  }

  async function readSegments (fileId: string, segments: readonly Segment[]) {
    return await Promise.all(segments.map(async segment => await readSegment(fileId, segment)))
  }

  async function described (fileId: string, entry: VersionEntry): Promise<StoredVersion> {
    const { details } = entry
    return storedVersion(entry, typeof details === 'string' ? details : await textOf(fileId, details.name))
  }

  /**
   * The entries of a record from the given segments. Retries, because a segment that was superseded since the record
   * was read may be deleted.
   */
  async function present (
    fileId: string, segmentsOf: (log: DocumentRecord['versions']) => readonly Segment[]
  ): Promise<readonly VersionEntry[]> {
    for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
      const record = await records.recordOf(fileId)
      if (!record?.content) return []
      const { versions } = record
      const segments = await readSegments(fileId, segmentsOf(versions))
      if (segments.every(entries => entries !== undefined)) return [...segments.flat(), ...versions.entries]
    }
    throw new StorageError('a list of older versions of a document is missing or damaged', { retryable: false })
  }

  /** Applies an edit to the log of a record. */
  async function changed (
    fileId: string, record: DocumentRecord, edit: (editor: LogEditor) => Promise<unknown>
  ): Promise<Change> {
    const written: string[] = []
    const editor = editLog(record.versions, {
      read: async segment => await readSegment(fileId, segment),
      async write (text) {
        const name = randomUUID()
        written.push(name)
        await store.put(names.content(fileId, name), text)
        remember(names.content(fileId, name), text)
        return { name, size: Buffer.byteLength(text) }
      }
    })
    await edit(editor)
    if (editor.log() === record.versions) return { record }
    return {
      record: withGarbage({ ...record, versions: editor.log() }, editor.superseded().keys()),
      undo: () => deleteLater(fileId, written)
    }
  }

  /** Keeps the present content, and removes what exceeds the limits. */
  async function kept (fileId: string, record: FileRecord, given: Kept | undefined, limits?: VersionLimits) {
    return await changed(fileId, record, async editor => {
      if (given) {
        editor.keep(presentVersion(record, given))
        await editor.roll().catch(() => {}) // only shortens the log: the next change tries again
      }
      if (limits) await editor.prune(limits).catch(() => {})
    })
  }

  /** The given fields of a version. Its changes, and details that are long, are placed in objects. */
  async function keptAs (fileId: string, given: KeepOptions, keptAt: Date, placeOnce: PlaceOnce): Promise<Kept> {
    const text = detailsText(given.details)
    const blob = areLong(text) ? await placeOnce(text) : undefined
    if (blob) remember(names.content(fileId, blob.name), text) // the next save needs it
    const changes = given.changes ? await placeOnce(given.changes) : null
    return { details: blob ?? text, changes, keptAt: keptAt.toISOString(), ...orderOf(given) }
  }

  async function change (fileId: string, edit: (editor: LogEditor) => Promise<void>): Promise<void> {
    await records.write(fileId, async record => {
      if (!record?.content) return null
      const made = await changed(fileId, record, edit)
      return made.record === record ? null : made
    })
  }

  return {
    keptAs,
    kept,

    /** The newest version of a record; `null` if it has none. */
    async newest (fileId: string, record: DocumentRecord): Promise<StoredVersion | null> {
      const segments = await readSegments(fileId, segmentsOfNewest(record.versions, 1))
      const entry = [...segments.flatMap(entries => entries ?? []), ...record.versions.entries].at(-1)
      return entry ? await described(fileId, entry) : null
    },

    /**
     * Names of all objects that a record needs. If a segment is missing, damaged or of a newer version of this library,
     * its names are unknown and `areAll` is `false`.
     */
    async named (fileId: string, record: DocumentRecord) {
      const segments = await Promise.all(record.versions.segments.map(async segment =>
        await readSegment(fileId, segment).catch(error => {
          if (!(error instanceof UnknownRecordError)) throw error
        })
      ))
      const named = segments.flatMap(entries => [...blobsOf(entries ?? []).keys()])
      return {
        names: new Set([...directNames(record), ...named]),
        areAll: segments.every(entries => entries !== undefined)
      }
    },

    store: {
      async list (fileId, options = {}) {
        assertListOptions(options)
        const { newest = Infinity } = options
        const entries = await present(fileId, log => segmentsOfNewest(log, newest))
        const inTurn = limitConcurrency({ concurrency: READ_AT_ONCE })
        const describe = async (entry: VersionEntry) => await inTurn(async () => await described(fileId, entry))
        return await Promise.all(entries.slice(-newest).map(describe))
      },

      async keep (fileId, revision, options = {}) {
        assertKeepOptions(options)
        const changes = acceptChanges(options)
        const text = detailsText(options.details)
        if ((await records.recordOf(fileId))?.content?.revision !== revision) return null
        const keptAt = new Date()
        let version: StoredVersion | undefined
        const isKept = await staging.naming(fileId, [], async ({ placeOnce, assertFresh, onSending }) => {
          const given = await keptAs(fileId, { ...options, ...(changes && { changes }) }, keptAt, placeOnce)
          return await records.write(fileId, async record => {
            if (record?.content?.revision !== revision) return null
            assertFresh()
            const present = { ...record, content: record.content }
            version = storedVersion(presentVersion(present, given), text)
            return await kept(fileId, present, given)
          }, { onSending })
        })
        return isKept ? version! : null
      },

      async read (fileId, version, part = 'content') {
        const hasIt = ({ first, last }: Segment) => version >= first && version <= last
        const entries = await present(fileId, ({ segments }) => segments.filter(hasIt))
        const entry = entries.find(candidate => candidate.version === version)
        const blob = part === 'changes' ? entry?.changes : entry?.content
        const body = blob && await store.open(names.content(fileId, blob.name), blob.size)
        return body ? { version: await described(fileId, entry!), body } : null
      },

      async remove (fileId, numbers) {
        assertVersionNumbers(numbers)
        await change(fileId, async editor => { await editor.remove(numbers) })
      },

      async prune (fileId, limits) {
        assertLimits(limits)
        await change(fileId, async editor => { await editor.prune(limits) })
      },

      async label (fileId, version, label) {
        assertLabel(label)
        let isThere = false
        await change(fileId, async editor => { isThere = await editor.label(version, label) })
        return isThere
      }
    } satisfies VersionStore
  }
}
