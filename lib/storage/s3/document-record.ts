import type { FileInfo, StoredVersion } from '../../../types/storage.js'
import { parseJson } from '../../json.js'
import { isDocumentRecord, isVersionList } from './document-record.compiled.js'
import type { DocumentRecord, StoredContent, VersionEntry } from './document-record.schema.js'
import type { StoreTime } from './store-time.js'

export type { Blob, DocumentRecord, StoredContent, VersionEntry } from './document-record.schema.js'

const MAX_TAGS = 16
const MAX_INLINE_VERSIONS = 16
const MAX_INLINE_BYTES = 32 * 1024
const MAX_REMOVED = 32

/**
 * Whether a write that was based on `base`, and was made, would be among the tags of the record as it is now. It would be the next one
 * after those of `base`.
 */
export function showsNextWrite ({ tags }: DocumentRecord, base: DocumentRecord | null): boolean {
  const last = base?.tags.at(-1)
  return tags.length < MAX_TAGS || (last !== undefined && tags.includes(last))
}

/** Whether a record is the one of `base` after further writes: not one of a document that was created since under the same fileId. */
export function isLaterStateOf ({ tags }: DocumentRecord, base: DocumentRecord): boolean {
  return tags.some(tag => base.tags.includes(tag))
}

/** Superseded objects stay for as long as somebody may read them, or have a URL for them. */
export const GARBAGE_MS = 15 * 60_000
const GARBAGE_BATCH = 8

export const EMPTY_RECORD: DocumentRecord = { format: 1, content: null, state: null, versions: { last: 0, entries: [], older: null }, garbage: [], tags: [] }

/** `undefined` when the text is damaged, or was written by a version of this library that stores documents otherwise. */
export function parseRecord (text: string): DocumentRecord | undefined {
  const value = parseJson(text)
  return isDocumentRecord(value) ? value : undefined
}

export function parseList (text: string): readonly VersionEntry[] | undefined {
  const value = parseJson(text)
  return isVersionList(value) ? value.entries : undefined
}

export function listText (entries: readonly VersionEntry[]): string {
  return JSON.stringify({ format: 1, entries })
}

export function infoOf (fileId: string, { extension, size, modifiedAt, revision }: StoredContent): FileInfo {
  return { fileId, extension, size, modifiedAt: new Date(modifiedAt), revision }
}

export function storedVersion ({ version, revision, extension, modifiedAt, keptAt, content, changes, details }: VersionEntry): StoredVersion {
  return {
    version,
    revision,
    extension,
    size: content.size,
    modifiedAt: new Date(modifiedAt),
    keptAt: new Date(keptAt),
    changesSize: changes?.size ?? null,
    details: structuredClone(details)
  }
}

/** Names the content that counts from now on. */
export function withContent (record: DocumentRecord, content: StoredContent): DocumentRecord {
  return withGarbage({ ...record, content }, record.content ? [record.content.name] : [])
}

export function withState (record: DocumentRecord, value: unknown, version: string): DocumentRecord {
  return { ...record, state: { value, version } }
}

/** Keeps the present content as a version, or changes what is kept with it. `undefined` when there is no content. */
export function withVersion (record: DocumentRecord, { changes, details, keptAt }: Pick<VersionEntry, 'changes' | 'details' | 'keptAt'>): { readonly record: DocumentRecord, readonly entry: VersionEntry } | undefined {
  const { content, versions } = record
  if (!content) return undefined
  const newest = versions.entries.at(-1)
  const same = newest?.revision === content.revision ? newest : undefined
  const { name, size, extension, modifiedAt, revision } = content
  const entry: VersionEntry = {
    ...same ?? { version: versions.last + 1, revision, extension, modifiedAt, keptAt, content: { name, size } },
    changes,
    details
  }
  const changed = { ...record, versions: { ...versions, last: entry.version, entries: [...same ? versions.entries.slice(0, -1) : versions.entries, entry] } }
  return { record: withGarbage(changed, same?.changes ? [same.changes.name] : []), entry }
}

