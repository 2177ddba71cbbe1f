import type { DoctorFinding } from '../../types/doctor.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import {
  ENDED_BY_HOOK, ENDED_BY_HOOK_HEADER, type ProbeAnswer, probeDocument, type Sighting
} from '../handler/probe-requests.js'
import type { Settings } from '../options.js'
import type { HandlerUrls } from '../security/signatures.js'
import { isJsonObject, parseJson } from '../util/text.js'
import {
  type ConnectionFault, type DirectRequester, type DirectResponse, isLogin, isRedirect, redirectTarget
} from './direct-request.js'
import { error, firstWords, ok, shown, skipped, warning } from './findings.js'

/** The application's answer to a request that does not go through the network. */
export type Inject = (
  request: {
    readonly method: 'GET' | 'POST',
    readonly url: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly body?: string
  }
) => Promise<DirectResponse>

/** Who answered a request for the probe. */
type Reception =
  /** The handler. `answer` is that of a callback. */
  | { readonly kind: 'ours', readonly answer?: ProbeAnswer }
  /** A hook of the application that serves the handler. */
  | { readonly kind: 'hook', readonly response: DirectResponse }
  /** The handler, but its answer was changed on the way. */
  | { readonly kind: 'changed', readonly response: DirectResponse }
  /** The handler, which did not recognize the probe. */
  | { readonly kind: 'unrecognized', readonly response: DirectResponse }
  /** Another server. */
  | { readonly kind: 'foreign', readonly response: DirectResponse }
  | { readonly kind: 'failure', readonly failure: ConnectionFault }

/** The outcomes of requests like the document server's, sent by this application to itself. */
interface OwnRequests {
  readonly url: URL
  readonly download: Reception
  /** A callback with a body of `size` bytes. */
  readonly callback: Reception
  readonly size: number
  /** A callback with a small body, sent if the large one failed. */
  readonly smallCallback?: Reception
  /**
   * Requests that bypass the network: they find hooks of the application behind another server that answers in between.
   * Absent if all is well, or if nothing listens here.
   */
  readonly inside?: { readonly download: Reception, readonly callback: Reception }
}

interface Dependencies {
  readonly settings: Pick<Settings, 'bodyLimit' | 'publicBaseUrl'>
  readonly urls: Pick<HandlerUrls, 'probe' | 'isProbeAnswer'>
  /** The handler's path within this application. */
  readonly handlerPath: string
  readonly direct: DirectRequester
  /** Absent if this process does not listen: then another one serves publicBaseUrl. */
  readonly inject: Inject | undefined
}

/** As large as a callback with a long history. */
const LARGE_BODY_BYTES = 1.5 * 1024 ** 2
const SMALL_BODY = '{"status":0}'
const JSON_TYPE = { 'content-type': 'application/json' }

