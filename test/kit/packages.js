// Small packages: zip files with one part that is not compressed, so that what is in it can be read in them.
import { crc32 } from 'node:zlib'

const NAME = Buffer.from('content')
const PART_BYTES = 30 + NAME.length
const ENTRY_BYTES = 46 + NAME.length
const END_BYTES = 22
/** Bytes of the least significant byte of a size to which nothing in the package gets a byte of 128 or more. */
const MAX_LOW_BYTE = 127 - PART_BYTES

/**
 * A package with a content.
 * @param {Uint8Array} content
 * @returns {Buffer}
 */
export function zipOf (content) {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20) // version
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(content.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(NAME.length, 22)
  const end = Buffer.alloc(END_BYTES - 4)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(ENTRY_BYTES, 8)
  end.writeUInt32LE(PART_BYTES + content.length, 12)
  return Buffer.concat([
    Buffer.from('PK\x03\x04'), fields, NAME, content, Buffer.from('PK\x01\x02\x14\0'), fields, Buffer.alloc(14), NAME,
    Buffer.from('PK\x05\x06'), end
  ])
}

/**
 * The content of a package that `zipOf` made, or `undefined` for anything else.
 * @param {Buffer} bytes
 */
export function contentIn (bytes) {
  const content = bytes.subarray(PART_BYTES, -(ENTRY_BYTES + END_BYTES))
  return zipOf(content).equals(bytes) ? content : undefined
}

/**
 * A package with a text, which is a text itself: it survives being decoded as UTF-8. Other texts give other packages.
 * @param {string} text
 * @returns {string}
 */
export function packageOf (text) {
  for (let number = 0; ; number++) {
    let content = `${text} ${number.toString(36)}`
    const { length } = Buffer.from(content)
    if (length % 256 > MAX_LOW_BYTE) content += ' '.repeat(256 - length % 256)
    const bytes = zipOf(Buffer.from(content))
    if (bytes.equals(Buffer.from(bytes.toString()))) return bytes.toString()
  }
}

/**
 * What happens to a file on its way although its length stays: by what it is called, the bytes that arrive.
 * @param {Buffer} file with at least two parts
 * @param {Buffer} other another file
 * @returns {Record<string, Buffer>}
 */
export function damagesOf (file, other) {
  const { length } = file
  const fifth = Math.floor(length / 5)
  const secondPart = file.indexOf('PK\x03\x04', 4)
  const directory = file.indexOf('PK\x01\x02')
  const end = file.lastIndexOf('PK\x05\x06')
  /** @type {(from: number, to: number, filling?: string | Buffer | number) => Buffer} */
  const filled = (from, to, filling = 0) => {
    const changed = Buffer.from(file)
    changed.fill(/** @type {any} */ (filling), from, to)
    return changed
  }
  const middle = Buffer.alloc(fifth, other.subarray(2 * fifth % other.length))
  return {
    'zeros after its first bytes': filled(4, fifth),
    'zeros in its middle': filled(2 * fifth, 3 * fifth),
    'zeros in its last fifth': filled(length - fifth, length),
    'zeros before its end record': filled(length - fifth, end),
    'zeros instead of its directory': filled(directory, end),
    'zeros instead of one entry of its directory': filled(directory, directory + 46),
    'zeros instead of its end record': filled(end, length),
    'zeros instead of the numbers in its end record': filled(end + 4, length),
    'ones instead of the numbers in its end record': filled(end + 8, end + 20, 0xff),
    'zeros instead of the head of a part': filled(secondPart, secondPart + 30),
    'zeros instead of the signature of a part': filled(secondPart, secondPart + 4),
    'the middle of another file': filled(2 * fifth, 3 * fifth, middle),
    'the beginning of another file': Buffer.concat([other.subarray(0, fifth), file.subarray(fifth)]).subarray(0, length),
    'the end of another file': Buffer.concat([file.subarray(0, length - fifth), other.subarray(-fifth)]),
    'a block twice': filled(2 * fifth, 3 * fifth, file.subarray(fifth, 2 * fifth)),
    'zeros instead of its second half': filled(length >> 1, length),
    'blanks instead of its second half': filled(length >> 1, length, ' '),
    'another name in its directory': filled(directory + 46, directory + 48, 'zz'),
    'another file after it': Buffer.concat([file, other.subarray(0, 1000)])
  }
}

/**
 * A file with one bit turned.
 * @param {Buffer} file
 * @param {number} bit
 */
export function flipped (file, bit) {
  const changed = Buffer.from(file)
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ 1 << (bit & 7), bit >> 3)
  return changed
}

/**
 * A package in which something stands before each part but the first, and before the directory.
 * @param {Buffer} file without 64-bit numbers
 * @param {Buffer} gap
 * @returns {Buffer}
 */
export function withGaps (file, gap) {
  const end = Buffer.from(file.subarray(file.lastIndexOf('PK\x05\x06')))
  const directoryAt = end.readUInt32LE(16)
  const directory = Buffer.from(file.subarray(directoryAt, directoryAt + end.readUInt32LE(12)))
  /** @type {Array<{ at: number, offset: number }>} */
  const entries = []
  for (let at = 0; at < directory.length;) {
    entries.push({ at, offset: directory.readUInt32LE(at + 42) })
    at += 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  entries.sort((a, b) => a.offset - b.offset)
  const written = entries.flatMap(({ at, offset }, index) => {
    directory.writeUInt32LE(offset + index * gap.length, at + 42)
    return [file.subarray(offset, entries[index + 1]?.offset ?? directoryAt), gap]
  })
  end.writeUInt32LE(directoryAt + entries.length * gap.length, 16)
  return Buffer.concat([...written, directory, end])
}
