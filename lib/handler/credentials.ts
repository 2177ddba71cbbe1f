import type { FastifyRequest } from 'fastify'
import type { PageActionName } from '../../types/actions.js'
import type { AuthorizeTarget } from '../../types/options.js'
import { accessOf, mayUse, type Need, userOf } from '../control/defaults.js'
import { ForbiddenError, InvalidCallbackError, UnauthorizedError } from '../errors.js'
import { ONLY_WITH_TOKEN, type PageClaims, type SignatureState } from '../security/signatures.js'
import { runRequestHook, type Services } from '../services.js'
import { isJsonObject } from '../util/text.js'
import { parseUrl } from '../util/url.js'
import { kindOf } from '../util/validate.js'
import { type HandlerQuery, type HandlerRequest, isHandlerQuery, notesOf } from './request.js'
import { requestTokens } from './request-tokens.js'

const WRONG_SIGNATURE =
  'the URL\'s signature was not made for this application, file and action: jwtSecret, publicBaseUrl, path and prefix must be the same on all instances'

/** A header, because no link, image, script or form can set one. */
const PROXY_TOKEN_HEADER = 'x-editor-proxy-token'
const PAGE_TOKEN_HEADER = 'x-editor-page-token'

/**
 * A page may not use proxied content as a script, a style sheet, a frame and so on. Source: the Fetch standard, request
 * destinations.
 */
const ALLOWED_DESTINATIONS: ReadonlySet<unknown> = new Set([undefined, 'empty', 'document', 'image', 'audio', 'video'])

const WRONG_KEY =
  'the document key of the callback does not belong to its file: the token is for another file, or documentKey was set after the control\'s config was read'

