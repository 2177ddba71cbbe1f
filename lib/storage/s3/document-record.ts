import type { FileInfo } from '../../../types/storage.js'
import { parseJson } from '../../json.js'
import { directBlobs, EMPTY_LOG, type VersionEntry, type VersionLog } from '../version-log.js'
import { isDocumentRecord } from './document-record.compiled.js'
import type { DocumentRecord, StoredContent } from './document-record.schema.js'
import type { StoreTime } from './store-time.js'

export type { DocumentRecord, StoredContent } from './document-record.schema.js'

const MAX_TAGS = 16

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

export const EMPTY_RECORD: DocumentRecord = { format: 2, content: null, state: null, versions: EMPTY_LOG, garbage: [], tags: [] }

/** `undefined` when the text is damaged, or was written by a version of this library that stores documents otherwise. */
export function parseRecord (text: string): DocumentRecord | undefined {
  const value = parseJson(text)
  return isDocumentRecord(value) ? value : undefined
}

export function infoOf (fileId: string, { extension, size, modifiedAt, revision }: StoredContent): FileInfo {
  return { fileId, extension, size, modifiedAt: new Date(modifiedAt), revision }
}

/** Names the content that counts from now on. */
export function withContent (record: DocumentRecord, content: StoredContent): DocumentRecord {
  return withGarbage({ ...record, content }, record.content ? [record.content.name] : [])
}

export function withState (record: DocumentRecord, value: unknown, version: string): DocumentRecord {
  return { ...record, state: { value, version } }
}

/** How the present content is kept as a version. */
export type Kept = Pick<VersionEntry, 'changes' | 'details' | 'session' | 'priority' | 'keptAt'>

/** The present content as the newest version. It has the number of the version that is this content already, if there is one. */
export function presentVersion ({ content, versions }: DocumentRecord & { readonly content: StoredContent }, { keptAt, ...kept }: Kept): VersionEntry {
  const { name, size, extension, modifiedAt, revision } = content
  const newest = versions.entries.at(-1)
  const { version, keptAt: since } = newest?.revision === revision ? newest : { version: versions.last + 1, keptAt }
  return { version, revision, extension, modifiedAt, keptAt: since, content: { name, size }, ...kept }
}

export function withVersions (record: DocumentRecord, versions: VersionLog, superseded: Iterable<string>): DocumentRecord {
  return withGarbage({ ...record, versions }, superseded)
}

/** All objects that a record names, except as garbage. */
export function directNames ({ content, versions }: DocumentRecord): Set<string> {
  return new Set([...content ? [content.name] : [], ...directBlobs(versions).keys()])
}

/** No object that a segment names is superseded before its version is removed. */
function withGarbage (record: DocumentRecord, candidates: Iterable<string>): DocumentRecord {
  const named = directNames(record)
  const names = new Set([...candidates].filter(name => !named.has(name)))
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
