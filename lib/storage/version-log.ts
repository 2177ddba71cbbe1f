import type { KeepOptions, StoredVersion } from '../../types/storage.js'
import { InvalidOptionError, UnknownRecordError } from '../errors.js'
import { parseJson } from '../util/text.js'
import { isSegmentContent } from './version-log.compiled.js'
import type { Segment, VersionEntry, VersionLog } from './version-log.schema.js'

export type { Blob, Segment, VersionEntry, VersionLog } from './version-log.schema.js'

/** Names of blobs, each with the number of its version. */
export type NamedBlobs = ReadonlyMap<string, number>

export const EMPTY_LOG: VersionLog = { last: 0, segments: [], entries: [] }

/**
 * Maximum bytes of JSON text in UTF-8. Longer details are kept outside the log, which every change reads and writes.
 */
const MAX_SHORT_DETAILS = 1024

export function areLong (details: string): boolean {
  return Buffer.byteLength(details) > MAX_SHORT_DETAILS
}

/**
 * Returns `undefined` if the text is damaged. Throws `UnknownRecordError` if it was written by a newer version of this
 * library.
 */
export function parseSegment (fileId: string, text: string): readonly VersionEntry[] | undefined {
  const value = parseJson(text)
  if (value === undefined) return undefined
  if (!isSegmentContent(value)) throw new UnknownRecordError('list of versions', fileId)
  return value.entries
}

export function segmentText (entries: readonly VersionEntry[]): string {
  return JSON.stringify({ format: 2, entries })
}

/** The fields that determine the order in which versions are removed. */
export function orderOf ({ session, priority }: KeepOptions): Pick<VersionEntry, 'session' | 'priority'> {
  return { ...(session !== undefined && { session }), ...(priority !== undefined && { priority }) }
}

/** `details`: JSON text. */
export function storedVersion (
  { version, revision, extension, modifiedAt, keptAt, content, changes, label }: VersionEntry, details = 'null'
): StoredVersion {
  return {
    version,
    revision,
    extension,
    size: content.size,
    modifiedAt: new Date(modifiedAt),
    keptAt: new Date(keptAt),
    changesSize: changes?.size ?? null,
    details: parseJson(details) ?? null,
    ...(label && { label })
  }
}

export function blobsOf (entries: readonly VersionEntry[]): NamedBlobs {
  return new Map(
    entries.flatMap(({ version, content, changes, details }) =>
      [content, changes, details].flatMap(blob =>
        blob === null || typeof blob === 'string' ? [] : [[blob.name, version] as const]
      )
    )
  )
}

/** The blobs that the log itself names, without the blobs in segments. */
export function directBlobs ({ segments, entries }: VersionLog): NamedBlobs {
  return new Map([...blobsOf(entries), ...segments.map(({ blob, last }) => [blob.name, last] as const)])
}

/** The segments that, together with the entries of the log, contain the newest `count` versions. */
export function segmentsOfNewest ({ segments, entries }: VersionLog, count = Infinity): readonly Segment[] {
  let found = entries.length
  const first = segments.findLastIndex(segment => (found += segment.count) >= count)
  return entries.length >= count ? [] : segments.slice(Math.max(first, 0))
}

const MAX_BYTES = 64 * 1024

/** The details of a version as JSON text. Throws `InvalidOptionError` if they cannot be kept. */
export function detailsText (details: unknown = null): string {
  let text: string | undefined
  try {
    text = JSON.stringify(details)
  } catch {} // a circular structure, or a BigInt
  if (text !== undefined && Buffer.byteLength(text) <= MAX_BYTES) return text
  throw new InvalidOptionError(
    'details',
    'must be a JSON value of at most 64 KiB: leave out what the list of versions need not show'
  )
}
