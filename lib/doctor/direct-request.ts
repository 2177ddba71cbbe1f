import type { HttpClient, HttpPurpose } from '../../types/http.js'
import { serviceUrl } from '../document-server/client.js'
import { isHtml } from '../document-server/file-signatures.js'
import { AddressBlockedError, TooLargeError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { limitedBody, REDIRECTS } from '../outbound/outbound.js'
import { bytesOf, discard } from '../util/streams.js'
import { parseUrl } from '../util/url.js'
import { withTimeout } from '../util/with-timeout.js'
import type { DoctorCode } from './findings.js'

interface DirectRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface DirectResponse {
  readonly status: number
  header (name: string): string | undefined
  readonly text: string
}

/** A response of any status, or why there is none. */
type DirectOutcome = { readonly response: DirectResponse } | { readonly failure: ConnectionFault }

/**
 * Makes one request, to the document server or to this application, at the origins that options name. Follows no
 * redirects, so that the doctor sees them. Never rejects, except with the reason of the signal.
 */
export type DirectRequester = (purpose: HttpPurpose, url: URL, request: DirectRequest) => Promise<DirectOutcome>

interface Dependencies {
  readonly httpClient: HttpClient
  readonly settings: Pick<Settings, 'documentServer' | 'publicBaseUrl'>
}

const TIMEOUT_MS = 10_000
/** The largest api.js is a few hundred kilobytes. */
const MAX_BYTES = 2 * 1024 ** 2

export function createDirectRequester (
  { httpClient, settings: { documentServer, publicBaseUrl } }: Dependencies
): DirectRequester {
  const allowed = new Set([...documentServer.origins, new URL(publicBaseUrl).origin])

  return async function request (purpose, url, { method = 'GET', headers = {}, body, signal }) {
    const deadline = new AbortController()
    const timer = setTimeout(
      () => deadline.abort(new UpstreamTimeoutError(`not finished within ${TIMEOUT_MS} ms`)),
      TIMEOUT_MS
    )
    const both = AbortSignal.any([signal, deadline.signal])
    try {
      if (!allowed.has(url.origin)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      return {
        response: await withTimeout(async () => await send(both), {
          milliseconds: TIMEOUT_MS,
          timeoutError: ms => new UpstreamTimeoutError(`not finished within ${ms} ms`),
          signal: both
        })
      }
    } catch (error) {
      signal.throwIfAborted()
      return { failure: connectionFault(error) }
    } finally {
      clearTimeout(timer)
    }

    async function send (signal: AbortSignal): Promise<DirectResponse> {
      const response = await httpClient.request({
        purpose,
        method,
        url: withoutCredentials(url),
        headers: { 'accept-encoding': 'identity', ...basicCredentials(url), ...headers },
        ...(body === undefined ? {} : { body }),
        signal
      })
      try {
        const text = (await bytesOf(limitedBody(response.body, { limit: MAX_BYTES, length: undefined, signal })))
          .toString('utf8')
        return { status: response.status, header: name => response.header(name), text }
      } catch (error) {
        if (!(error instanceof TooLargeError)) throw error
        return { status: response.status, header: name => response.header(name), text: '' }
      } finally {
        discard(response.body)
      }
    }
  }
}

/**
 * Sends a URL's credentials as the document server does.
 * Source: docs/document-server-protocol.md#tokens-the-document-server-sends
 */
function basicCredentials ({ username, password }: URL): Record<string, string> {
  return username === '' && password === ''
    ? {}
    : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

function withoutCredentials (url: URL): URL {
  const copy = new URL(url)
  copy.username = copy.password = copy.hash = ''
  return copy
}

/** Why there is no answer. */
export interface ConnectionFault {
  readonly kind:
    | 'refused'
    | 'name'
    | 'timeout'
    | 'self-signed'
    | 'expired'
    | 'wrong-host'
    | 'chain'
    | 'tls'
    | 'blocked'
    | 'other'
  /** The code of the error, such as `ECONNREFUSED`. */
  readonly code: string
  /** The meaning of the code, worded to follow a comma or "because". */
  readonly meaning: string
}

const kinds: ReadonlyArray<readonly [code: RegExp, kind: ConnectionFault['kind'], meaning: string]> = [
  [/^ECONNREFUSED$/, 'refused', 'nothing listens at this host and port'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA)$/, 'name', 'the host name has no IP address here'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    'self-signed',
    'its certificate is signed by itself, or by an authority that is not known here'
  ],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'expired', 'its certificate has expired or is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'wrong-host', 'its certificate is for another host'],
  [
    /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|INVALID_CA|CERT_UNTRUSTED)$/,
    'chain',
    'it does not send its intermediate certificates, or its certificate authority is not known here'
  ],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/, 'tls', 'there is no TLS that both sides support, or no TLS at all'],
  [/TIMED?_?OUT/, 'timeout', 'there was no answer in time'],
  [/^FST_EDITOR_ADDRESS_BLOCKED$/, 'blocked', 'a redirect leads to another origin']
]