export function createOwnRequests ({ settings, urls, handlerPath, direct, inject }: Dependencies) {
  return { examine, askSightings }

  async function examine (id: string, signal: AbortSignal): Promise<OwnRequests> {
    const [downloadUrl, callbackUrl] = [new URL(urls.probe('download', id)), new URL(urls.probe('callback', id))]
    const body = largeBody()
    const [download, callback] = await Promise.all([
      direct('probe', downloadUrl, { signal }).then(outcome => received(id, outcome)),
      post(id, callbackUrl, body, signal)
    ])
    const requests = { url: new URL(downloadUrl.origin + downloadUrl.pathname), download, callback, size: body.length }
    if (download.kind === 'ours' && callback.kind === 'ours') return requests
    const smallCallback = await post(id, callbackUrl, SMALL_BODY, signal)
    return {
      ...requests,
      smallCallback,
      ...(inject && { inside: await askInside(inject, id, [downloadUrl, callbackUrl]) })
    }
  }

  /** The requests for the probe that the instance at publicBaseUrl has seen. */
  async function askSightings (id: string, signal: AbortSignal): Promise<ProbeAnswer | undefined> {
    const reception = await post(id, new URL(urls.probe('callback', id)), SMALL_BODY, signal)
    return reception.kind === 'ours' ? reception.answer : undefined
  }

  async function post (id: string, url: URL, body: string, signal: AbortSignal): Promise<Reception> {
    return received(id, await direct('probe', url, { method: 'POST', headers: JSON_TYPE, body, signal }))
  }

  async function askInside (
    inject: Inject,
    id: string,
    [download, callback]: readonly [URL, URL]
  ): Promise<NonNullable<OwnRequests['inside']>> {
    const headers = { host: download.host, 'x-forwarded-proto': download.protocol.slice(0, -1) }
    const ask = async (url: URL, request: object) =>
      received(id, { response: await inject({ method: 'GET', url: handlerPath + url.search, headers, ...request }) })
    return {
      download: await ask(download, {}),
      callback: await ask(callback, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: SMALL_BODY })
    }
  }

  function received (
    id: string,
    outcome: { readonly response: DirectResponse } | { readonly failure: ConnectionFault }
  ): Reception {
    if ('failure' in outcome) return { kind: 'failure', failure: outcome.failure }
    const { response } = outcome
    if (urls.isProbeAnswer(id, ENDED_BY_HOOK, response.header(ENDED_BY_HOOK_HEADER) ?? '')) {
      return { kind: 'hook', response }
    }
    if (response.status === 200) {
      if (response.text === probeDocument(id).toString('utf8')) return { kind: 'ours' }
      const answer = provenAnswer(id, response.text)
      if (answer) return { kind: 'ours', answer }
      if (response.text === '{"error":1}') return { kind: 'unrecognized', response }
      if (hasContentOfAnswer(response.text)) return { kind: 'changed', response }
    }
    return { kind: isRefusalOfHandler(response) ? 'unrecognized' : 'foreign', response }
  }

  function provenAnswer (id: string, text: string): ProbeAnswer | undefined {
    const { probe, signature } = Object(parseJson(text)) as Record<string, unknown>
    if (typeof probe !== 'string' || typeof signature !== 'string' || !urls.isProbeAnswer(id, probe, signature)) {
      return undefined
    }
    const answer = parseJson(probe)
    return isJsonObject(answer) ? answer as unknown as ProbeAnswer : undefined
  }

  /** A body that leaves room below `bodyLimit`. */
  function largeBody (): string {
    return JSON.stringify({
      status: 0,
      filler: 'x'.repeat(Math.max(0, Math.min(LARGE_BODY_BYTES, settings.bodyLimit) - 100))
    })
  }
}

/** Whether a text has fields of a `ProbeAnswer`, or the name of a part of the probe's document. */
function hasContentOfAnswer (text: string): boolean {
  const instanceAt = text.search(/\binstance\b/)
  return text.includes('word/document.xml') || (instanceAt >= 0 && /\bsightings\b/.test(text.slice(instanceAt)))
}

/** The handler answers its errors with these headers and texts. */
function isRefusalOfHandler ({ status, header, text }: DirectResponse): boolean {
  return (header('content-security-policy') ?? '').startsWith('sandbox') &&
    ((status === 400 && text.startsWith('Unknown action')) || (status === 401 && text === 'Not authorized') ||
      (status === 403 && text === 'Forbidden') || (status === 404 && /fileId/.test(text)))
}

interface Context {
  /** The requests for the probe that this instance has seen. */
  readonly sightings: readonly Sighting[]
  readonly instance: string
  /** Whether this process serves publicBaseUrl, alone or with others. */
  readonly isListening: boolean
  readonly hasState: boolean
}

