/** Why a token does not count. For the log: nothing in it repeats the token, its signature or its claims. */
export interface TokenFault {
  readonly problem: string
  /** What an operator does about it. */
  readonly remedy: string
  /** What the token's header names, when that is a plain word. */
  readonly algorithm?: string
  /** By the clock of the document server; negative when that is ahead of ours. */
  readonly issuedSecondsAgo?: number
}

/** As much as the document server itself allows. Source: protocol, section 1. */
export const CLOCK_TOLERANCE_SECONDS = 60

const SYNCHRONIZE = 'set the clocks of this service and of the document server by a time server'

interface Decoded {
  readonly header?: Record<string, unknown>
  readonly payload?: Record<string, unknown>
}

/** `code`: that of fast-jwt's error, or `FUTURE`. */
export function explain (code: unknown, { header, payload }: Decoded): TokenFault {
  const algorithm = header?.alg
  const known = typeof algorithm === 'string' && /^\w{1,10}$/.test(algorithm) ? { algorithm } : {}
  switch (code) {
    case 'FAST_JWT_EXPIRED':
      return { problem: 'has expired', remedy: SYNCHRONIZE, ...issued(payload) }
    case 'FAST_JWT_INACTIVE':
      return { problem: 'is not valid yet', remedy: SYNCHRONIZE, ...issued(payload) }
    case 'FUTURE':
      return { problem: `is dated more than ${CLOCK_TOLERANCE_SECONDS} s ahead`, remedy: SYNCHRONIZE, ...issued(payload) }
    case 'FAST_JWT_INVALID_SIGNATURE':
      return { problem: 'is signed with another secret', remedy: 'make jwtSecret the services.CoAuthoring.secret.outbox.string of the document server', ...known }
    case 'FAST_JWT_INVALID_ALGORITHM':
    case 'FAST_JWT_MISSING_SIGNATURE':
      return { problem: 'is not signed with HS256', remedy: 'set services.CoAuthoring.token.outbox.algorithm of the document server to HS256', ...known }
    default:
      return { problem: 'is malformed', remedy: 'compare documentServer.authorizationHeader and authorizationPrefix with services.CoAuthoring.token.outbox of the document server', ...known }
  }
}

function issued (payload: Decoded['payload']): Pick<TokenFault, 'issuedSecondsAgo'> {
  const time = payload?.iat ?? payload?.nbf
  return typeof time === 'number' && Number.isFinite(time) ? { issuedSecondsAgo: Math.round(Date.now() / 1000 - time) } : {}
}