/** Finds the most telling code in an error and its causes. */
export function connectionFault (error: unknown): ConnectionFault {
  const all = codesOf(error)
  for (const [pattern, kind, meaning] of kinds) {
    const code = all.find(one => pattern.test(one))
    if (code !== undefined) return { kind, code, meaning }
  }
  return { kind: 'other', code: all.at(-1) ?? 'unknown', meaning: 'the connection failed' }
}

/** The outermost code comes first. */
function codesOf (error: unknown): string[] {
  const found: string[] = []
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    const { code, errors } = current as { readonly code?: unknown, readonly errors?: readonly unknown[] }
    if (typeof code === 'string') found.push(code)
    else if (current.name !== 'Error') found.push(current.name)
    current = current.cause ?? errors?.[0]
  }
  return found
}

/** The finding's code for each kind of failed connection to the document server. */
export const serverCodes: Readonly<Record<ConnectionFault['kind'], Extract<DoctorCode, `SERVER_${string}`>>> = {
  refused: 'SERVER_REFUSED',
  name: 'SERVER_NAME',
  timeout: 'SERVER_TIMEOUT',
  'self-signed': 'SERVER_TLS_SELF_SIGNED',
  expired: 'SERVER_TLS_EXPIRED',
  'wrong-host': 'SERVER_TLS_HOST',
  chain: 'SERVER_TLS_CHAIN',
  tls: 'SERVER_TLS',
  blocked: 'SERVER_REDIRECT',
  other: 'SERVER_UNREACHABLE'
}

export function isRedirect ({ status }: Pick<DirectResponse, 'status'>): boolean {
  return REDIRECTS.has(status)
}

export function redirectTarget (from: URL, { header }: Pick<DirectResponse, 'header'>): URL | undefined {
  const location = header('location')
  return location === undefined ? undefined : parseUrl(location, from)
}

const LOGIN_PATH = /log-?in|sign-?in|\bsso\b|\bauth|\boauth|session/i
const LOGIN_PAGE = /type=["']?password|log ?in|sign ?in/i

/** Whether an answer asks for a login: by its status, its target, or its words. */
export function isLogin (from: URL, response: DirectResponse): boolean {
  const { status, text } = response
  if (status === 401 || status === 403 || status === 407 || status === 511) return true
  if (isRedirect(response)) return LOGIN_PATH.test(redirectTarget(from, response)?.pathname ?? '')
  return isHtml(text) && LOGIN_PAGE.test(text.slice(0, 50_000))
}

/**
 * The URL of a service of the document server as this application reaches it: only the public origin has the virtual
 * path.
 */
export function reachableServiceUrl ({ publicUrl, internalOrigin }: Settings['documentServer'], path: string): URL {
  return internalOrigin === null ? serviceUrl(publicUrl, path) : new URL(path, internalOrigin)
}