/** The findings about this application's own requests to publicBaseUrl. */
export function assessPublicUrl (requests: OwnRequests, context: Context): DoctorFinding[] {
  const { url, download, callback, size, smallCallback = callback, inside } = requests
  const outside = [download, smallCallback].find(isAnswered)
  const hook = hookAnswer(download, smallCallback) ??
    (inside && (outside || download.kind === 'failure')
      ? hookAnswer(ofApplication(inside.download), ofApplication(inside.callback))
      : undefined)
  if (hook) return [assessHook(hook)]
  if (outside?.kind === 'changed') return [changed(outside.response)]
  if (outside?.kind === 'unrecognized') return [unrecognized(outside.response)]
  if (outside?.kind === 'foreign') return [foreign(outside.response)]

  const isLargeOnly = callback.kind !== 'ours' && smallCallback.kind === 'ours'
  if (isLargeOnly) return [largeRefused(callback)]
  const failed = [download, smallCallback].find(({ kind }) => kind === 'failure')
  if (failed?.kind === 'failure') {
    const { code, meaning } = failed.failure
    return [skipped('CALLBACK', `This application gets no answer from ${shown(url)} itself: ${code}, ${meaning}. Whether the document server does is shown by its download.`)]
  }
  return [
    ok('CALLBACK', `${shown(url)} is our handler: it answered a GET, and a POST of ${size} bytes.`),
    ...instances()
  ]

  function assessHook ({ response, requests }: HookAnswer): DoctorFinding {
    const { status, text } = response
    const evidence = `A hook of the application itself answers ${requests} of the document server at ${url.pathname} before the handler sees it: ${described(url, response)}.`
    if (status === 429) return error('RATE_LIMIT_HOOK', evidence, 'All requests of the document server come from one IP address: give the plugin\'s routes a higher limit, or none, such as config: { rateLimit: false } for @fastify/rate-limit.')
    if (status === 503) return error('OVERLOAD_HOOK', evidence, 'The application reports that it is overloaded, such as by @fastify/under-pressure: find out why, or raise its limits. Documents do not open meanwhile; the document server repeats its callbacks for some minutes.')
    if (requests === 'a callback' && (status === 403 || /csrf/i.test(text))) return error('CSRF_HOOK', evidence, `Let the CSRF check ${PASS} a callback has no CSRF token, and no page of another site can sign its URL.`)
    return error('LOGIN_HOOK', evidence, `Let hooks that check a login ${PASS} it has no session, and the handler verifies its requests itself. See ${LOGIN_GUIDE}`)
  }

  function changed (response: DirectResponse): DoctorFinding {
    return error(
      'ANSWER_CHANGED',
      `Our handler answers at ${shown(url)}, but what arrives is not what it sent: ${described(url, response)}.`,
      'Let onSend hooks of the application, such as one that puts every answer into an envelope, leave the answers of routes with request.routeOptions.config.editor alone. If there are none, a proxy changes them.'
    )
  }

  /** The handler was reached, but with another signature than was sent. */
  function unrecognized (response: DirectResponse): DoctorFinding {
    const arrivedHere = context.sightings.some(({ isSigned }) => !isSigned)
    if (arrivedHere || response.text.startsWith('Unknown action')) {
      return error('PUBLIC_URL_QUERY', `Our handler answers ${described(url, response)} to a request with a signed query: the query did not arrive as it was sent.`,
        'Let the proxy in front of this application pass the path and the query unchanged (nginx: proxy_pass http://app; without a path and without rewrite … ? or set $args).')
    }
    return error(
      'INSTANCE_DIFFERS',
      `At ${shown(url)} a handler answers ${described(url, response)}, but it does not have our secret and our URL.`,
      'Give all instances of the application the same jwtSecret, publicBaseUrl, path and prefix, and clocks that agree, and check that publicBaseUrl leads to this application.'
    )
  }

  function foreign (response: DirectResponse): DoctorFinding {
    const target = isRedirect(response) ? redirectTarget(url, response) : undefined
    if (isLogin(url, response)) {
      return error(
        'PUBLIC_URL_LOGIN',
        `${shown(url)} answers ${described(url, response)}.`,
        `Let the proxy in front of the application pass requests to ${url.pathname} without a login (such as oauth2-proxy --skip-auth-route): the handler verifies its requests itself.`
      )
    }
    if (target) {
      const keepsPost = response.status === 307 || response.status === 308
      const remedy = target.pathname === url.pathname && target.origin !== url.origin
        ? `Set publicBaseUrl to ${target.origin}, so that nothing is redirected.`
        : `Do not redirect ${url.pathname}.`
      return (keepsPost ? warning : error)('PUBLIC_URL_REDIRECT', `${shown(url)} answers ${described(url, response)}. ${keepsPost ? 'The document server follows it.' : 'The document server follows it with a GET: callbacks, and with them saves, are lost.'}`, remedy)
    }
    const gateway = response.status === 502 || response.status === 503 || response.status === 504
    return error(
      'PUBLIC_URL_NOT_OURS',
      `${shown(url)} answers ${described(url, response)}.`,
      gateway
        ? 'A proxy answers, but does not reach this application: correct its upstream, such as proxy_pass http://127.0.0.1:3000.'
        : `Make publicBaseUrl the URL at which this application is served, with the path that a proxy removes, such as https://example.com/app; ${url.pathname} below it must reach the handler by GET and POST.`
    )
  }

  function largeRefused (reception: Reception): DoctorFinding {
    const seen = reception.kind === 'failure' ? `ends with ${reception.failure.code}` : 'response' in reception ? `is answered with ${described(url, reception.response)}` : 'is not answered'
    return error('CALLBACK_BODY_LIMIT', `A POST of ${size} bytes to ${shown(url)} ${seen}; a small one arrives. Callbacks with a long history are refused, and their saves with them.`,
      'Raise the limit of the proxy in front of this application to that of bodyLimit (nginx: client_max_body_size 4m; Apache: LimitRequestBody 4194304).')
  }

  function instances (): DoctorFinding[] {
    const other = callback.kind === 'ours' && callback.answer && callback.answer.instance !== context.instance
    if (!other || !context.isListening || context.hasState) return []
    return [
      warning(
        'INSTANCES_WITHOUT_STATE',
        'Another instance of the application answered, and the storage has no state: instances do not know of each other\'s sessions and saves.',
        'Add `state` to the storage (see types/storage.ts, StateStore), or run one instance only.'
      )
    ]
  }
}

