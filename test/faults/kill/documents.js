import { createHash } from 'node:crypto'

const ZIP = Buffer.from('PK\x03\x04')
const ZIP_END = Buffer.from('PK\x05\x06')
const CHECKSUM_BYTES = 32

/**
 * A document that begins and ends like a zip file, tells what it is and ends with a checksum of all that.
 * @param {{ fileId: string, version: number }} identity
 * @param {number} size bytes of filling
 */
export function makeDocument ({ fileId, version }, size) {
  const head = Buffer.concat([ZIP, Buffer.from(`${JSON.stringify({ fileId, version })}\n`)])
  const content = Buffer.concat([head, Buffer.alloc(size, `${fileId} ${version} `), ZIP_END])
  return Buffer.concat([content, checksum(content)])
}

/**
 * The version of a whole document of this file, or `undefined` for anything else.
 * @param {Buffer} bytes
 * @param {string} fileId
 * @returns {number | undefined}
 */
export function versionOf (bytes, fileId) {
  const content = bytes.subarray(0, -CHECKSUM_BYTES)
  if (bytes.length < CHECKSUM_BYTES || !checksum(content).equals(bytes.subarray(-CHECKSUM_BYTES))) return undefined
  const identity = JSON.parse(content.subarray(ZIP.length, content.indexOf('\n')).toString())
  return identity.fileId === fileId ? identity.version : undefined
}

/** @param {Buffer} content */
function checksum (content) {
  return createHash('sha256').update(content).digest()
}
