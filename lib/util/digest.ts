import { createHash, hash } from 'node:crypto'

/** A hash of all parts, as 32 characters of base64url. */
export function digest (...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32)
}

/** The SHA-256 of a content, which is read for it, in hex. */
export async function sha256Of (content: AsyncIterable<Uint8Array>): Promise<string> {
  const sha256 = createHash('sha256')
  for await (const chunk of content) sha256.update(chunk)
  return sha256.digest('hex')
}
