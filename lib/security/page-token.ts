import { randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { EditorControlDefaults } from '../../types/control.js'
import type { Clock } from '../../types/options.js'
import { urlSigner } from './handler-urls.js'

/** The claims a page was made with. Only they determine its user and what the user may do. */
export interface PageClaims {
  /** ID of the page, which its later tokens share. */
  readonly page: string
  readonly fileId: string
  /** Title of the document. */
  readonly name: string
  /** The defaults that the page's control was made with. */
  readonly defaults: EditorControlDefaults
  /** Seconds since the epoch. */
  readonly expires: number
}

/** The claims for a new token. Without `page` the token is for a new page. */
export type NewPageClaims = Omit<PageClaims, 'expires' | 'page'> & Partial<Pick<PageClaims, 'page'>>

type CheckedPageToken =
  | { readonly state: 'valid' | 'expired', readonly claims: PageClaims }
  | { readonly state: 'invalid', readonly claims?: undefined }
  | { readonly state: 'absent', readonly claims?: undefined }

/** The tokens of editor pages: signed, not encrypted. */
export interface PageTokens {
  /** Milliseconds after which a page renews its token, early enough to retry. */
  readonly renewAfter: number
  /** `''` if the token would be too long for a header. */
  make (claims: NewPageClaims): string
  check (token: string | undefined): CheckedPageToken
}

interface Options {
  readonly secrets: readonly string[]
  /** URL of the handler, which separates applications that share a secret. */
  readonly scope: string
  /** Milliseconds for which a token is valid. */
  readonly tokenLifetime: number
  readonly clock: Clock
}

/**
 * The usual limit of web servers for one header. About 30 KiB of configuration have this length after compression and
 * encoding.
 */
const MAX_LENGTH = 8000
/** The minimum for any lifetime, however short. */
const MIN_RENEW_MS = 1000
const MAX_CLAIMS_BYTES = 1024 ** 2

export function pageTokens ({ secrets, scope, tokenLifetime, clock }: Options): PageTokens {
  const signer = urlSigner(secrets, scope)
  /** No other purpose combines an empty fileId with a key. */
  const signedAs = (payload: string) => ({ purpose: 'page', fileId: '', key: payload }) as const

  return {
    renewAfter: Math.max(MIN_RENEW_MS, Math.round(tokenLifetime / 2)),
    make ({ page = randomBytes(9).toString('base64url'), fileId, name, defaults }) {
      const expires = Math.ceil((clock.now() + tokenLifetime) / 1000)
      const claims = JSON.stringify({ page, fileId, name, defaults, expires } satisfies PageClaims)
      const payload = deflateRawSync(claims).toString('base64url')
      const token = `${payload}.${signer.sign(signedAs(payload))}`
      return token.length > MAX_LENGTH || Buffer.byteLength(claims) > MAX_CLAIMS_BYTES ? '' : token
    },
    check (token) {
      if (token === undefined) return { state: 'absent' }
      const dot = token.indexOf('.')
      const payload = token.slice(0, Math.max(dot, 0))
      // Only tokens made by this application are decompressed.
      if (token.length > MAX_LENGTH || !signer.verify(signedAs(payload), token.slice(dot + 1))) {
        return { state: 'invalid' }
      }
      const claims = JSON.parse(
        inflateRawSync(Buffer.from(payload, 'base64url'), { maxOutputLength: MAX_CLAIMS_BYTES }).toString()
      ) as PageClaims
      return { state: claims.expires * 1000 < clock.now() ? 'expired' : 'valid', claims }
    }
  }
}
