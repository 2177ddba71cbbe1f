import type { FastifyRequest } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import type { Claims, TokenFault, TokenSigner } from '../document-server/token.js'
import { InvalidCallbackError, UnauthorizedError } from '../errors.js'
import type { Settings } from '../options.js'
import { isJsonObject } from '../util/text.js'
import { optionalFields } from './request.compiled.js'

const JSON_WEB_TOKEN = /(?:^|[^\w-])eyJ[\w-]*\.[\w-]*\.[\w-]*=*$/

/**
 * The document server's tokens are HMACs. A token with one of these algorithms was added by something else, such as a
 * gateway.
 */
const FOREIGN_ALGORITHM = /^(?:RS|PS|ES|Ed)/

/**
 * The document server's tokens in a request. The methods throw `UnauthorizedError`; its `found` says which tokens the
 * request had.
 */
export function requestTokens (
  tokens: TokenSigner, { authorizationHeader, authorizationPrefix }: Settings['documentServer']
) {
  return {
    /**
     * The signed fields of a callback; `undefined` without a token.
     * Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
     */
    callbackClaims (request: FastifyRequest): Claims | undefined {
      if (!isJsonObject(request.body)) throw new InvalidCallbackError('its body is not an object')
      const { token } = request.body
      const header = headerToken(request)
      if (token === undefined) {
        const claims = header === undefined ? undefined : verified(request, 'header', header)
        return claims && signedFields(claims)
      }
      // The token in the body is complete; the one in the header may lack long fields.
      const claims = verified(request, 'body', token)
      if (header !== undefined && !isForeign(header)) {
        assertAgreement(request, claims, signedFields(verified(request, 'header', header)))
      }
      return claims
    },

    /** The claims of the token in the header; `undefined` without one. */
    headerClaims (request: FastifyRequest): Claims | undefined {
      const token = headerToken(request)
      return token === undefined ? undefined : verified(request, 'header', token)
    },

    /**
     * The error for a request without the required token. `missing` starts its message with what else the request
     * lacks.
     */
    noToken (request: FastifyRequest, missing: string): Error {
      const elsewhere = Object.keys(request.headers).filter(name => JSON_WEB_TOKEN.test(String(request.headers[name])))
      const remedy = elsewhere.length > 0
        ? `there is one in the header ${elsewhere.join(', ')}: compare documentServer.authorizationHeader and authorizationPrefix with services.CoAuthoring.token.outbox of the document server`
        : 'enable services.CoAuthoring.token.enable.request.outbox at the document server'
      return refusal(
        request,
        `${missing}, and no token after "${authorizationPrefix}" in the ${authorizationHeader} header: ${remedy}`
      )
    }
  }

  function headerToken ({ headers }: FastifyRequest): string | undefined {
    const value = headers[authorizationHeader]
    return typeof value === 'string' && value.startsWith(authorizationPrefix)
      ? value.slice(authorizationPrefix.length)
      : undefined
  }

  /**
   * The claims of a token, unless they say that it was made for a request to the document server or for the editor in a
   * page.
   */
  function verified (request: FastifyRequest, place: 'body' | 'header', token: unknown): Claims {
    if (typeof token !== 'string') throw refusal(request, `the token in the ${place} is not a string`)
    const verification = tokens.verify(token)
    if (!('claims' in verification)) {
      const { problem, remedy, ...facts } = verification.fault
      throw refusal(request, `the token in the ${place} ${problem}: ${remedy}`, facts)
    }
    const { claims } = verification
    if (!FOREIGN_OPERATIONS.has(claims.operation)) return claims
    throw refusal(
      request,
      `the token in the ${place} was made for another purpose: its claim "operation" is "${claims.operation as string}"`
    )
  }

  /** Whether the header's token is not the document server's. */
  function isForeign (token: string): boolean {
    const verification = tokens.verify(token)
    return 'fault' in verification &&
      (!JSON_WEB_TOKEN.test(token) || FOREIGN_ALGORITHM.test(verification.fault.algorithm ?? ''))
  }

  function assertAgreement (request: FastifyRequest, inBody: Claims, inHeader: Claims): void {
    const differing = CALLBACK_FIELDS.filter(name => !agree(name, inBody[name], inHeader[name]))
    if (differing.length > 0) throw refusal(request, `the tokens in the body and in the header disagree about ${differing.join(', ')}: one of them is from another callback`)
  }

  function refusal (request: FastifyRequest, message: string, facts: Partial<TokenFault> = {}): Error {
    const found = {
      bodyToken: isJsonObject(request.body) && request.body.token !== undefined,
      headerToken: headerToken(request) !== undefined,
      ...facts
    }
    return Object.assign(new UnauthorizedError(message), { found })
  }
}

/** The fields of a callback that are compared. Others are not: document servers may add claims and fields. */
const CALLBACK_FIELDS = ['status', ...Object.keys(optionalFields)]

/**
 * Purposes that a token for a callback or a download never has. Their own values are not documented, so any other value
 * is accepted. Source: emulator/docs/document-server-protocol.md#purposes-of-tokens
 */
const FOREIGN_OPERATIONS: ReadonlySet<unknown> = new Set(['converter', 'command', 'docbuilder', 'browser'])

/**
 * A header's token of 7168 characters or more has no `changesurl` and an empty `history`.
 * Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
 */
const MAY_BE_LEFT_OUT: ReadonlySet<string> = new Set(['changesurl', 'history'])

function agree (name: string, inBody: unknown, inHeader: unknown): boolean {
  if (isDeepStrictEqual(inBody, inHeader)) return true
  return MAY_BE_LEFT_OUT.has(name) && Object.keys(inHeader ?? {}).length === 0
}

function signedFields ({ payload }: Claims): Claims {
  if (!isJsonObject(payload)) throw new InvalidCallbackError('the token in its header has no payload')
  return payload
}
