import { createSigner, createVerifier } from 'fast-jwt'
import type { EditorClock } from '../../types/options.js'
import { type JsonObject, parseJson } from '../util/text.js'

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
 * Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
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

const problemOfCode: Readonly<Record<string, Problem>> = {
  FAST_JWT_INVALID_ALGORITHM: 'algorithm',
  FAST_JWT_INVALID_SIGNATURE: 'signature',
  FAST_JWT_MISSING_SIGNATURE: 'algorithm'
}

/** A usual header has 36. */
const MAX_HEADER_LENGTH = 1024

/** Signs and verifies HS256 JSON Web Tokens with the secrets shared with the document server. */
export type TokenSigner = ReturnType<typeof tokenSigner>

export function tokenSigner (secrets: readonly string[], clock: EditorClock = Date) {
  /** Signs with the first secret. The token's payload is exactly the JSON of `payload`, without additional claims. */
  const sign: (payload: object) => string =
    createSigner({ key: secrets[0]!, algorithm: 'HS256', noTimestamp: true })
  // The times are checked here: by the clock of the options, and with `iat`.
  const verifiers = secrets.map(key =>
    createVerifier({ key, algorithms: ['HS256'], cache: false, ignoreExpiration: true, ignoreNotBefore: true })
  )

  return { sign, verify }

  /** Verifies a token with all secrets. It must have `exp` and be valid now, give or take 60 s of clock skew. */
  function verify (token: string): Verification {
    if (token.indexOf('.') > MAX_HEADER_LENGTH) return faulty('malformed')
    let claims: Claims | undefined
    let code = ''
    for (const verifier of verifiers) {
      try {
        claims ??= verifier(token) as Claims
      } catch (error) {
        code = (error as { code: string }).code
      }
    }
    if (!claims) return faulty(problemOfCode[code] ?? 'malformed', { algorithm: algorithmOf(token) })
    const now = clock.now() / 1000
    const problem = problemOfTimes(claims, now)
    return problem ? faulty(problem, { issuedSecondsAgo: issuedSecondsAgo(claims, now) }) : { claims }
  }
}

function algorithmOf (token: string): string | undefined {
  const { alg } = (parseJson(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString()) ?? {}) as { alg?: unknown }
  return typeof alg === 'string' ? alg : undefined
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

interface Facts {
  readonly algorithm?: string | undefined
  readonly issuedSecondsAgo?: number | undefined
}

/** Includes the times only for a token whose signature is valid. */
function faulty (
  problem: Problem,
  { algorithm, issuedSecondsAgo }: Facts = {}
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
