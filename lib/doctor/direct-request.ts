import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { DoctorFinding } from '../../types/doctor.js'
import type { EditorHttpClient, EditorHttpPurpose } from '../../types/http.js'
import { type DocumentServerClient, serviceUrl } from '../document-server/client.js'
import type { Conversions } from '../document-server/conversion.js'
import { TooLargeError } from '../errors.js'
import type { Probes } from '../handler/probes.js'
import type { Settings } from '../options.js'
import { limitedBody, REDIRECTS } from '../outbound/outbound.js'
import type { HandlerUrls } from '../security/signatures.js'
import type { TimedStorage } from '../store/timed-storage.js'
import { unlessAborted } from '../util/limits.js'
import { bytesOf } from '../util/streams.js'
import { isHtml } from '../util/text.js'
import { parseUrl } from '../util/url.js'

/** The set-up to examine, and the means to do so. */
export interface DoctorServices {
  /** If it does not listen, such as in a command line tool, another process serves publicBaseUrl. */
  readonly app: Pick<FastifyInstance, 'server'>
  readonly settings: Settings
  readonly storage: TimedStorage
  readonly httpClient: EditorHttpClient
  readonly client: DocumentServerClient
  readonly conversions: Conversions
  readonly urls: HandlerUrls
  readonly probes: Probes
  /** Explains why a document does not open. */
  readonly explainOpening: (fileId: string) => Promise<readonly DoctorFinding[]>
  readonly log: FastifyBaseLogger
  /** Ends examinations when the application is closing. Of one examination: also when its time is up. */
  readonly signal: AbortSignal
}

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
 * of JSON. Follows no redirects, so that the doctor sees them. Never rejects, except with the reason of the signal.
 */
export async function requestDirectly (
  { httpClient, signal: outer }: DoctorServices, purpose: EditorHttpPurpose, url: URL, body?: string
): Promise<DirectOutcome> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return { response: await unlessAborted(send(), signal) }
  } catch (error) {
    outer.throwIfAborted()
    return { failure: connectionFault(error) }
  }

  async function send (): Promise<DirectResponse> {
    const posted = body === undefined ? {} : { accept: 'application/json', 'content-type': 'application/json' }
    const response = await httpClient.request({
      purpose,
      method: body === undefined ? 'GET' : 'POST',
      url: withoutCredentials(url),
      headers: { 'accept-encoding': 'identity', ...basicCredentials(url), ...posted },
      ...(body !== undefined && { body }),
      signal
    })
    const limited = limitedBody(response.body, { limit: MAX_BYTES, length: undefined, signal })
    const bytes = await bytesOf(limited).catch(error => {
      if (error instanceof TooLargeError) return ''
      throw error
    })
    return { status: response.status, header: name => response.header(name), text: bytes.toString() }
  }
}

/**
 * Sends a URL's credentials as the document server does.
 * Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
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

/**
 * By codes of errors: what the code means, and what to do if it is the document server that cannot be reached, at the
 * URL that an option has.
 */
const connectionFaults: ReadonlyArray<readonly [pattern: RegExp, meaning: string, remedy: string]> = [
  [/^ECONNREFUSED$/, 'nothing listens at this host and port',
    'Start the document server, or correct host and port. In a container, localhost is the container itself: use the name of the document server\'s container.'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA)$/, 'the host name has no IP address here',
    'Correct the host. If only browsers know the public name, set documentServer.internalUrl to a name that this application can resolve.'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    'its certificate is signed by itself, or by an authority that is not known here',
    'Give the certificate authority to the option tls.ca: readFileSync(\'ca.pem\', \'utf8\'). Or set documentServer.internalUrl to an http URL inside your network.'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'its certificate has expired or is not valid yet',
    'Renew the certificate, and check the clock of this machine.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host',
    'Use the host that the certificate was issued for, or issue a certificate for this one.'],
  [/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|INVALID_CA|CERT_UNTRUSTED)$/,
    'it does not send its intermediate certificates, or its certificate authority is not known here',
    'Make its web server send the full chain (nginx: ssl_certificate with fullchain.pem), or give the certificate authority to the option tls.ca.'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/, 'there is no TLS that both sides support, or no TLS at all',
    'Check whether it serves https at this port, and which TLS versions it supports: the option tls.minVersion is TLSv1.2 by default.'],
  [/TIMED?_?OUT/i, 'there was no answer in time',
    'Check firewalls and security groups on the way. If the public host cannot be reached from here, set documentServer.internalUrl, such as http://documentserver.'],
  [/^FST_EDITOR_ADDRESS_BLOCKED$/, 'the HTTP client allows public IP addresses only', 'Let the HTTP client allow this origin.'],
  [/./, 'the connection failed', 'Check whether a proxy or firewall ends connections on the way.']
]

/** Why there is no answer. */
export interface ConnectionFault {
  /** The code of the error, such as `ECONNREFUSED`. */
  readonly code: string
  /** The code and its meaning. */
  readonly reason: string
  /** What to do if it is the document server that does not answer. */
  readonly remedy: string
}

/** Finds the most telling code in an error and its causes. */
function connectionFault (error: unknown): ConnectionFault {
  const codes = codesOf(error)
  for (const [pattern, meaning, remedy] of connectionFaults) {
    const code = codes.find(one => pattern.test(one))
    if (code !== undefined) return { code, reason: `${code}, ${meaning}`, remedy }
  }
  throw new TypeError('the last pattern matches every code')
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
  return found.length === 0 ? ['unknown'] : found
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
