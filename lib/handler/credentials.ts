import type { FastifyRequest } from 'fastify'
import type { AuthorizeTarget } from '../../types/options.js'
import type { TokenSigner } from '../document-server/token.js'
import { ForbiddenError, InvalidCallbackError, UnauthorizedError } from '../errors.js'
import type { Settings } from '../options.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import { type HandlerQuery, isHandlerQuery } from '../schemas.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import { toUrl } from '../url.js'
import { within } from '../within.js'
import { requestTokens } from './request-tokens.js'
import type { HandlerRequest } from './route.js'

/** Decides who may use the handler. Each method fails with `UnauthorizedError` or `ForbiddenError`. */
export interface Credentials {
  /** Refuses, before its body is read, a callback whose URL is reason enough. The host may allow one that is not signed. */
  admitCallback (request: FastifyRequest): Promise<void>
  /** Whether its header shows, before its body is read, that a callback is the document server's; or anyone's will do. */
  isProven (request: HandlerRequest): boolean
  /** Looks at what a callback carries. Takes no time, so that the order in which callbacks arrived can be kept. */
  readCallback (request: HandlerRequest, fileId: string): ReadCallback
  /** Asks the host, whose word a callback needs that is not genuine by itself. */
  checkCallback (request: HandlerRequest, fileId: string, callback: ReadCallback): Promise<void>
  checkDownload (request: HandlerRequest, fileId: string): Promise<void>
  checkProxy (request: HandlerRequest, url: URL): Promise<void>
}

export interface ReadCallback {
  /** As far as they can be trusted: the signed claims, or else the body. */
  readonly fields: unknown
  /** What is missing, for the log; `undefined` when it carries all that is required. */
  readonly missing: Error | undefined
}

interface Dependencies {
  readonly settings: Settings
  readonly tokens: TokenSigner
  readonly urls: HandlerUrls
  readonly keys: Pick<DocumentKeys, 'isFor'>
  /** Ends what the host has yet to decide when the service has waited for long enough. */
  readonly over: AbortSignal
}

const NOT_OUR_URL = 'the signature of the URL is not of this service, file and action: jwtSecret, publicBaseUrl, path and prefix must be the same at every instance'

/** In which a page's module sends its proxy token: no link, image, script or form can set a header. */
const PROXY_TOKEN = 'x-editor-proxy-token'

/** What a page may do with what is proxied: not run it, nor look as it says. Source: the Fetch standard, request destinations. */
const HARMLESS_DESTINATIONS: ReadonlySet<unknown> = new Set([undefined, 'empty', 'document', 'image', 'audio', 'video'])

const NOT_OF_THE_FILE = 'the document key of the callback is not of its file: a token of another file, or a key that was not set before the control\'s config was read'

