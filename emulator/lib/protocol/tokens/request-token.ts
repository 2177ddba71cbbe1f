import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonOrText } from '../../json.js'
import type { Operation } from './purpose.js'
import type { Tokens } from './tokens.js'

type Fields = Record<string, unknown>

/** The trusted fields of a request to the conversion or command service, or why the token is rejected. */
export type SignedRequest =
  | { readonly fields: Fields }
  /** `key` is not signed. */
  | { readonly rejected: 'invalid' | 'expired', readonly key: unknown }

const PREFIX = 'Bearer '
const BYTE_ORDER_MARK = Buffer.from([0xEF, 0xBB, 0xBF])

/**
 * Verifies the token in the body, in the query of a request without a body, or else in the header. Its claims may be
 * flat, in `payload` or in `query`. A good header does not make up for a bad token in the body. Source: recorded
 * requests. If requests need no token, the plain fields count, and a token is not looked at.
 */
export function signedRequest (request: FastifyRequest, tokens: Tokens, operation: Operation): SignedRequest {
  return signedFields(isFields(request.body) ? request.body : request.query as Fields, request, tokens, operation)
}

/** The same for given fields. `isDemanded`: the token must name the operation. */
export function signedFields (
  given: Fields,
  request: FastifyRequest,
  tokens: Tokens,
  operation: Operation,
  isDemanded?: boolean
): SignedRequest {
  const { token: inFields, ...plain } = given
  if (!tokens.areRequired) return { fields: plain }
  const { key } = plain
  const { authorization } = request.headers
  const token = inFields ||
    (authorization?.startsWith(PREFIX) === true ? authorization.slice(PREFIX.length) : undefined)
  if (typeof token !== 'string') return { rejected: 'invalid', key }
  const result = tokens.verify(token)
  if ('rejected' in result) return { rejected: result.rejected === 'expired' ? 'expired' : 'invalid', key }
  const { iat, exp, payload, query, operation: _, ...claims } = result.claims
  const fields = { ...claims, ...(isFields(payload) ? payload : {}), ...(isFields(query) ? query : {}) }
  return tokens.purposes.allows(operation, result.claims, fields, isDemanded)
    ? { fields }
    : { rejected: 'invalid', key }
}

/**
 * Routes that parse every body as JSON, whatever its content type, and accept a missing or malformed body and a GET
 * with a body. Without a body the query is used.
 */
export function lenientRoutes (app: FastifyInstance, routes: (scope: FastifyInstance) => void): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => parsedJson(body)
    )
    scope.addHook('preValidation', async request => {
      if (request.method === 'GET') request.body = await bodyOfGet(request)
    })
    routes(scope)
  })
}

async function bodyOfGet ({ raw, routeOptions: { bodyLimit = 0 } }: FastifyRequest): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of raw) {
    size += chunk.length
    if (size <= bodyLimit) chunks.push(chunk)
  }
  return size === 0 ? undefined : parsedJson(Buffer.concat(chunks))
}

/** A byte order mark makes it malformed. Source: observed. */
function parsedJson (bytes: Buffer): unknown {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? undefined : jsonOrText(bytes)
}

function isFields (value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
