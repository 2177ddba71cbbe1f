import { crc32, deflateRawSync } from 'node:zlib'

// Source of all offsets and signatures: APPNOTE.TXT, the specification of the zip format.
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const END = 0x06054b50
const END_BYTES = 22
const VERSION = 20
const UTF_8 = 0x0800
const STORED = 0
const DEFLATED = 8
/** 1980-01-01, the first day of the format. A constant date keeps the bytes of a document the same at any time. */
const FIRST_DAY = 0x0021

/** The parts of a package by path, in order. */
export type Parts = Readonly<Record<string, string>>

/** Writes a zip file. Parts in `stored` are not compressed. */
export function zip (parts: Parts, stored: readonly string[] = []): Buffer {
  const written: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [path, text] of Object.entries(parts)) {
    const name = Buffer.from(path)
    const content = Buffer.from(text)
    const method = stored.includes(path) ? STORED : DEFLATED
    const packed = method === STORED ? content : deflateRawSync(content)
    const fields = sharedFields({
      method,
      crc: crc32(content),
      packedSize: packed.length,
      size: content.length,
      nameLength: name.length
    })
    directory.push(entryHeader(fields, at), name)
    written.push(localHeader(fields), name, packed)
    at += LOCAL_BYTES + name.length + packed.length
  }
  const entries = Buffer.concat(directory)
  return Buffer.concat([...written, entries, endRecord(directory.length / 2, entries.length, at)])
}

interface Fields {
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly nameLength: number
}

/** The fields that both headers of a part contain. */
function sharedFields ({ method, crc, packedSize, size, nameLength }: Fields): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(UTF_8, 2)
  fields.writeUInt16LE(method, 4)
  fields.writeUInt16LE(FIRST_DAY, 8)
  fields.writeUInt32LE(crc, 10)
  fields.writeUInt32LE(packedSize, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(nameLength, 22)
  return fields
}

function localHeader (fields: Buffer): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(LOCAL, 0)
  fields.copy(header, 4)
  return header
}

function entryHeader (fields: Buffer, at: number): Buffer {
  const header = Buffer.alloc(ENTRY_BYTES)
  header.writeUInt32LE(ENTRY, 0)
  header.writeUInt16LE(VERSION, 4)
  fields.copy(header, 6)
  header.writeUInt32LE(at, 42)
  return header
}

function endRecord (count: number, length: number, at: number): Buffer {
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(at, 16)
  return end
}
