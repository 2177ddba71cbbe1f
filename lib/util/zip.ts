import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

// Source of the records and signatures: APPNOTE.TXT, the specification of the zip format.
export const PART = 0x04034b50
export const PART_BYTES = 30
export const ENTRY = 0x02014b50
const END = 0x06054b50
const UTF_8 = 0x0800
export const STORED = 0
export const DEFLATED = 8

/** Little-endian numbers of `size` bytes. */
function numbers (size: 2 | 4, ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, size * index, size)
  return bytes
}

const ENTRY_BYTES = 46
/** Part of a file that is rewritten is small: it only names the others. */
const MAX_REWRITTEN_BYTES = 4 * 1024 ** 2

/**
 * Rewrites the parts that `rewritten` returns a new text for; all others keep their bytes. Throws if the file is
 * damaged, or has 64-bit numbers.
 *
 * @param rewritten Gets the path of a part in lower case, and a function that reads its text.
 */
export function rewriteZip (file: Buffer, rewritten: (path: string, read: () => string) => string | undefined): Buffer {
  const endAt = file.lastIndexOf(numbers(4, END))
  const directoryAt = file.readUInt32LE(endAt + 16)
  const entries: Array<{ readonly entry: Buffer, readonly offset: number }> = []
  for (let at = directoryAt, count = file.readUInt16LE(endAt + 10); count > 0; count--) {
    const variable = file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
    const entry = Buffer.from(file.subarray(at, at += ENTRY_BYTES + variable))
    if (entry.readUInt32LE(0) !== ENTRY) throw new RangeError() // the caller knows which file
    entries.push({ entry, offset: entry.readUInt32LE(42) })
  }
  const written: Buffer[] = []
  let size = 0
  const inOrder = entries.toSorted((a, b) => a.offset - b.offset)
  for (const [index, { entry, offset }] of inOrder.entries()) {
    const name = entry.subarray(ENTRY_BYTES, ENTRY_BYTES + entry.readUInt16LE(28))
    const method = entry.readUInt16LE(10)
    const text = rewritten(name.toString().toLowerCase(), () => {
      const at = offset + PART_BYTES + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
      const packed = file.subarray(at, at + entry.readUInt32LE(20))
      return (method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: MAX_REWRITTEN_BYTES })).toString()
    })
    let part = file.subarray(offset, inOrder[index + 1]?.offset ?? directoryAt)
    if (text !== undefined) {
      const content = Buffer.from(text)
      const packed = method === STORED ? content : deflateRawSync(content)
      entry.writeUInt16LE(UTF_8, 8)
      numbers(4, crc32(content), packed.length, content.length).copy(entry, 16)
      part = Buffer.concat([numbers(4, PART), entry.subarray(6, 28), numbers(2, name.length, 0), name, packed])
    }
    entry.writeUInt32LE(size, 42)
    written.push(part)
    size += part.length
  }
  const directory = Buffer.concat(entries.map(({ entry }) => entry))
  const end = Buffer.from(file.subarray(endAt))
  numbers(4, directory.length, size).copy(end, 12)
  return Buffer.concat([...written, directory, end])
}
