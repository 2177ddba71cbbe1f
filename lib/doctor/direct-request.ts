import type { HttpPurpose, HttpResponse } from '../../types/http.js'
import { serviceUrl } from '../document-server/client.js'
import { AddressBlockedError, TooLargeError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { limitedBody, REDIRECTS } from '../outbound/outbound.js'
import { withTimeout } from '../util/limits.js'
import { bytesOf, discard } from '../util/streams.js'
import { isHtml } from '../util/text.js'
import { parseUrl } from '../util/url.js'
import type { DoctorServices } from './services.js'

export interface DirectResponse {
  readonly status: number
  header (name: string): string | undefined
  readonly text: string
}

/** A response of any status, or why there is none. */
export type DirectOutcome =
  | { readonly response: DirectResponse, readonly failure?: undefined }
  | { readonly failure: ConnectionFault, readonly response?: undefined }

const TIMEOUT_MS = 10_000
/** The largest api.js is a few hundred kilobytes. */
const MAX_BYTES = 2 * 1024 ** 2

/**
 * Makes one request, to the document server or to this application, at the origins that options name: a GET, or a POST
 * with a body. Follows no redirects, so that the doctor sees them. Never rejects, except with the reason of the signal.
 */
export async function requestDirectly (
  { httpClient, settings: { documentServer, publicBaseUrl }, signal: outer }: DoctorServices, purpose: HttpPurpose,
  url: URL, posted?: { readonly body: string, readonly headers: Readonly<Record<string, string>> }
): Promise<DirectOutcome> {
  const ended = new AbortController()
  const signal = AbortSignal.any([outer, ended.signal])
  try {
    if (!documentServer.origins.has(url.origin) && url.origin !== new URL(publicBaseUrl).origin) {
      throw new AddressBlockedError(`${url.origin} is not allowed`)
    }
    const response = await withTimeout(send, {
      milliseconds: TIMEOUT_MS,
      timeoutError: ms => new UpstreamTimeoutError(`not finished within ${ms} ms`),
      signal
    })
    return { response }
  } catch (error) {
    outer.throwIfAborted()
    return { failure: connectionFault(error) }
  } finally {
    ended.abort()
  }

  async function send (): Promise<DirectResponse> {
    const response = await httpClient.request({
      purpose,
      method: posted ? 'POST' : 'GET',
      url: withoutCredentials(url),
      headers: { 'accept-encoding': 'identity', ...basicCredentials(url), ...posted?.headers },
      ...(posted && { body: posted.body }),
      signal
    })
    return { status: response.status, header: name => response.header(name), text: await textOf(response) }
  }

  async function textOf ({ body }: HttpResponse): Promise<string> {
    try {
      return (await bytesOf(limitedBody(body, { limit: MAX_BYTES, length: undefined, signal }))).toString('utf8')
    } catch (error) {
      if (error instanceof TooLargeError) return ''
      throw error
    } finally {
      discard(body)
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

/** By codes of errors: the finding if it is the document server that cannot be reached, and what the code means. */
const connectionFaults = [
  [/^ECONNREFUSED$/, 'SERVER_REFUSED', 'nothing listens at this host and port'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA)$/, 'SERVER_NAME', 'the host name has no IP address here'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'SERVER_TLS_SELF_SIGNED',
    'its certificate is signed by itself, or by an authority that is not known here'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'SERVER_TLS_EXPIRED', 'its certificate has expired or is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'SERVER_TLS_HOST', 'its certificate is for another host'],
  [/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|INVALID_CA|CERT_UNTRUSTED)$/,
    'SERVER_TLS_CHAIN',
    'it does not send its intermediate certificates, or its certificate authority is not known here'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/, 'SERVER_TLS', 'there is no TLS that both sides support, or no TLS at all'],
  [/TIMED?_?OUT/, 'SERVER_TIMEOUT', 'there was no answer in time'],
  [/^FST_EDITOR_ADDRESS_BLOCKED$/, 'SERVER_REDIRECT', 'a redirect leads to another origin']
] as const

/** Why there is no answer. */
export interface ConnectionFault {
  /** The code of the finding if it is the document server that does not answer. */
  readonly finding: typeof connectionFaults[number][1] | 'SERVER_UNREACHABLE'
  /** The code of the error, such as `ECONNREFUSED`. */
  readonly code: string
  /** The code and its meaning. */
  readonly reason: string
}

/** Finds the most telling code in an error and its causes. */
export function connectionFault (error: unknown): ConnectionFault {
  const codes = codesOf(error)
  for (const [pattern, finding, meaning] of connectionFaults) {
    const code = codes.find(one => pattern.test(one))
    if (code !== undefined) return { finding, code, reason: `${code}, ${meaning}` }
  }
  const code = codes.at(-1) ?? 'unknown'
  return { finding: 'SERVER_UNREACHABLE', code, reason: `${code}, the connection failed` }
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
