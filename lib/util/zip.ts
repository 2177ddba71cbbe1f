import { crc32, deflateRawSync } from 'node:zlib'

// Source of the records and signatures: APPNOTE.TXT, the specification of the zip format.
export const PART = 0x04034b50
export const PART_BYTES = 30
export const ENTRY = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const UTF_8 = 0x0800
export const STORED = 0
export const DEFLATED = 8
const NO_TIME = 0
/** 1980-01-01, the first day of the format. A constant date keeps the bytes of a document the same at any time. */
const FIRST_DAY = 0x0021

const NO_COMMENT_OR_ATTRIBUTES = Buffer.alloc(10)

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
    const fields = Buffer.concat([
      shorts(VERSION, UTF_8, method, NO_TIME, FIRST_DAY),
      longs(crc32(content), packed.length, content.length),
      shorts(name.length, 0)
    ])
    const part = Buffer.concat([longs(PART), fields, name, packed])
    directory.push(longs(ENTRY), shorts(VERSION), fields, NO_COMMENT_OR_ATTRIBUTES, longs(at), name)
    written.push(part)
    at += part.length
  }
  const entries = Buffer.concat(directory)
  const count = written.length
  const end = [longs(END), shorts(0, 0, count, count), longs(entries.length, at), shorts(0)]
  return Buffer.concat([...written, entries, ...end])
}

/** Little-endian numbers of 2 bytes. */
function shorts (...values: number[]): Buffer {
  return numbers(2, values)
}

/** Little-endian numbers of 4 bytes. */
function longs (...values: number[]): Buffer {
  return numbers(4, values)
}

function numbers (size: number, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, size * index, size)
  return bytes
}
