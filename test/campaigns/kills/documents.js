import { createHash } from 'node:crypto'

const ZIP = Buffer.from('PK\x03\x04')
const ZIP_END = Buffer.from('PK\x05\x06')
const CHECKSUM_BYTES = 32

/**
 * A document that begins and ends like a zip file, tells what it is and ends with a checksum of all that.
 * @param {object} identity a JSON object
 * @param {number} size bytes of filling
 */
export function makeDocument (identity, size) {
  const line = Buffer.from(`${JSON.stringify(identity)}\n`)
  const content = Buffer.concat([ZIP, line, Buffer.alloc(size, line), ZIP_END])
  return Buffer.concat([content, checksum(content)])
}

/**
 * What a whole document says it is, or `undefined` for anything else.
 * @param {Buffer} bytes
 */
export function identityOf (bytes) {
  const content = bytes.subarray(0, -CHECKSUM_BYTES)
  if (bytes.length < CHECKSUM_BYTES || !checksum(content).equals(bytes.subarray(-CHECKSUM_BYTES))) return undefined
  return JSON.parse(content.subarray(ZIP.length, content.indexOf('\n')).toString())
}

/**
 * The version of a whole document of this file, or `undefined` for anything else.
 * @param {Buffer} bytes
 * @param {string} fileId
 * @returns {number | undefined}
 */
export function versionOf (bytes, fileId) {
  const identity = identityOf(bytes)
  return identity?.fileId === fileId ? identity.version : undefined
}

/** @param {Buffer} content */
function checksum (content) {
  return createHash('sha256').update(content).digest()
}
