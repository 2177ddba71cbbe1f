import { crc32, deflateRawSync } from 'node:zlib'
import { DEFLATED, END, END_BYTES, ENTRY, ENTRY_BYTES, LOCAL, LOCAL_BYTES, STORED, type ZipEntry } from './entry.js'

const VERSION = 20
const UTF_8 = 0x0800
const HAS_DESCRIPTOR = 8
// 1980-01-01, the first day of the format.
const FIRST_DAY = 0x00210000

/** The entry with new content and the same compression method. */
export function repack (entry: ZipEntry, content: Uint8Array): ZipEntry {
  const packed = entry.method === STORED ? content : deflateRawSync(content)
  return {
    ...entry,
    method: entry.method === STORED ? STORED : DEFLATED,
    crc: crc32(content),
    size: content.length,
    packed
  }
}

/** @param method `STORED` for an entry that must be readable without decompression. */
export function newEntry (
  name: string,
  content: Uint8Array,
  method: typeof STORED | typeof DEFLATED = DEFLATED
): ZipEntry {
  const entry = {
    name,
    rawName: Buffer.from(name),
    flags: UTF_8,
    method,
    modified: FIRST_DAY,
    crc: 0,
    size: 0,
    packed: content,
    attributes: 0
  }
  return repack(entry, content)
}

/** Writes a zip file. Compressed data is copied, not compressed again. */
export function writeZip (entries: readonly ZipEntry[]): Uint8Array {
  const written: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const entry of entries) {
    const header = fieldsOf(entry)
    directory.push(entryHeader(header, entry, at), entry.rawName)
    const local = Buffer.alloc(LOCAL_BYTES)
    local.writeUInt32LE(LOCAL, 0)
    header.copy(local, 4)
    written.push(local, entry.rawName, entry.packed)
    at += LOCAL_BYTES + entry.rawName.length + entry.packed.length
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...written, ...directory, end])
}

function entryHeader (header: Buffer, { attributes }: ZipEntry, at: number): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES)
  entry.writeUInt32LE(ENTRY, 0)
  entry.writeUInt16LE(VERSION, 4)
  header.copy(entry, 6)
  entry.writeUInt32LE(attributes, 38)
  entry.writeUInt32LE(at, 42)
  return entry
}

/** The fields that both headers of an entry share. */
function fieldsOf ({ flags, method, modified, crc, packed, size, rawName }: ZipEntry): Buffer {
  const header = Buffer.alloc(26)
  header.writeUInt16LE(VERSION, 0)
  header.writeUInt16LE(flags & ~HAS_DESCRIPTOR, 2)
  header.writeUInt16LE(method, 4)
  header.writeUInt32LE(modified, 6)
  header.writeUInt32LE(crc, 10)
  header.writeUInt32LE(packed.length, 14)
  header.writeUInt32LE(size, 18)
  header.writeUInt16LE(rawName.length, 22)
  return header
}
