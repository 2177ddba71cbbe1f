import { assertBytes } from '../util/streams.js'
import { ZIP_END } from './file-signatures.js'
import { mediaTypeOf } from './formats.js'

export interface Inspection {
  /** Number of bytes at the beginning that `atStart` needs, if there are so many. */
  readonly startReach: number
  /** Number of bytes at the end that `atEnd` gets, if there are so many. */
  readonly endReach: number
  /** Called before the first byte is passed on. Throws if the content is refused. */
  atStart (start: Buffer): void
  /** Called after the last byte was passed on. Throws if the content is to fail. */
  atEnd (content: InspectedContent): void
}

export interface InspectedContent {
  /** The first bytes, at least `startReach` if there are so many. */
  readonly start: Buffer
  /** The last bytes, at least `endReach` if there are so many. */
  readonly end: Buffer
  /** Size in bytes. */
  readonly length: number
}

/** Passes content on and looks at its first and last bytes. */
export async function * inspected (
  content: AsyncIterable<Uint8Array>,
  { startReach, endReach, atStart, atEnd }: Inspection
): AsyncGenerator<Uint8Array> {
  const tail = createTail(endReach)
  let start = Buffer.alloc(0)
  let length = 0
  let hasStarted = false
  for await (const chunk of content) {
    assertBytes(chunk)
    tail.add(chunk)
    length += chunk.length
    if (hasStarted) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < startReach) continue
    atStart(start)
    hasStarted = true
    yield start
  }
  if (!hasStarted) {
    atStart(start)
    yield start
  }
  atEnd({ start, end: tail.bytes(), length })
}

/** Keeps copies of the last bytes that were added: a chunk of one byte may belong to a buffer of 64 KiB. */
function createTail (reach: number) {
  const buffer = Buffer.allocUnsafe(2 * reach)
  let filled = 0
  return {
    add (chunk: Uint8Array): void {
      const added = chunk.length > reach ? chunk.subarray(-reach) : chunk
      if (filled + added.length > buffer.length) {
        buffer.copyWithin(0, filled - reach, filled)
        filled = reach
      }
      buffer.set(added, filled)
      filled += added.length
    },
    bytes: (): Buffer => buffer.subarray(0, filled)
  }
}

/** Enough bytes at the end of a package for the directory of about 2,500 parts. */
export const DIRECTORY_REACH = 256 * 1024

const CONTENT_TYPES = '[content_types].xml'
const MANIFEST = 'meta-inf/manifest.xml'
const CONTAINER = 'meta-inf/container.xml'
/** The folder of the main part, by the formats of each editor. */
const OFFICE_FOLDERS: ReadonlyArray<readonly [formats: RegExp, folder: string]> = [
  [/^do[ct]/, 'word/'],
  [/^xl/, 'xl/'],
  [/^(pp|pot)/, 'ppt/'],
  [/^vs/, 'visio/']
]
const OPEN_DOCUMENT = /^o[dt][tspg]$/

// Offsets in the header of a part. Source: APPNOTE.TXT, the specification of the zip format.
const METHOD = 8
const SIZE = 22
const EXTRA_LENGTH = 28
const LOCAL_BYTES = 30
const STORED = 0

const MIME_TYPE = 'mimetype'
const TEMPLATE = /[-.]template$/

/**
 * Whether a package that begins with these bytes names another format: a text that is a spreadsheet, or a book that is
 * a text. A template counts as its format.
 */
export function namesOtherFormat (start: Buffer, format: string): boolean {
  const mediaType = namedMediaType(start)
  return mediaType !== undefined && familyOf(mediaType) !== familyOf(mediaTypeOf(format))
}

/** The media type in the first part, which some packages store uncompressed, so that it can be read. */
function namedMediaType (start: Buffer): string | undefined {
  const nameEnd = LOCAL_BYTES + MIME_TYPE.length
  if (
    start.length < nameEnd || start.toString('latin1', LOCAL_BYTES, nameEnd) !== MIME_TYPE ||
    start.readUInt16LE(METHOD) !== STORED
  ) return undefined
  const contentAt = nameEnd + start.readUInt16LE(EXTRA_LENGTH)
  return start.toString('latin1', contentAt, contentAt + start.readUInt32LE(SIZE)).trim() || undefined
}

function familyOf (mediaType: string): string {
  return mediaType.replace(TEMPLATE, '')
}

/** Whether a package with these parts can be of a format. */
export function hasPartsOf (format: string, names: readonly string[]): boolean {
  const parts = names.map(name => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase())
  if (OPEN_DOCUMENT.test(format)) return parts.includes(MANIFEST)
  if (format === 'epub') return parts.includes(CONTAINER)
  const own = OFFICE_FOLDERS.find(([formats]) => formats.test(format))?.[1]
  if (own === undefined) return true
  if (!parts.includes(CONTENT_TYPES)) return false
  const hasFolder = (folder: string) => parts.some(part => part.startsWith(folder))
  // The main part may be anywhere, but hardly ever in the folder of another format.
  return hasFolder(own) || !OFFICE_FOLDERS.some(([, folder]) => hasFolder(folder))
}

// Source of the signatures and offsets: APPNOTE.TXT, the specification of the zip format.

const END_BYTES = 22
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
/** Means that the number is stored elsewhere, with 64 bits. */
const ELSEWHERE = 0xFFFFFFFF
const MANY = 0xFFFF

/** The result of reading the last bytes of a zip file. */
type ZipDirectory =
  | { readonly state: 'read', readonly names: readonly string[] }
  /** Bytes are missing, or there is something else in place of the directory. */
  | { readonly state: 'damaged' }
  /** The directory is longer than these bytes, or has 64-bit numbers. */
  | { readonly state: 'unread' }

const DAMAGED = { state: 'damaged' } as const
const UNREAD = { state: 'unread' } as const

/** Reads the directory at the end of a zip file of `length` bytes. */
export function readZipDirectory (end: Buffer, length: number): ZipDirectory {
  const endAt = end.lastIndexOf(ZIP_END)
  if (endAt < 0 || endAt + END_BYTES > end.length) return DAMAGED
  const [count, offset] = [end.readUInt16LE(endAt + 10), end.readUInt32LE(endAt + 16)]
  if (count === MANY || offset === ELSEWHERE) return UNREAD
  const hidden = length - end.length
  return offset < hidden ? UNREAD : readEntries(end.subarray(offset - hidden, endAt), count)
}

function readEntries (directory: Buffer, count: number): ZipDirectory {
  const names: string[] = []
  for (let at = 0; names.length < count;) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY) return DAMAGED
    const nameAt = at + ENTRY_BYTES
    const nameEnd = nameAt + directory.readUInt16LE(at + 28)
    names.push(directory.toString('utf8', nameAt, nameEnd))
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return { state: 'read', names }
}
