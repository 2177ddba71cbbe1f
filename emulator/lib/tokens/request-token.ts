import type { FastifyRequest } from 'fastify'
import type { Tokens } from './tokens.js'

/** What a request to the conversion or command service signs, or why it can't be trusted. */
export type SignedRequest =
  | { readonly fields: Record<string, unknown> }
  | { readonly rejected: 'missing' | 'invalid' | 'expired' }

/**
 * The body token signs the flat request, the header token `{ payload: request }`.
 * A bad body token is not rescued by a good header. Source: recorded conversion and command requests.
 */
export function signedRequest (request: FastifyRequest, tokens: Tokens): SignedRequest {
  const body = request.body as Record<string, unknown> | null | undefined
  const bodyToken = typeof body?.token === 'string' ? body.token : undefined
  const headerToken = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const token = bodyToken ?? headerToken
  if (token === undefined) return { rejected: 'missing' }
  const result = tokens.verify(token)
  if ('rejected' in result) return { rejected: result.rejected === 'expired' ? 'expired' : 'invalid' }
  const { iat, exp, ...claims } = result.claims
  const fields = bodyToken === undefined ? claims.payload : claims
  return typeof fields === 'object' && fields !== null ? { fields: { ...fields } } : { rejected: 'invalid' }
}
