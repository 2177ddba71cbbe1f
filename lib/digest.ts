import { createHash } from 'node:crypto'

/** A hash of all parts, as 32 characters of base64url. */
export function digest (...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)
}
