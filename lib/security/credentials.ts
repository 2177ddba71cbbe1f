import type { FastifyRequest } from 'fastify'
import type { AuthorizeTarget } from '../../types/options.js'
import type { HandlerUrls } from '../control/handler-urls.js'
import type { TokenSigner } from '../document-server/token.js'
import { ForbiddenError, InvalidCallbackError, UnauthorizedError } from '../errors.js'
import type { Settings } from '../options.js'
import { within } from '../within.js'

type Claims = Record<string, unknown>

/** Decides who may use the handler. Each method rejects with `UnauthorizedError` or `ForbiddenError`. */
export interface Credentials {
  /** The callback's fields as far as they can be trusted: the signed claims where tokens are required, else the body. */
  callbackClaims (request: FastifyRequest, fileId: string): Promise<unknown>
  checkDownload (request: FastifyRequest, fileId: string): Promise<void>
  checkProxy (request: FastifyRequest, url: URL): Promise<void>
}

export function createCredentials (settings: Settings, tokens: TokenSigner, urls: HandlerUrls): Credentials {
  const { authorizationHeader, authorizationPrefix } = settings.documentServer

  return {
    async callbackClaims (request, fileId) {
      const allowed = await askHost(request, { action: 'callback', fileId })
      if (!settings.requireToken) return request.body

      // The document server leaves long fields out of the header's token, never out of the body's (protocol, section 1).
      if (!isRecord(request.body)) throw new InvalidCallbackError('its body is not an object')
      const { token: bodyToken } = request.body
      if (bodyToken !== undefined) return verified(bodyToken)
      const headerToken = tokenInHeader(request)
      if (headerToken !== undefined) return verified(headerToken).payload
      if (allowed) return request.body
      throw new UnauthorizedError(`no token in the body and none in the ${authorizationHeader} header: enable tokens at the document server`)
    },

    async checkDownload (request, fileId) {
      const allowed = await askHost(request, { action: 'download', fileId })
      if (!settings.requireToken || allowed) return

      const token = tokenInHeader(request)
      if (token === undefined) throw new UnauthorizedError(`no document server token in the ${authorizationHeader} header`)
      const { payload } = verified(token)
      if (!isRecord(payload) || !urls.isDownloadOf(fileId, payload.url)) throw new ForbiddenError('the token is for another URL: compare publicBaseUrl with the address the document server uses')
    },

    async checkProxy (request, url) {
      const allowed = await askHost(request, { action: 'proxy', url: url.href })
      if (settings.requireToken && !allowed && isCrossSite(request)) throw new ForbiddenError('the proxy answers pages of its own origin only')
    }
  }

  async function askHost (request: FastifyRequest, target: AuthorizeTarget): Promise<boolean> {
    const { authorize } = settings
    if (!authorize) return false
    let decision: boolean | undefined
    try {
      decision = await within(settings.timeouts.host, 'authorize', () => authorize(request, target))
    } catch (cause) {
      throw new ForbiddenError('authorize failed', { cause })
    }
    if (decision === false) throw new ForbiddenError('authorize said no')
    return decision === true
  }

  function tokenInHeader (request: FastifyRequest): string | undefined {
    const value = request.headers[authorizationHeader]
    return typeof value === 'string' && value.startsWith(authorizationPrefix) ? value.slice(authorizationPrefix.length) : undefined
  }

  function verified (token: unknown): Claims {
    if (typeof token !== 'string') throw new UnauthorizedError('the token is not a text')
    try {
      return tokens.verify(token)
    } catch (cause) {
      throw new UnauthorizedError('the token is not valid: compare jwtSecret and the clock with those of the document server', { cause })
    }
  }

  function isCrossSite ({ headers, host }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
    const { origin } = headers
    if (origin === undefined) return false
    return !URL.canParse(origin) || (new URL(origin).host !== host && origin !== new URL(settings.publicBaseUrl).origin)
  }
}

function isRecord (value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