/** `older`: all entries of the older list. */
export function withoutVersions (record: DocumentRecord, older: readonly VersionEntry[], numbers: ReadonlySet<number>): DocumentRecord {
  const { versions } = record
  const gone = [...presentEntries(record, older), ...versions.entries].filter(({ version }) => numbers.has(version))
  if (gone.length === 0) return record
  const goneFromList = older.filter(entry => gone.includes(entry)).map(({ version }) => version)
  const changed: DocumentRecord = {
    ...record,
    versions: {
      ...versions,
      entries: versions.entries.filter(entry => !gone.includes(entry)),
      older: versions.older && { ...versions.older, removed: [...versions.older.removed, ...goneFromList] }
    }
  }
  return withGarbage(changed, gone.flatMap(namesOfEntry))
}

/** The entries of the older list that have not been removed. */
export function presentEntries ({ versions }: DocumentRecord, older: readonly VersionEntry[]): readonly VersionEntry[] {
  const removed = new Set(versions.older?.removed)
  return older.filter(({ version }) => !removed.has(version))
}

/** Whether entries have to move into the older list. */
export function isCrowded ({ versions: { entries, older } }: DocumentRecord): boolean {
  return (older?.removed.length ?? 0) > MAX_REMOVED ||
    entries.length > MAX_INLINE_VERSIONS ||
    (entries.length > 1 && Buffer.byteLength(JSON.stringify(entries)) > MAX_INLINE_BYTES)
}

/** Splits the versions into those of a new list, and the newest, which stays: it may have the present content. */
export function splitVersions (record: DocumentRecord, older: readonly VersionEntry[]): { readonly listed: readonly VersionEntry[], readonly inline: readonly VersionEntry[] } {
  const { entries } = record.versions
  return { listed: [...presentEntries(record, older), ...entries.slice(0, -1)], inline: entries.slice(-1) }
}

export function withList (record: DocumentRecord, inline: readonly VersionEntry[], list: string | undefined): DocumentRecord {
  const { versions } = record
  const changed: DocumentRecord = { ...record, versions: { ...versions, entries: [...inline], older: list === undefined ? null : { name: list, removed: [] } } }
  return withGarbage(changed, versions.older ? [versions.older.name] : [])
}

export function namesOfEntry ({ content, changes }: VersionEntry): string[] {
  return [content.name, ...changes ? [changes.name] : []]
}

/** All objects that a record needs, with those that its older list names. */
export function namesIn (record: DocumentRecord, older: readonly VersionEntry[]): Set<string> {
  return new Set([...directNames(record), ...presentEntries(record, older).flatMap(namesOfEntry)])
}

function directNames ({ content, versions }: DocumentRecord): Set<string> {
  return new Set([...content ? [content.name] : [], ...versions.entries.flatMap(namesOfEntry), ...versions.older ? [versions.older.name] : []])
}

/** No object of the older list is superseded before it is removed, or the present content. */
function withGarbage (record: DocumentRecord, candidates: readonly string[]): DocumentRecord {
  const named = directNames(record)
  const names = new Set(candidates.filter(name => !named.has(name)))
  return names.size === 0 ? record : { ...record, garbage: [...record.garbage, ...[...names].map(name => ({ name }))] }
}

/**
 * What is actually written, and the names of objects that can be deleted once it is.
 *
 * What an earlier write has superseded gets its time now, when that write has certainly ended: a time from before it would be too
 * early if the writer was suspended in between.
 */
export function finished (record: DocumentRecord, { tag, time }: { readonly tag: string, readonly time: StoreTime }, base: DocumentRecord | null): { readonly record: DocumentRecord, readonly ripe: readonly string[] } {
  const old = new Set(base?.garbage.map(({ name }) => name))
  const stamped = record.garbage.map(item => item.since === undefined && old.has(item.name) ? { ...item, since: time.latest } : item)
  const ripe = stamped.filter(({ since }) => since !== undefined && since + GARBAGE_MS <= time.earliest)
  const isBatch = ripe.length >= GARBAGE_BATCH
  return {
    record: { ...record, garbage: isBatch ? stamped.filter(item => !ripe.includes(item)) : stamped, tags: [...record.tags, tag].slice(-MAX_TAGS) },
    ripe: isBatch ? ripe.map(({ name }) => name) : []
  }
}
