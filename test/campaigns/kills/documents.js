import { createHash } from 'node:crypto'
import { contentIn, zipOf } from '../../kit/packages.js'

const CHECKSUM_BYTES = 32

/**
 * A package that tells what it is, with a checksum of all that.
 * @param {object} identity a JSON object
 * @param {number} size bytes of filling
 */
export function makeDocument (identity, size) {
  const line = Buffer.from(`${JSON.stringify(identity)}\n`)
  const content = Buffer.concat([line, Buffer.alloc(size, line)])
  return zipOf(Buffer.concat([content, checksum(content)]))
}

/**
 * What a whole document says it is, or `undefined` for anything else.
 * @param {Buffer} bytes
 */
export function identityOf (bytes) {
  const inside = contentIn(bytes)
  if (inside === undefined) return undefined
  const content = inside.subarray(0, -CHECKSUM_BYTES)
  if (!checksum(content).equals(inside.subarray(-CHECKSUM_BYTES))) return undefined
  return JSON.parse(content.subarray(0, content.indexOf('\n')).toString())
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
