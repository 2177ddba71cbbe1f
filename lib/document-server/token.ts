import { createSigner, createVerifier } from 'fast-jwt'

/** Signs and verifies HS256 JSON Web Tokens with the secrets shared with the document server. */
export interface TokenSigner {
  /** The token's payload is exactly the JSON of `payload`: no claim is added. Signed with the first secret. */
  sign (payload: object): string
  /** The payload of a token signed with any of the secrets; 60 s of clock skew are allowed. Throws when it is not. */
  verify (token: string): Record<string, unknown>
}

const CLOCK_TOLERANCE_MS = 60_000

export function tokenSigner (secrets: readonly string[]): TokenSigner {
  const sign = createSigner({ key: secrets[0]!, algorithm: 'HS256', noTimestamp: true })
  // A callback's token is seen once: caching it would cost more than it saves.
  const verifiers = secrets.map(key => createVerifier({ key, algorithms: ['HS256'], clockTolerance: CLOCK_TOLERANCE_MS, cache: false }))

  return {
    sign,
    verify (token) {
      let failure: unknown
      for (const verify of verifiers) {
        try {
          return verify(token)
        } catch (error) {
          failure ??= error
        }
      }
      throw failure
    }
  }
}
