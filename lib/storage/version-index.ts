import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { StateRecord, StoredVersion } from '../../types/storage.js'
import { parseVersion } from './state-generations.js'
import { BLOB_NAME } from './version-blobs.js'

const BlobSchema = Type.Object({
  name: Type.String({ pattern: BLOB_NAME.source }),
  size: Type.Integer({ minimum: 0 }),
  /** Modification time in nanoseconds. */
  mtimeNs: Type.String({ pattern: '^-?\\d+$' })
})

const EntrySchema = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  revision: Type.String(),
  extension: Type.String(),
  modifiedAt: Type.String(),
  keptAt: Type.String(),
  content: BlobSchema,
  changes: Type.Union([BlobSchema, Type.Null()]),
  details: Type.Unknown()
})

const IndexSchema = Type.Object({
  /** The highest number ever given. */
  last: Type.Integer({ minimum: 0 }),
  /** Oldest first. */
  versions: Type.Array(EntrySchema)
})

/** A kept version, and the files with its content and changes. */
export type VersionEntry = Readonly<Static<typeof EntrySchema>>

/** All kept versions of one document. */
export interface VersionIndex {
  readonly last: number
  readonly versions: readonly VersionEntry[]
}

/** The index in a record. One that a broken disk has damaged is empty, but no number is given again. */
export function indexIn (record: StateRecord | null): VersionIndex {
  if (record === null) return { last: 0, versions: [] }
  // Every new version is a new generation of the record, so the numbers of generations are at least as high.
  return Check(IndexSchema, record.value) ? record.value : { last: parseVersion(record.version).number, versions: [] }
}

/** The names of all files that an index refers to. */
export function blobNames ({ versions }: VersionIndex): ReadonlySet<string> {
  return new Set(versions.flatMap(({ content, changes }) => [content.name, ...changes ? [changes.name] : []]))
}

export function storedVersion ({ content, changes, modifiedAt, keptAt, ...entry }: VersionEntry): StoredVersion {
  return { ...entry, size: content.size, modifiedAt: new Date(modifiedAt), keptAt: new Date(keptAt), changesSize: changes?.size ?? null }
}
