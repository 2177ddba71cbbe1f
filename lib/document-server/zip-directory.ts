import { ZIP_END } from './file-signatures.js'

// Source of the signatures and offsets: APPNOTE.TXT, the specification of the zip format.

const END_BYTES = 22
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
/** Stands for a number that is kept elsewhere, with 64 bits. */
const ELSEWHERE = 0xFFFFFFFF
const MANY = 0xFFFF

/** What the last bytes of a zip file tell. */
export type ZipDirectory =
  | { readonly state: 'read', readonly names: readonly string[] }
  /** Bytes are missing, or something else stands where the directory should be. */
  | { readonly state: 'damaged' }
  /** The directory is longer than these bytes, or has numbers of 64 bits. */
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
