import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What a signature covers, besides the URL of the handler. */
export interface SignedUrl {
  /** A signature is valid for one purpose only. */
  readonly purpose:
    | 'callback'
    | 'download'
    | 'version'
    | 'proxy'
    | 'page'
    | 'probe-callback'
    | 'probe-download'
    | 'probe-answer'
  readonly fileId: string
  /** Seconds since the epoch, as in the URL. Without it the URL never expires. */
  readonly expires?: string | undefined
  /**
   * The only document key that the URL is for; without it, the URL is for any key of the file. Of a version: its number
   * and part.
   */
  readonly key?: string | undefined
}

interface UrlSigner {
  /** Signs with the first secret. */
  sign (url: SignedUrl): string
  /** Whether any of the secrets gives this signature. Compares in constant time. */
  verify (url: SignedUrl, signature: string): boolean
}

/** Separates these keys from others derived from the same secret. */
const KEY_PURPOSE = 'fastify-onlyoffice signed URL, version 1'

/**
 * Signs with HMAC-SHA256, under keys derived by HKDF (RFC 5869) from the secrets shared with the document server: a
 * leaked or guessed key does not reveal the secret. `scope` separates applications that share a secret.
 */
export function urlSigner (secrets: readonly string[], scope: string): UrlSigner {
  const keys = secrets.map(secret => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32))))

  function signatureOf (key: KeyObject, { purpose, fileId, expires, key: documentKey }: SignedUrl): string {
    const content = JSON.stringify([scope, purpose, fileId, expires ?? null, documentKey ?? null])
    return createHmac('sha256', key).update(content).digest('base64url')
  }

  return {
    sign: url => signatureOf(keys[0]!, url),
    verify: (url, signature) => keys.some(key => equalInConstantTime(signature, signatureOf(key, url)))
  }
}

/** Compares two strings in a time that does not depend on where they differ. */
export function equalInConstantTime (given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
