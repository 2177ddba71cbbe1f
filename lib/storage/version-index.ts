import type { StateRecord, StoredVersion } from '../../types/storage.js'
import { isJsonObject, parseJson } from '../json.js'
import { parseVersion } from './state-generations.js'
import { type Blob, isBlob } from './version-blobs.js'

/** A kept version, and the files with its content and changes. */
export interface VersionEntry extends Pick<StoredVersion, 'version' | 'revision' | 'extension'> {
  /** ISO 8601. */
  readonly modifiedAt: string
  readonly keptAt: string
  readonly content: Blob
  readonly changes: Blob | null
  /** JSON text, which only a listing has to parse. */
  readonly details: string
}

/** All kept versions of one document. */
export interface VersionIndex {
  /** The highest number ever given. */
  readonly last: number
  /** Oldest first. */
  readonly versions: readonly VersionEntry[]
}

/** The index in a record. One that a broken disk has damaged is empty, but no number is given again. */
export function indexIn (record: StateRecord | null): VersionIndex {
  if (record === null) return { last: 0, versions: [] }
  // Every new version is a new generation of the record, so the numbers of generations are at least as high.
  return isIndex(record.value) ? record.value : { last: parseVersion(record.version).number, versions: [] }
}

/** The names of all files that an index refers to. */
export function blobNames ({ versions }: VersionIndex): ReadonlySet<string> {
  return new Set(versions.flatMap(({ content, changes }) => [content.name, ...changes ? [changes.name] : []]))
}

export function storedVersion ({ content, changes, modifiedAt, keptAt, details, ...entry }: VersionEntry): StoredVersion {
  return {
    ...entry,
    size: content.size,
    modifiedAt: new Date(modifiedAt),
    keptAt: new Date(keptAt),
    changesSize: changes?.size ?? null,
    details: parseJson(details) ?? null
  }
}

/** By hand: a schema takes longer to check than everything else that a listing does. */
function isIndex (value: unknown): value is VersionIndex {
  return isJsonObject(value) && isNumber(value.last) && Array.isArray(value.versions) && value.versions.every(isEntry)
}

function isEntry (value: unknown): value is VersionEntry {
  return isJsonObject(value) && isNumber(value.version) && isBlob(value.content) && (value.changes === null || isBlob(value.changes)) &&
    [value.revision, value.extension, value.modifiedAt, value.keptAt, value.details].every(text => typeof text === 'string')
}

function isNumber (value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
