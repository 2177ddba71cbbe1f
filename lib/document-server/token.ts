import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createSigner } from 'fast-jwt'
import type { Clock } from '../../types/options.js'
import { equalInConstantTime } from '../security/signatures.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/text.js'

export type Claims = JsonObject

/** Why a token is invalid, for the log. Contains neither the token nor its signature or claims. */
export interface TokenFault {
  readonly problem: string
  /** How to fix it. */
  readonly remedy: string
  /** The algorithm named in the token's header, if it is a plain word. */
  readonly algorithm?: string
  /** By the document server's clock; negative if it is ahead of ours. */
  readonly issuedSecondsAgo?: number
}

type Verification = { readonly claims: Claims } | { readonly fault: TokenFault }

/**
 * Equal to the document server's own tolerance.
 * Source: docs/document-server-protocol.md#tokens-the-document-server-sends
 */
const CLOCK_TOLERANCE_SECONDS = 60

const SYNCHRONIZE = 'synchronize the clocks of this application and of the document server'

/** `endless`: it has no `exp`. `inactive`: `nbf` is in the future. `future`: `iat` is in the future. */
type Problem = 'malformed' | 'algorithm' | 'signature' | 'endless' | 'expired' | 'inactive' | 'future'

const problems: Readonly<Record<Problem, Pick<TokenFault, 'problem' | 'remedy'>>> = {
  malformed: {
    problem: 'is malformed',
    remedy:
      'compare documentServer.authorizationHeader and authorizationPrefix with services.CoAuthoring.token.outbox of the document server'
  },
  algorithm: {
    problem: 'is not signed with HS256',
    remedy: 'set services.CoAuthoring.token.outbox.algorithm of the document server to HS256'
  },
  signature: {
    problem: 'is signed with another secret',
    remedy: 'make jwtSecret the services.CoAuthoring.secret.outbox.string of the document server'
  },
  endless: {
    problem: 'does not expire',
    remedy: 'set services.CoAuthoring.token.outbox.expires of the document server, such as to 5m'
  },
  expired: { problem: 'has expired', remedy: SYNCHRONIZE },
  inactive: { problem: 'is not valid yet', remedy: SYNCHRONIZE },
  future: { problem: `is dated more than ${CLOCK_TOLERANCE_SECONDS} s ahead`, remedy: SYNCHRONIZE }
}

/** A usual header has 36. */
const MAX_HEADER_LENGTH = 1024

/** Signs and verifies HS256 JSON Web Tokens with the secrets shared with the document server. */
export type TokenSigner = ReturnType<typeof tokenSigner>

export function tokenSigner (secrets: readonly string[], clock: Clock = Date) {
  /** Signs with the first secret. The token's payload is exactly the JSON of `payload`, without additional claims. */
  const sign: (payload: object) => string =
    createSigner({ key: secrets[0]!, algorithm: 'HS256', noTimestamp: true })
  const keys = secrets.map(secret => createSecretKey(secret, 'utf8'))
  /** A document server sends the same header with all its tokens. */
  let lastHeader: { readonly text: string, readonly algorithm: unknown } | undefined

  return { sign, verify }

  /**
   * Verifies a token with all secrets. It must have `exp` and be valid now, give or take 60 s of clock skew. Its
   * payload is decoded only if the signature is valid.
   */
  function verify (token: string): Verification {
    const [header, payload] = [token.indexOf('.'), token.lastIndexOf('.')]
    if (header < 1 || header > MAX_HEADER_LENGTH || token.indexOf('.', header + 1) !== payload) {
      return faulty('malformed')
    }
    const algorithm = algorithmOf(token.slice(0, header))
    if (typeof algorithm !== 'string') return faulty('malformed')
    if (algorithm !== 'HS256') return faulty('algorithm', { algorithm })

    const signed = token.slice(0, payload)
    const signature = token.slice(payload + 1)
    const isSignedWith = (key: KeyObject) =>
      equalInConstantTime(signature, createHmac('sha256', key).update(signed).digest('base64url'))
    if (!keys.some(isSignedWith)) return faulty('signature', { algorithm })

    const now = clock.now() / 1000
    const claims = decoded(token.slice(header + 1, payload))
    if (!claims) return faulty('malformed', { algorithm })
    const problem = problemOfTimes(claims, now)
    return problem ? faulty(problem, { issuedSecondsAgo: issuedSecondsAgo(claims, now) }) : { claims }
  }

  function algorithmOf (header: string): unknown {
    if (lastHeader?.text !== header) lastHeader = { text: header, algorithm: decoded(header)?.alg }
    return lastHeader.algorithm
  }
}

/** Decodes the JSON object in one part of a token. */
function decoded (part: string): Claims | undefined {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  return isJsonObject(value) ? value : undefined
}

/** Also checks `iat`: a token from a clock that is ahead would be valid for too long. */
function problemOfTimes ({ exp, nbf, iat }: Claims, now: number): Problem | undefined {
  const isAhead = (time: unknown) =>
    time !== undefined && !(typeof time === 'number' && time - CLOCK_TOLERANCE_SECONDS <= now)
  if (typeof exp !== 'number') return 'endless'
  if (exp + CLOCK_TOLERANCE_SECONDS <= now) return 'expired'
  if (isAhead(nbf)) return 'inactive'
  return isAhead(iat) ? 'future' : undefined
}

/** Includes the times only for a token whose signature is valid. */
function faulty (
  problem: Problem,
  { algorithm, issuedSecondsAgo }: { readonly algorithm?: string, readonly issuedSecondsAgo?: number | undefined } = {}
): Verification {
  return {
    fault: {
      ...problems[problem],
      ...(algorithm !== undefined && /^\w{1,10}$/.test(algorithm) && { algorithm }),
      ...(issuedSecondsAgo !== undefined && { issuedSecondsAgo })
    }
  }
}

function issuedSecondsAgo ({ iat, nbf }: Claims, now: number): number | undefined {
  const issued = iat ?? nbf
  return typeof issued === 'number' && Number.isFinite(issued) ? Math.round(now - issued) : undefined
}
