import { createHmac, timingSafeEqual } from 'node:crypto'
import { jsonObject } from '../../json.js'
import type { Time } from '../clock/time.js'
import type { DocumentServerOptions, JwtSecret, SeparateSecrets } from '../../../types/document-server.js'
import type { Purposes } from './purpose.js'
import { secretsOf } from './secrets.js'

export type VerifiedToken = { readonly claims: Record<string, unknown> } | { readonly rejected: string }

export type Tokens = ReturnType<typeof createTokens>

const LIFETIME_SECONDS = 300
const SKEW_SECONDS = 60
const MAX_AHEAD_MS = 50_000
const HASHES: Record<string, string> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }

type Options = Pick<DocumentServerOptions, 'jwtSecret' | 'sharedClock' | 'tokens'>

/**
 * The document server's tokens, implemented independently of the plugin's: two implementations that agree prove more
 * than one. They use the injected clock.
 */
export function createTokens (
  { jwtSecret, sharedClock = false, tokens: { inbox = true, outbox = true, browser } = {} }: Options,
  purposes: Purposes,
  time: Time
) {
  let secrets = secretsOf(jwtSecret)
  let skew = 0
  const seconds = () => Math.floor((time.now() + skew) / 1000)

  return {
    /** Whether received requests need a token. Without, their plain fields count. */
    areRequired: inbox,
    /** The same of configurations of editors. */
    areRequiredOfEditors: browser ?? inbox,
    /** Whether requests to the application carry tokens. */
    areSent: outbox,
    purposes,
    changeSecret (next: JwtSecret | SeparateSecrets): void { secrets = secretsOf(next) },
    /** Shifts the clock that dates and checks tokens. */
    skew (milliseconds: number): void { skew = milliseconds },
    /** Signs the claims with `iat` and `exp` and the first outbox secret. The token is valid for five minutes. */
    sign (claims: object): string {
      // An application with the system's clock accepts tokens only within the tolerated skew, however far a test has
      // advanced this clock.
      const now = sharedClock ? time.now() : Math.min(time.now(), Date.now() + MAX_AHEAD_MS)
      const iat = Math.floor((now + skew) / 1000)
      const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, iat, exp: iat + LIFETIME_SECONDS })}`
      return `${content}.${signature(content, 'sha256', secrets.outbox[0]!).toString('base64url')}`
    },
    /**
     * Accepts HS256, HS384 and HS512 with any of the inbox secrets and 60 s of clock skew. `exp` and `nbf` are
     * optional.
     */
    verify (token: string): VerifiedToken {
      const [header, payload, given, ...rest] = token.split('.')
      const hash = HASHES[String(decode(header)?.alg)]
      const claims = decode(payload)
      if (hash === undefined || claims === undefined || given === undefined || rest.length > 0) {
        return { rejected: 'malformed' }
      }

      const received = Buffer.from(given, 'base64url')
      const signed = secrets.inbox.some(secret => {
        const expected = signature(`${header}.${payload}`, hash, secret)
        return expected.length === received.length && timingSafeEqual(expected, received)
      })
      if (!signed) return { rejected: 'invalid signature' }
      const { nbf, exp } = claims
      if (nbf !== undefined && typeof nbf !== 'number') return { rejected: 'invalid nbf value' }
      if (nbf !== undefined && nbf > seconds() + SKEW_SECONDS) return { rejected: 'not active' }
      if (exp !== undefined && typeof exp !== 'number') return { rejected: 'invalid exp value' }
      if (exp !== undefined && exp + SKEW_SECONDS <= seconds()) return { rejected: 'expired' }
      return { claims }
    }
  }
}

function signature (content: string, hash: string, secret: string): Buffer {
  return createHmac(hash, secret).update(content).digest()
}

function encode (value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode (part = ''): Record<string, unknown> | undefined {
  return jsonObject(Buffer.from(part, 'base64url').toString('utf8'))
}