/** Decides who may use the handler. Its promises reject with `UnauthorizedError` or `ForbiddenError`. */
export function createCredentials (services: Services) {
  const { settings, tokens, urls, pageTokens, keys } = services
  const { callbackClaims, headerClaims, noToken } = requestTokens(tokens, settings.documentServer)

  return {
    isProvenByHeader,

    /**
     * Refuses a callback with an unsigned URL, or one that this application did not sign for this callback. Needs no
     * body.
     */
    assertSignedCallback ({ query }: FastifyRequest): void {
      if (!isCallbackQuery(query)) throw new InvalidCallbackError('its URL must have exactly one fileId')
      if (settings.signedUrls && signatureOf('callback', query, query.fileId) !== 'valid') throw unsignedCallback()
    },

    /**
     * Whether a refused callback may come from the document server: it has all required credentials. Before its body is
     * read, the token in the header counts. With `isUrlSigned` the sender is the document server, or a user for whom
     * the document was opened. Never throws.
     */
    proofOf (request: FastifyRequest) {
      const { query } = request
      const isUrlSigned = settings.signedUrls && isCallbackQuery(query) &&
        urls.checkSignature('callback', query.fileId, query) === 'valid'
      const isProven = notesOf(request).isProvenCallback ?? (
        (isUrlSigned || (!settings.signedUrls && isCallbackQuery(query))) && isProvenByHeader(request as HandlerRequest)
      )
      return { isProven, isUrlSigned }
    },

    /**
     * Verifies the signature and the tokens of a callback: nothing else lets it in. Returns the claims of the token, or
     * the body if no token is required. Synchronous, so that callbacks keep their order.
     */
    verifyCallback (request: HandlerRequest, fileId: string): unknown {
      const { body, query } = request
      const signature = signatureOf('callback', query, fileId)
      const claims = settings.requireToken ? callbackClaims(request) : undefined
      if (settings.signedUrls && signature !== 'valid') throw unsignedCallback()
      if (settings.requireToken && !claims) throw noToken(request, 'no token in the body')
      notesOf(request).isProvenCallback = true
      const fields: unknown = claims ?? body
      const onlyKey = signature === 'valid' ? query.key : undefined
      if ((claims || onlyKey !== undefined) && !isKeyOf(fileId, fieldOf(fields, 'key'), onlyKey)) {
        throw new ForbiddenError(WRONG_KEY)
      }
      return fields
    },

    /** Calls `authorize`, which can only deny a callback. */
    async authorizeCallback (request: HandlerRequest, fileId: string): Promise<void> {
      await askApplication(request, { action: 'callback', fileId })
    },

    async authorizeDownload (request: HandlerRequest, fileId: string, version?: number): Promise<void> {
      const signature = signatureOf('download', request.query, fileId)
      const isGranted = await askApplication(request, {
        action: 'download',
        fileId,
        ...(version !== undefined && { version })
      })
      const needsToken = settings.requireToken && request.query.key === ONLY_WITH_TOKEN
      const isSigned = signature === 'valid'
      if (!(settings.signedUrls || settings.requireToken) || isGranted || (isSigned && !needsToken)) return
      if (signature === 'expired') throw new ForbiddenError('the URL has expired, see downloadUrlLifetime')
      // A token is not enough, because the document server signs any URL in a configuration.
      if (settings.signedUrls && !isSigned) throw new UnauthorizedError('the URL is not signed: use the URL from the control')

      const claims = headerClaims(request)
      if (!claims) throw noToken(request, isSigned ? 'the URL is for the document server only' : 'the URL is not signed')
      if (!urls.isUrlOfRequest(fieldOf(claims.payload, 'url'), request.url, fileId)) {
        throw new ForbiddenError(
          'the token is for another URL: compare publicBaseUrl with the URL that the document server requested'
        )
      }
    },

    async authorizeProxy (request: HandlerRequest, url: URL): Promise<void> {
      await authorizePage(request, { action: 'proxy', url: url.href })
      if (settings.proxy.crossOrigin) return
      if (!ALLOWED_DESTINATIONS.has(request.headers['sec-fetch-dest'])) {
        throw new ForbiddenError('proxied content must not be executed or embedded in a page')
      }
    },

    /** Resolves to whether the report is proven to come from a page with this fileId. */
    authorizeReport: (request: HandlerRequest) => authorizePage(request, { action: 'report' }),

    /** Authorizes a page to use an action. Needs no body. Resolves to the claims of the page's token. */
    async authorizeAction (
      request: FastifyRequest, { name, needs }: { readonly name: PageActionName, readonly needs: Need }
    ): Promise<PageClaims> {
      const { state, claims } = pageTokens.check(headerOf(request, PAGE_TOKEN_HEADER))
      if (state === 'absent') {
        throw new UnauthorizedError(
          `no ${PAGE_TOKEN_HEADER} header: the page's module sends it, with the control's pageToken`
        )
      }
      if (state === 'invalid') throw new ForbiddenError(`the ${PAGE_TOKEN_HEADER} was not made by this application`)
      const { fileId, defaults } = claims
      const isGranted = await askApplication(request, {
        action: name,
        fileId,
        user: userOf(defaults),
        ...accessOf(defaults)
      })
      if (state === 'expired' && !isGranted) {
        throw new UnauthorizedError(
          `the ${PAGE_TOKEN_HEADER} has expired: the page has not renewed it within pageTokenLifetime`
        )
      }
      if (!isGranted) assertSameSite(request)
      if (!mayUse(defaults, needs)) {
        throw new ForbiddenError(`the page's control does not allow its user to ${needs}`)
      }
      return claims
    }
  }

  /**
   * Whether the request's header proves that the document server sent the callback, or no proof is required. Needs no
   * body.
   */
  function isProvenByHeader (request: HandlerRequest): boolean {
    if (!settings.requireToken) return true
    try {
      const { fileId = '', key: onlyKey } = request.query
      // Tokens that browsers can have contain no `payload`.
      return isKeyOf(fileId, fieldOf(headerClaims(request)?.payload, 'key'), onlyKey)
    } catch {
      return false
    }
  }

  /** Authorizes a request of an editor page. Resolves to whether it has that page's token. */
  async function authorizePage (
    request: HandlerRequest, target: Extract<AuthorizeTarget, { action: 'proxy' | 'report' }>
  ): Promise<boolean> {
    const { fileId = '' } = request.query
    const token = urls.checkProxyToken(fileId, headerOf(request, PROXY_TOKEN_HEADER))
    if (settings.proxy.requireToken && token === 'invalid') {
      throw new ForbiddenError(`the ${PROXY_TOKEN_HEADER} was not made by this application for a page with this fileId`)
    }
    const isGranted = await askApplication(request, { ...target, ...(fileId && { fileId }) })
    if (settings.proxy.requireToken && token !== 'valid' && !isGranted) {
      throw new UnauthorizedError(
        token === 'expired'
          ? `the ${PROXY_TOKEN_HEADER} has expired: the page is older than downloadUrlLifetime`
          : `no ${PROXY_TOKEN_HEADER} header: the page's module sends it, with the control's proxyToken`
      )
    }
    if (!isGranted) assertSameSite(request)
    return token === 'valid'
  }

  function signatureOf (purpose: 'callback' | 'download', query: HandlerQuery, fileId: string): SignatureState {
    if (!settings.signedUrls) return 'absent'
    const signature = urls.checkSignature(purpose, fileId, query)
    if (signature === 'invalid') throw new ForbiddenError(WRONG_SIGNATURE)
    return signature
  }

  /** Tokens do not name the file: without this check a token could be replayed at the URL of another file. */
  function isKeyOf (fileId: string, key: unknown, onlyKey: string | undefined): boolean {
    return onlyKey === undefined ? typeof key === 'string' && keys.isForFile(fileId, key) : key === onlyKey
  }

  /** Resolves to whether the application grants the request without credentials. Rejects if it denies it. */
  async function askApplication (request: FastifyRequest, target: AuthorizeTarget): Promise<boolean> {
    const { authorize } = settings
    if (!authorize) return false
    let decision: boolean | 'grant' | undefined
    try {
      decision = await runRequestHook(services, context => authorize(target, context), {
        name: 'authorize',
        fileId: target.fileId,
        request
      })
    } catch (cause) {
      throw new ForbiddenError('authorize failed', { cause })
    }
    if (decision === false) throw new ForbiddenError('denied by authorize')
    // Most people write `return await mayRead(…)`, so `true` must not replace the credentials.
    if (decision === undefined || decision === true) return false
    if (decision !== 'grant') {
      throw new ForbiddenError(`authorize returned ${kindOf(decision)}: it must return true, false, undefined or 'grant'`)
    }
    return true
  }

  function assertSameSite (request: FastifyRequest): void {
    if (settings.proxy.crossOrigin || !isCrossSite(request)) return
    const origin = parseUrl(request.headers.origin ?? '')?.origin ?? 'null'
    throw new ForbiddenError(`only pages of the same origin may do this: Origin is ${origin}, Host is ${request.host}`)
  }

  function isCrossSite ({ headers, host }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site']
    // Only browsers can set it. A proxy may have rewritten Host.
    if (site === 'same-origin') return false
    if (site !== undefined && site !== 'none') return true
    const { origin } = headers
    if (origin === undefined) return false
    return parseUrl(origin)?.host !== host && origin !== new URL(settings.publicBaseUrl()).origin
  }
}

function headerOf ({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join() : value
}

function isCallbackQuery (query: unknown): query is HandlerQuery & { readonly fileId: string } {
  return isHandlerQuery(query) && !!query.fileId
}

function unsignedCallback (): Error {
  return new UnauthorizedError('the callback URL is not signed: use the URL from the control')
}

function fieldOf (value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined
}
