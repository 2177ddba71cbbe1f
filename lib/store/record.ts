import type { StoredDocument, StoredVersion, VersionLabel } from '../../types/storage.js'
import type { VersionLimits } from './contract.js'
import { StorageError, UnknownRecordError } from '../errors.js'
import { parseJson } from '../util/text.js'
import { withoutUndefined } from '../util/validate.js'
import { isDocumentRecord } from './record.compiled.js'
import type { DocumentRecord, StoredContent, VersionEntry } from './record.schema.js'
import { thinnedOut } from './thinning.js'

// Reads and changes records. Pure functions: blobs that a change no longer names become garbage when it is written
// (records.ts).

export type { DocumentRecord, StoredContent, VersionEntry } from './record.schema.js'

/** The record of a document that exists. */
export type FileRecord = DocumentRecord & { readonly content: StoredContent }

export const EMPTY: DocumentRecord =
  { format: 1, content: null, state: null, versions: [], lastVersion: 0, garbage: [], tags: [] }

/** @throws as `known` does. */
export function knownRecord (fileId: string, value: unknown): DocumentRecord {
  return known(isDocumentRecord, fileId, value)
}

/**
 * @throws UnknownRecordError: a newer version of this library has written it.
 * @throws StorageError: it is damaged.
 */
export function known<Stored> (isStored: (value: unknown) => value is Stored, fileId: string, value: unknown): Stored {
  if (isStored(value)) return value
  if (value !== undefined) throw new UnknownRecordError('record', fileId)
  throw new StorageError('the record of the document is damaged: nothing is changed', { retryable: false })
}

/** `null` if there is no document. */
export function fileOf (fileId: string, record: DocumentRecord | null): StoredDocument | null {
  return record?.content ? infoOf(fileId, record.content) : null
}

export function infoOf (fileId: string, { fileType, size, modifiedAt, revision }: StoredContent): StoredDocument {
  return { fileId, fileType, size, modifiedAt: new Date(modifiedAt), revision }
}

export function stateOf (record: DocumentRecord | null) {
  // A driver may remember the record: whoever gets the value may change it.
  return record?.state ? structuredClone(record.state) : null
}

/** The names of all blobs that a record needs: not its garbage. */
export function namesIn ({ content, versions }: DocumentRecord): Set<string> {
  const blobs = versions.flatMap(({ content, changes, details }) => [content, changes, details])
  const names = blobs.flatMap(blob => blob === null || typeof blob === 'string' ? [] : [blob.name])
  return new Set(content ? [content.name, ...names] : names)
}

/** The names of all blobs that a record may still have, its garbage included. */
export function allNamesIn (record: DocumentRecord): string[] {
  return [...namesIn(record), ...record.garbage.map(({ name }) => name)]
}

/** A version's data besides its content. */
export type Kept = Pick<VersionEntry, 'keptAt' | 'changes' | 'details' | 'session' | 'priority'>

/**
 * The present content as the newest version. If the newest version already is this content, it keeps its number and its
 * label.
 */
export function presentVersion ({ content, versions, lastVersion }: FileRecord, kept: Kept): VersionEntry {
  const { name, size, fileType, modifiedAt, revision } = content
  const newest = versions.at(-1)
  const same = newest?.revision === revision ? newest : undefined
  return {
    version: same?.version ?? lastVersion + 1,
    revision,
    fileType,
    modifiedAt,
    content: { name, size },
    ...kept,
    ...(same && { keptAt: same.keptAt }),
    ...(same?.label && { label: same.label })
  }
}

export function withVersion (record: FileRecord, entry: VersionEntry): FileRecord {
  const others = record.versions.filter(({ version }) => version !== entry.version)
  return { ...record, versions: [...others, entry], lastVersion: entry.version }
}

export function withoutVersions<Present extends DocumentRecord> (record: Present, numbers: readonly number[]): Present {
  const left = record.versions.filter(({ version }) => !numbers.includes(version))
  return left.length === record.versions.length ? record : { ...record, versions: left }
}

export function withinLimits<Present extends DocumentRecord> (record: Present, limits: VersionLimits): Present {
  const versions = record.versions.map(entry => ({
    ...entry,
    keptAt: new Date(entry.keptAt),
    bytes: entry.content.size + (entry.changes?.size ?? 0),
    hasLabel: entry.label !== undefined
  }))
  return withoutVersions(record, thinnedOut(versions, limits))
}

/** `undefined` if there is no such version. */
export function labelled (
  record: DocumentRecord, number: number, label: VersionLabel | null
): DocumentRecord | undefined {
  if (!record.versions.some(({ version }) => version === number)) return undefined
  const versions = record.versions.map(({ label: before, ...entry }): VersionEntry => {
    const present = entry.version === number ? label && withoutUndefined(label) : before
    return present ? { ...entry, label: present } : entry
  })
  return { ...record, versions }
}

/** `details`: JSON text. */
export function storedVersion (
  { version, revision, fileType, modifiedAt, keptAt, content, changes, label }: VersionEntry, details = 'null'
): StoredVersion {
  return {
    version,
    revision,
    fileType,
    size: content.size,
    modifiedAt: new Date(modifiedAt),
    keptAt: new Date(keptAt),
    changesSize: changes?.size ?? null,
    details: parseJson(details) ?? null,
    ...(label && { label })
  }
}

/**
 * Whether this version of the library knows the format of a value in the `state` of a storage. The plugin checks the
 * rest of its records; a storage must only know what it may remove.
 */
export function isOfKnownFormat (value: unknown): boolean {
  const { format = 1 } = Object(value) as { readonly format?: unknown }
  return format === 1
}
