import { createHmac, hkdfSync } from 'node:crypto'
import { isSame } from './constant-time.js'

/** What a signature covers, besides the address of the service. */
export interface SignedUrl {
  /** A signature for one purpose is worth nothing for another. */
  readonly purpose: 'callback' | 'download' | 'proxy'
  readonly fileId: string
  /** Seconds since 1970, as in the URL. Without it the URL is good for ever. */
  readonly expires?: string | undefined
  /** The only document key the URL is for. Without it, any of the file. */
  readonly key?: string | undefined
}

/** Signs the handler's URLs with the first of its secrets, and knows the signatures of all. */
export interface UrlSigner {
  sign (url: SignedUrl): string
  /** In constant time. */
  isSignature (signature: string, url: SignedUrl): boolean
}

/** Keeps these keys apart from any other that may be derived from the same secret. */
const KEY_PURPOSE = 'fastify-onlyoffice signed URL, version 1'

/**
 * HMAC-SHA256 under keys derived (HKDF, RFC 5869) from the secrets shared with the document server: whoever learns such a
 * key, or finds one by trying, has not found the secret. `scope` keeps services with the same secret apart.
 */
export function urlSigner (secrets: readonly string[], scope: string): UrlSigner {
  const keys = secrets.map(secret => Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32)))

  function signature (key: Buffer, { purpose, fileId, expires, key: documentKey }: SignedUrl): string {
    const content = JSON.stringify([scope, purpose, fileId, expires ?? null, documentKey ?? null])
    return createHmac('sha256', key).update(content).digest('base64url')
  }

  return {
    sign: url => signature(keys[0]!, url),
    isSignature: (given, url) => keys.some(key => isSame(given, signature(key, url)))
  }
}
