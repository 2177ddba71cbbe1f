import { crc32, inflateRawSync } from 'node:zlib'
import { DEFLATED, END, END_BYTES, ENTRY, ENTRY_BYTES, LOCAL, LOCAL_BYTES, STORED, type ZipEntry } from './entry.js'

const ENCRYPTED = 1
const ZIP64 = 1
const IN_ZIP64 = 0xFFFFFFFF

const LIMITS = { entries: 10_000, entryBytes: 64 * 1024 * 1024, allBytes: 256 * 1024 * 1024 }

/** An entry with its position, including its local header. */
interface Located extends ZipEntry {
  readonly from: number
  readonly to: number
}

/**
 * Lists the entries of a zip file without unpacking them. Throws if it is not a zip file or would unpack to more than
 * the limits.
 */
export function readZip (bytes: Uint8Array): ZipEntry[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfZip(view)
  const count = view.readUInt16LE(end + 10)
  if (count > LIMITS.entries) throw new RangeError(`The file has more than ${LIMITS.entries} parts`)
  const entries: Located[] = []
  let at = view.readUInt32LE(end + 16)
  let unpacked = 0
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > end || view.readUInt32LE(at) !== ENTRY) throw damaged()
    const entry = readEntry(view, at)
    unpacked += entry.size
    if (entry.size > LIMITS.entryBytes || unpacked > LIMITS.allBytes) {
      throw new RangeError(`${entry.name} unpacks to too many bytes`)
    }
    entries.push(entry)
    at += ENTRY_BYTES + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32)
  }
  refuseOverlaps(entries)
  return entries
}

/** Unpacks an entry. Stops at the announced size, however much the entry contains. */
export function unpack ({ name, method, flags, packed, size, crc }: ZipEntry): Uint8Array {
  if ((flags & ENCRYPTED) !== 0) throw new TypeError(`${name} is encrypted`)
  if (method !== STORED && method !== DEFLATED) throw new TypeError(`${name} has an unknown compression method`)
  const content = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  if (content.length !== size || crc32(content) !== crc) throw new TypeError(`${name} is damaged`)
  return content
}

/** Finds the end record, which only a comment of at most 64 KiB can follow. */
function endOfZip (view: Buffer): number {
  for (let at = view.length - END_BYTES; at >= Math.max(0, view.length - END_BYTES - 0xFFFF); at--) {
    if (view.readUInt32LE(at) === END) return at
  }
  throw new TypeError('It is not a zip file')
}

function readEntry (view: Buffer, at: number): Located {
  const nameEnd = at + ENTRY_BYTES + view.readUInt16LE(at + 28)
  const extra = view.subarray(nameEnd, nameEnd + view.readUInt16LE(at + 30))
  const [size, packedSize, from] = largeNumbers(extra, [
    view.readUInt32LE(at + 24),
    view.readUInt32LE(at + 20),
    view.readUInt32LE(at + 42)
  ])
  if (from + LOCAL_BYTES > view.length || view.readUInt32LE(from) !== LOCAL) throw damaged()
  const start = from + LOCAL_BYTES + view.readUInt16LE(from + 26) + view.readUInt16LE(from + 28)
  const to = start + packedSize
  if (to > view.length) throw damaged()
  const rawName = view.subarray(at + ENTRY_BYTES, nameEnd)
  return {
    name: rawName.toString(),
    rawName,
    flags: view.readUInt16LE(at + 8),
    method: view.readUInt16LE(at + 10),
    modified: view.readUInt32LE(at + 12),
    crc: view.readUInt32LE(at + 16),
    size,
    packed: view.subarray(start, to),
    attributes: view.readUInt32LE(at + 38),
    from,
    to
  }
}

/**
 * Programs that don't know the sizes in advance write them as 64-bit numbers into an extra field, however small they
 * are.
 */
function largeNumbers (extra: Buffer, numbers: [number, number, number]): [number, number, number] {
  let at = 0
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== ZIP64) at += 4 + extra.readUInt16LE(at + 2)
  at += 4
  return numbers.map(number => {
    if (number !== IN_ZIP64) return number
    if (at + 8 > extra.length) throw damaged()
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  }) as [number, number, number]
}

/** Entries that share their bytes would make a small file unpack to a huge one. */
function refuseOverlaps (entries: readonly Located[]): void {
  const ordered = entries.toSorted((a, b) => a.from - b.from)
  if (ordered.some(({ from }, index) => index > 0 && from < ordered[index - 1]!.to)) throw damaged()
}

function damaged (): TypeError {
  return new TypeError('The zip file is damaged')
}
