import type { FastifyRequest } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { type Claims, isClaims, type TokenSigner } from '../document-server/token.js'
import type { TokenFault } from '../document-server/token-fault.js'
import { InvalidCallbackError, UnauthorizedError } from '../errors.js'
import type { Settings } from '../options.js'

/** The document server's tokens in a request. The methods throw `UnauthorizedError`, whose `found` tells the log what was there. */
export interface RequestTokens {
  /**
   * What was signed of a callback's fields; `undefined` when there is no token.
   * Source: docs/document-server-protocol.md#tokens-the-document-server-sends
   */
  callbackClaims (request: FastifyRequest): Claims | undefined
  /** The claims of the token in the header; `undefined` when there is none. */
  headerClaims (request: FastifyRequest): Claims | undefined
  /** The error for a request that needs a token and has none. `missing` begins its message: what was looked for before the header. */
  noToken (request: FastifyRequest, missing: string): Error
}

const JSON_WEB_TOKEN = /(?:^|[^\w-])eyJ[\w-]*\.[\w-]*\.[\w-]*=*$/

/** The document server's tokens are HMACs; a token of another kind was put there by someone else, such as a gateway. */
const FOREIGN = /^(?:RS|PS|ES|Ed)/

export function requestTokens (tokens: TokenSigner, { authorizationHeader, authorizationPrefix }: Settings['documentServer']): RequestTokens {
  return {
    callbackClaims (request) {
      if (!isClaims(request.body)) throw new InvalidCallbackError('its body is not an object')
      const { token } = request.body
      const header = inHeader(request)
      if (token === undefined) {
        const claims = header === undefined ? undefined : verified(request, 'header', header)
        return claims && signedFields(claims)
      }
      // The document server leaves long fields out of the header's token, never out of the body's.
      const claims = verified(request, 'body', token)
      const inHeaderToo = header === undefined ? undefined : ownClaims(request, header)
      if (inHeaderToo) assertAgreement(request, claims, signedFields(inHeaderToo))
      return claims
    },

    headerClaims (request) {
      const token = inHeader(request)
      return token === undefined ? undefined : verified(request, 'header', token)
    },

    noToken (request, missing) {
      const elsewhere = Object.keys(request.headers).filter(name => JSON_WEB_TOKEN.test(String(request.headers[name])))
      const remedy = elsewhere.length > 0
        ? `there is one in the header ${elsewhere.join(', ')}: compare documentServer.authorizationHeader and authorizationPrefix with services.CoAuthoring.token.outbox of the document server`
        : 'enable services.CoAuthoring.token.enable.request.outbox at the document server'
      return refusal(request, `${missing}, and no token of the document server after "${authorizationPrefix}" in the ${authorizationHeader} header: ${remedy}`)
    }
  }

  function inHeader ({ headers }: FastifyRequest): string | undefined {
    const value = headers[authorizationHeader]
    return typeof value === 'string' && value.startsWith(authorizationPrefix) ? value.slice(authorizationPrefix.length) : undefined
  }

  function verified (request: FastifyRequest, place: 'body' | 'header', token: unknown): Claims {
    if (typeof token !== 'string') throw refusal(request, `the token in the ${place} is not a text`)
    const verification = tokens.verify(token)
    if ('claims' in verification) return verification.claims
    throw refusalOf(request, place, verification.fault)
  }

  /** Of a header that stands beside a token in the body: `undefined` when it can't be the document server's. */
  function ownClaims (request: FastifyRequest, token: string): Claims | undefined {
    const verification = tokens.verify(token)
    if ('claims' in verification) return verification.claims
    const { fault } = verification
    if (!JSON_WEB_TOKEN.test(token) || FOREIGN.test(fault.algorithm ?? '')) return undefined
    throw refusalOf(request, 'header', fault)
  }

  function assertAgreement (request: FastifyRequest, inBody: Claims, inHeader: Claims): void {
    const differing = [...new Set([...Object.keys(inBody), ...Object.keys(inHeader)])].filter(name => !agree(name, inBody[name], inHeader[name]))
    if (differing.length > 0) throw refusal(request, `the tokens in the body and in the header disagree about ${differing.join(', ')}: one of them belongs to another callback`)
  }

  function refusalOf (request: FastifyRequest, place: 'body' | 'header', { problem, remedy, ...facts }: TokenFault): Error {
    return refusal(request, `the token in the ${place} ${problem}: ${remedy}`, facts)
  }

  function refusal (request: FastifyRequest, message: string, facts: Partial<TokenFault> = {}): Error {
    const found = {
      bodyToken: isClaims(request.body) && request.body.token !== undefined,
      headerToken: inHeader(request) !== undefined,
      ...facts
    }
    return Object.assign(new UnauthorizedError(message), { found })
  }
}

/** Dates of the token itself. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'token'])

/**
 * A header's token of 7168 characters or more has no `changesurl` and an empty `history`.
 * Source: docs/document-server-protocol.md#tokens-the-document-server-sends
 */
const MAY_BE_LEFT_OUT: ReadonlySet<string> = new Set(['changesurl', 'history'])

function agree (name: string, inBody: unknown, inHeader: unknown): boolean {
  if (OF_THE_TOKEN.has(name) || isDeepStrictEqual(inBody, inHeader)) return true
  return MAY_BE_LEFT_OUT.has(name) && (inHeader === undefined || isDeepStrictEqual(inHeader, {}))
}

function signedFields ({ payload }: Claims): Claims {
  if (!isClaims(payload)) throw new InvalidCallbackError('the token in its header has no payload')
  return payload
}
