import { createDecoder, createSigner, createVerifier } from 'fast-jwt'
import { CLOCK_TOLERANCE_SECONDS, explain, type TokenFault } from './token-fault.js'

export type Claims = Record<string, unknown>

export type Verification = { readonly claims: Claims } | { readonly fault: TokenFault }

/** Signs and verifies HS256 JSON Web Tokens with the secrets shared with the document server. */
export interface TokenSigner {
  /** The token's payload is exactly the JSON of `payload`: no claim is added. Signed with the first secret. */
  sign (payload: object): string
  /** The claims of a token signed with any of the secrets and valid now, give or take 60 s of clock skew; or what is wrong with it. */
  verify (token: string): Verification
}

export function tokenSigner (secrets: readonly string[]): TokenSigner {
  const sign = createSigner({ key: secrets[0]!, algorithm: 'HS256', noTimestamp: true })
  const decode = createDecoder({ complete: true })
  // A callback's token is seen once: caching it would cost more than it saves.
  const verifiers = secrets.map(key => createVerifier({ key, algorithms: ['HS256'], clockTolerance: CLOCK_TOLERANCE_SECONDS * 1000, cache: false }))

  return {
    sign,
    verify (token) {
      const failures: unknown[] = []
      for (const verify of verifiers) {
        try {
          const claims: Claims = verify(token)
          return isFromTheFuture(claims) ? { fault: explain('FUTURE', { payload: claims }) } : { claims }
        } catch (error) {
          failures.push((error as { readonly code?: unknown }).code)
        }
      }
      // Of several secrets the one that fits says more than those that don't.
      return { fault: explain(failures.find(code => code !== 'FAST_JWT_INVALID_SIGNATURE') ?? failures[0], decoded(token)) }
    }
  }

  function decoded (token: string): { header?: Claims, payload?: Claims } {
    try {
      return decode(token)
    } catch {
      return {}
    }
  }
}

/** The document server dates its tokens: one from a clock that is ahead would be good for longer than it is meant to be. */
function isFromTheFuture ({ iat }: Claims): boolean {
  return typeof iat === 'number' && iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS
}
