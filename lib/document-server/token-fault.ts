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

/** As much as the document server itself allows. Source: docs/document-server-protocol.md#tokens-the-document-server-sends */
export const CLOCK_TOLERANCE_SECONDS = 60

const SYNCHRONIZE = 'set the clocks of this service and of the document server by a time server'

/** What can be wrong with a token. `endless`: it has no date of expiry. `future`: it is dated ahead. */
export type Problem = 'malformed' | 'algorithm' | 'signature' | 'endless' | 'expired' | 'inactive' | 'future'

const problems: Readonly<Record<Problem, Pick<TokenFault, 'problem' | 'remedy'>>> = {
  malformed: { problem: 'is malformed', remedy: 'compare documentServer.authorizationHeader and authorizationPrefix with services.CoAuthoring.token.outbox of the document server' },
  algorithm: { problem: 'is not signed with HS256', remedy: 'set services.CoAuthoring.token.outbox.algorithm of the document server to HS256' },
  signature: { problem: 'is signed with another secret', remedy: 'make jwtSecret the services.CoAuthoring.secret.outbox.string of the document server' },
  endless: { problem: 'does not expire', remedy: 'set services.CoAuthoring.token.outbox.expires of the document server, such as to 5m' },
  expired: { problem: 'has expired', remedy: SYNCHRONIZE },
  inactive: { problem: 'is not valid yet', remedy: SYNCHRONIZE },
  future: { problem: `is dated more than ${CLOCK_TOLERANCE_SECONDS} s ahead`, remedy: SYNCHRONIZE }
}

/** Of `claims` only dates are told, and only those of a token whose signature was good should be given. */
export function explain (problem: Problem, { algorithm, claims }: { readonly algorithm?: string, readonly claims?: Readonly<Record<string, unknown>> } = {}): TokenFault {
  return {
    ...problems[problem],
    ...(algorithm !== undefined && /^\w{1,10}$/.test(algorithm) ? { algorithm } : {}),
    ...issued(claims)
  }
}

function issued (claims: Readonly<Record<string, unknown>> = {}): Pick<TokenFault, 'issuedSecondsAgo'> {
  const time = claims.iat ?? claims.nbf
  return typeof time === 'number' && Number.isFinite(time) ? { issuedSecondsAgo: Math.round(Date.now() / 1000 - time) } : {}
}
