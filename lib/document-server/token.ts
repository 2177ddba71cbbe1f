import { createHmac, createSecretKey } from 'node:crypto'
import { createSigner } from 'fast-jwt'
import { isSame } from '../security/constant-time.js'
import { CLOCK_TOLERANCE_SECONDS, explain, type TokenFault } from './token-fault.js'

export type Claims = Record<string, unknown>

export type Verification = { readonly claims: Claims } | { readonly fault: TokenFault }

/** Signs and verifies HS256 JSON Web Tokens with the secrets shared with the document server. */
export interface TokenSigner {
  /** The token's payload is exactly the JSON of `payload`: no claim is added. Signed with the first secret. */
  sign (payload: object): string
  /**
   * The claims of a token that was signed with any of the secrets, expires, and is valid now, give or take 60 s of clock skew;
   * or what is wrong with it. Nothing of the payload is decoded before the signature is found good.
   */
  verify (token: string): Verification
}

/** A header that names algorithm and type has 36 characters. */
const MAX_HEADER_LENGTH = 1024

export function tokenSigner (secrets: readonly string[]): TokenSigner {
  const sign = createSigner({ key: secrets[0]!, algorithm: 'HS256', noTimestamp: true })
  const keys = secrets.map(secret => createSecretKey(secret, 'utf8'))

  return {
    sign,
    verify (token) {
      const [header, payload] = [token.indexOf('.'), token.lastIndexOf('.')]
      if (header < 1 || header > MAX_HEADER_LENGTH || token.indexOf('.', header + 1) !== payload) return { fault: explain('malformed') }
      const algorithm = decoded(token.slice(0, header))?.alg
      if (typeof algorithm !== 'string') return { fault: explain('malformed') }
      if (algorithm !== 'HS256') return { fault: explain('algorithm', { algorithm }) }

      const signed = token.slice(0, payload)
      const signature = token.slice(payload + 1)
      if (!keys.some(key => isSame(signature, createHmac('sha256', key).update(signed).digest('base64url')))) return { fault: explain('signature', { algorithm }) }

      const claims = decoded(token.slice(header + 1, payload))
      if (!claims) return { fault: explain('malformed', { algorithm }) }
      const problem = problemOfTimes(claims)
      return problem ? { fault: explain(problem, { claims }) } : { claims }
    }
  }
}

/** Whether a value can be claims, or fields of a callback: an object, no list. */
export function isClaims (value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object in one part of a token. */
function decoded (part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isClaims(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The document server dates its tokens: one from a clock that is ahead would be good for longer than it is meant to be. */
function problemOfTimes ({ exp, nbf, iat }: Claims) {
  const now = Date.now() / 1000
  const isAhead = (time: unknown) => time !== undefined && !(typeof time === 'number' && time - CLOCK_TOLERANCE_SECONDS <= now)
  if (typeof exp !== 'number') return 'endless'
  if (exp + CLOCK_TOLERANCE_SECONDS <= now) return 'expired'
  if (isAhead(nbf)) return 'inactive'
  return isAhead(iat) ? 'future' : undefined
}