const PASS = 'pass requests whose request.routeOptions.config.editor?.caller is \'document-server\':'

/** Without a network in between, only the application can have answered. */
function ofApplication (reception: Reception): Reception {
  return reception.kind === 'foreign' || reception.kind === 'unrecognized'
    ? { kind: 'hook', response: reception.response }
    : reception
}

interface HookAnswer {
  readonly response: DirectResponse
  /** The requests that are answered in this way, for the evidence. */
  readonly requests: 'a download' | 'a callback' | 'each request'
}

function hookAnswer (download: Reception, callback: Reception): HookAnswer | undefined {
  if (download.kind !== 'hook') {
    return callback.kind === 'hook'
      ? { response: callback.response, requests: 'a callback' }
      : undefined
  }
  return { response: download.response, requests: callback.kind === 'hook' ? 'each request' : 'a download' }
}

function isAnswered (reception: Reception): reception is Extract<Reception, { readonly response: DirectResponse }> {
  return reception.kind === 'foreign' || reception.kind === 'unrecognized' || reception.kind === 'changed'
}

function described (url: URL, response: DirectResponse): string {
  return `status ${response.status}${redirect(url, response)} and ${firstWords(response.text)}`
}

function redirect (url: URL, response: DirectResponse): string {
  if (response.header('location') === undefined) return ''
  const target = redirectTarget(url, response)
  return ` with a redirect to ${!target ? 'nowhere' : target.origin === url.origin ? target.pathname : shown(target)}`
}