export function createCredentials ({ settings, tokens, urls, keys, over }: Dependencies): Credentials {
  const { callbackClaims, headerClaims, noToken } = requestTokens(tokens, settings.documentServer)

  /** Not signed, and allowed by the host. */
  const allowedByHost = new WeakSet<FastifyRequest>()

  return {
    async admitCallback (request) {
      const { query } = request
      if (!isHandlerQuery(query) || !query.fileId) throw new InvalidCallbackError('its URL has no fileId, or more than one')
      if (!settings.signedUrls || signatureOf('callback', query, query.fileId) === 'valid') return
      if (isFromBrowser(request) || !await askHost(request, { action: 'callback', fileId: query.fileId })) throw unsignedCallback()
      allowedByHost.add(request)
    },

    isProven (request) {
      if (!settings.requireToken) return true
      try {
        const { fileId = '', key: onlyKey } = request.query
        return isKeyOf(fileId, fieldOf(headerClaims(request)?.payload, 'key'), onlyKey) // a page may have another token
      } catch {
        return false
      }
    },

    readCallback (request, fileId) {
      const { body, query } = request
      const signature = signatureOf('callback', query, fileId)
      const claims = settings.requireToken ? callbackClaims(request) : undefined
      const fields = claims ?? body
      const onlyKey = signature === 'valid' ? query.key : undefined
      if ((claims || onlyKey !== undefined) && !isKeyOf(fileId, fieldOf(fields, 'key'), onlyKey)) throw new ForbiddenError(NOT_OF_THE_FILE)

      if (settings.signedUrls && signature !== 'valid') return { fields, missing: unsignedCallback() }
      return { fields, missing: settings.requireToken && !claims ? noToken(request, 'no token in the body') : undefined }
    },

    async checkCallback (request, fileId, { missing }) {
      const allowed = allowedByHost.has(request) || await askHost(request, { action: 'callback', fileId })
      // A user whom the host knows is no document server: a page of any origin can post with that user's cookies.
      if (missing && (!allowed || isFromBrowser(request))) throw missing
    },

    async checkDownload (request, fileId) {
      const signature = signatureOf('download', request.query, fileId)
      const allowed = await askHost(request, { action: 'download', fileId })
      if (!(settings.signedUrls || settings.requireToken) || allowed || signature === 'valid') return
      if (signature === 'expired') throw new ForbiddenError('the URL has expired: see downloadUrlLifetime')
      // Not even with a token: the document server signs whatever address a configuration holds, whoever had it put there.
      if (settings.signedUrls) throw new UnauthorizedError('the URL is not signed: take it from the control')

      const claims = headerClaims(request)
      if (!claims) throw noToken(request, 'the URL is not signed')
      if (!urls.isRequested(fieldOf(claims.payload, 'url'), request.url, fileId)) throw new ForbiddenError('the token is for another URL: compare publicBaseUrl with the address the document server uses')
    },

    async checkProxy (request, url) {
      const { fileId = '' } = request.query
      const token = urls.proxyTokenState(fileId, headerOf(request, PROXY_TOKEN))
      if (settings.proxy.requireToken && token === 'wrong') throw new ForbiddenError(`the ${PROXY_TOKEN} is not of this service and of the page with this fileId`)
      const allowed = await askHost(request, { action: 'proxy', url: url.href, ...(fileId && { fileId }) })
      if (settings.proxy.requireToken && token !== 'valid' && !allowed) {
        throw new UnauthorizedError(token === 'expired' ? `the ${PROXY_TOKEN} has expired: its page is older than downloadUrlLifetime` : `no ${PROXY_TOKEN}: the page's module sends it, and proxyToken of its control is one`)
      }
      if (settings.proxy.crossOrigin) return
      if (!HARMLESS_DESTINATIONS.has(request.headers['sec-fetch-dest'])) throw new ForbiddenError('what is proxied must not run in a page')
      if (!allowed && isCrossSite(request)) throw new ForbiddenError('the proxy answers pages of its own origin only')
    }
  }

  function signatureOf (purpose: 'callback' | 'download', query: HandlerQuery, fileId: string): ReturnType<HandlerUrls['signatureOf']> {
    if (!settings.signedUrls) return 'absent'
    const signature = urls.signatureOf(purpose, fileId, query)
    if (signature === 'wrong') throw new ForbiddenError(NOT_OUR_URL)
    return signature
  }

  /** A token says nothing of the file: without this, one for a file could be sent to the URL of another. */
  function isKeyOf (fileId: string, key: unknown, onlyKey: string | undefined): boolean {
    return onlyKey === undefined ? typeof key === 'string' && keys.isFor(fileId, key) : key === onlyKey
  }

  async function askHost (request: FastifyRequest, target: AuthorizeTarget): Promise<boolean> {
    const { authorize } = settings
    if (!authorize) return false
    let decision: boolean | undefined
    try {
      decision = await within(settings.timeouts.host, 'authorize', () => authorize(request, target), over)
    } catch (cause) {
      throw new ForbiddenError('authorize failed', { cause })
    }
    if (decision === undefined) return false
    if (decision !== true) throw new ForbiddenError('authorize said no')
    return true
  }

  function isCrossSite ({ headers, host }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
    const { origin } = headers
    if (origin === undefined) return false
    return toUrl(origin)?.host !== host && origin !== new URL(settings.publicBaseUrl).origin
  }
}

function headerOf ({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join() : value
}

function isFromBrowser ({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

function unsignedCallback (): Error {
  return new UnauthorizedError('the callback URL is not signed: take it from the control')
}

function fieldOf (value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
