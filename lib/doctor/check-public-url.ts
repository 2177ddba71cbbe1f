import type { InjectOptions } from 'fastify'
import type { DoctorFinding } from '../../types/doctor.js'
import { isFromGateway } from '../document-server/client.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import { ENDED_BY_HOOK, ENDED_BY_HOOK_HEADER, type ProbeAnswer, probeDocument } from '../handler/probe-requests.js'
import { isJsonObject, parseJson } from '../util/text.js'
import {
  type ConnectionFault, type DirectOutcome, type DirectResponse, isLogin, isRedirect, redirectTarget, requestDirectly
} from './direct-request.js'
import { error, firstWords, ok, shown, skipped, warning } from './findings.js'
import type { DoctorServices } from './services.js'

/**
 * Who answered a request for the probe. `ours`: the handler; `answer` is that of a callback. `hook`: a hook of the
 * application that serves the handler. `changed`: the handler, but its answer was changed on the way. `unrecognized`:
 * the handler, which did not recognize the probe. `foreign`: another server. `failure`: nobody.
 */
type Reception =
  | { readonly kind: 'ours', readonly answer?: ProbeAnswer }
  | { readonly kind: 'hook' | 'changed' | 'unrecognized' | 'foreign', readonly response: DirectResponse }
  | { readonly kind: 'failure', readonly failure: ConnectionFault }

/** As large as a callback with a long history. */
const LARGE_BODY_BYTES = 1.5 * 1024 ** 2
const SMALL_BODY = '{"status":0}'
const JSON_TYPE = { 'content-type': 'application/json' }
const PASS = 'pass requests whose request.routeOptions.config.editor?.caller is \'document-server\':'

/** Sends requests like the document server's from this application to itself. */
export async function checkPublicUrl (services: DoctorServices): Promise<DoctorFinding[]> {
  const { app, settings, handlerPath, storage, urls, probes } = services
  // A probe of its own, so that all requests for the other one come from the document server.
  const id = probes.start()
  const [downloadUrl, callbackUrl] = [new URL(urls.probe('download', id)), new URL(urls.probe('callback', id))]
  const url = new URL(downloadUrl.origin + downloadUrl.pathname)
  const filler = 'x'.repeat(Math.max(0, Math.min(LARGE_BODY_BYTES, settings.bodyLimit) - 100))
  const largeBody = JSON.stringify({ status: 0, filler })
  const [download, callback] = await Promise.all([
    requestDirectly(services, 'probe', downloadUrl).then(outcome => receptionOf(services, id, outcome)),
    postProbe(services, id, largeBody)
  ])
  if (download.kind === 'ours' && callback.kind === 'ours') {
    return [
      ok('CALLBACK', `${shown(url)} is our handler: it answered a GET, and a POST of ${largeBody.length} bytes.`),
      ...otherInstance(callback.answer)
    ]
  }

  const smallCallback = await postProbe(services, id, SMALL_BODY)
  const outside = [download, smallCallback].find(reception => 'response' in reception)
  const hook = hookAnswer(download, smallCallback) ??
    (app.server.listening && (outside || download.kind === 'failure') ? await hookInside() : undefined)
  if (hook) return [assessHook(hook)]
  if (outside?.kind === 'changed') return [changed(outside.response)]
  if (outside?.kind === 'unrecognized') return [unrecognized(outside.response)]
  if (outside?.kind === 'foreign') return [foreign(outside.response)]
  if (callback.kind !== 'ours' && smallCallback.kind === 'ours') return [largeRefused()]
  const failed = [download, smallCallback].find(reception => 'failure' in reception)!
  return [skipped('CALLBACK', `This application gets no answer from ${shown(url)} itself: ${failed.failure.reason}. Whether the document server does is shown by its download.`)]

  /** Requests that bypass the network find hooks of the application behind another server that answers in between. */
  async function hookInside (): Promise<HookAnswer | undefined> {
    const headers = { host: downloadUrl.host, 'x-forwarded-proto': downloadUrl.protocol.slice(0, -1) }
    const ask = async ({ search }: URL, request: InjectOptions): Promise<Reception> => {
      const answer = await app.inject({ url: handlerPath + search, headers, ...request })
      const header = (name: string) => answer.headers[name] === undefined ? undefined : String(answer.headers[name])
      const response = { status: answer.statusCode, header, text: answer.payload }
      const reception = receptionOf(services, id, { response })
      // Without a network in between, only the application can have answered.
      return /^(foreign|unrecognized)$/.test(reception.kind) ? { kind: 'hook', response } : reception
    }
    return hookAnswer(
      await ask(downloadUrl, { method: 'GET' }),
      await ask(callbackUrl, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: SMALL_BODY })
    )
  }

  function assessHook ({ response, requests }: HookAnswer): DoctorFinding {
    const { status, text } = response
    const evidence = `A hook of the application itself answers ${requests} of the document server at ${url.pathname} before the handler sees it: ${described(url, response)}.`
    if (status === 429) return error('RATE_LIMIT_HOOK', evidence, 'All requests of the document server come from one IP address: give the plugin\'s routes a higher limit, or none, such as config: { rateLimit: false } for @fastify/rate-limit.')
    if (status === 503) return error('OVERLOAD_HOOK', evidence, 'The application reports that it is overloaded, such as by @fastify/under-pressure: find out why, or raise its limits. Documents do not open meanwhile; the document server repeats its callbacks for some minutes.')
    if (requests === 'a callback' && (status === 403 || /csrf/i.test(text))) return error('CSRF_HOOK', evidence, `Let the CSRF check ${PASS} a callback has no CSRF token, and no page of another site can sign its URL.`)
    return error('LOGIN_HOOK', evidence, `Let hooks that check a login ${PASS} it has no session, and the handler verifies its requests itself. See ${LOGIN_GUIDE}`)
  }

  function changed (response: DirectResponse): DoctorFinding {
    return error('ANSWER_CHANGED',
      `Our handler answers at ${shown(url)}, but what arrives is not what it sent: ${described(url, response)}.`,
      'Let onSend hooks of the application, such as one that puts every answer into an envelope, leave the answers of routes with request.routeOptions.config.editor alone. If there are none, a proxy changes them.')
  }

  /** The handler was reached, but with another signature than was sent. */
  function unrecognized (response: DirectResponse): DoctorFinding {
    const arrivedHere = probes.sightings(id).some(({ isSigned }) => !isSigned)
    if (arrivedHere || response.text.startsWith('Unknown action')) {
      return error('PUBLIC_URL_QUERY',
        `Our handler answers ${described(url, response)} to a request with a signed query: the query did not arrive as it was sent.`,
        'Let the proxy in front of this application pass the path and the query unchanged (nginx: proxy_pass http://app; without a path and without rewrite … ? or set $args).')
    }
    return error('INSTANCE_DIFFERS',
      `At ${shown(url)} a handler answers ${described(url, response)}, but it does not have our secret and our URL.`,
      'Give all instances of the application the same jwtSecret, publicBaseUrl, path and prefix, and clocks that agree, and check that publicBaseUrl leads to this application.')
  }

  function foreign (response: DirectResponse): DoctorFinding {
    const evidence = `${shown(url)} answers ${described(url, response)}.`
    if (isLogin(url, response)) {
      return error('PUBLIC_URL_LOGIN',
        evidence,
        `Let the proxy in front of the application pass requests to ${url.pathname} without a login (such as oauth2-proxy --skip-auth-route): the handler verifies its requests itself.`)
    }
    const target = isRedirect(response) ? redirectTarget(url, response) : undefined
    if (target) {
      const remedy = target.pathname === url.pathname && target.origin !== url.origin
        ? `Set publicBaseUrl to ${target.origin}, so that nothing is redirected.`
        : `Do not redirect ${url.pathname}.`
      return response.status === 307 || response.status === 308
        ? warning('PUBLIC_URL_REDIRECT', `${evidence} The document server follows it.`, remedy)
        : error('PUBLIC_URL_REDIRECT', `${evidence} The document server follows it with a GET: callbacks, and with them saves, are lost.`, remedy)
    }
    return error('PUBLIC_URL_NOT_OURS',
      evidence,
      isFromGateway(response)
        ? 'A proxy answers, but does not reach this application: correct its upstream, such as proxy_pass http://127.0.0.1:3000.'
        : `Make publicBaseUrl the URL at which this application is served, with the path that a proxy removes, such as https://example.com/app; ${url.pathname} below it must reach the handler by GET and POST.`)
  }

  function largeRefused (): DoctorFinding {
    let seen = 'is not answered'
    if ('failure' in callback) seen = `ends with ${callback.failure.code}`
    if ('response' in callback) seen = `is answered with ${described(url, callback.response)}`
    return error('CALLBACK_BODY_LIMIT',
      `A POST of ${largeBody.length} bytes to ${shown(url)} ${seen}; a small one arrives. Callbacks with a long history are refused, and their saves with them.`,
      'Raise the limit of the proxy in front of this application to that of bodyLimit (nginx: client_max_body_size 4m; Apache: LimitRequestBody 4194304).')
  }

  function otherInstance (answer: ProbeAnswer | undefined): DoctorFinding[] {
    if (!answer || answer.instance === probes.instance || !app.server.listening || storage.state) return []
    return [warning('INSTANCES_WITHOUT_STATE',
      'Another instance of the application answered, and the storage has no state: instances do not know of each other\'s sessions and saves.',
      'Add `state` to the storage (see types/storage.ts, StateStore), or run one instance only.')]
  }
}

/** The requests for the probe that the instance at publicBaseUrl has seen. */
export async function askSightings (services: DoctorServices, id: string): Promise<ProbeAnswer['sightings']> {
  const reception = await postProbe(services, id, SMALL_BODY)
  return reception.kind === 'ours' ? reception.answer?.sightings ?? [] : []
}

async function postProbe (services: DoctorServices, id: string, body: string): Promise<Reception> {
  const url = new URL(services.urls.probe('callback', id))
  return receptionOf(services, id, await requestDirectly(services, 'probe', url, { headers: JSON_TYPE, body }))
}

function receptionOf ({ urls }: DoctorServices, id: string, { response, failure }: DirectOutcome): Reception {
  if (failure) return { kind: 'failure', failure }
  if (urls.isProbeAnswer(id, ENDED_BY_HOOK, response.header(ENDED_BY_HOOK_HEADER) ?? '')) {
    return { kind: 'hook', response }
  }
  if (response.status === 200) {
    if (response.text === probeDocument(id).toString('utf8')) return { kind: 'ours' }
    const answer = provenAnswer(urls, id, response.text)
    if (answer) return { kind: 'ours', answer }
    if (response.text === '{"error":1}') return { kind: 'unrecognized', response }
    if (hasContentOfAnswer(response.text)) return { kind: 'changed', response }
  }
  return { kind: isRefusalOfHandler(response) ? 'unrecognized' : 'foreign', response }
}

function provenAnswer (urls: DoctorServices['urls'], id: string, text: string): ProbeAnswer | undefined {
  const { probe, signature } = Object(parseJson(text)) as Record<string, unknown>
  if (typeof probe !== 'string' || typeof signature !== 'string' || !urls.isProbeAnswer(id, probe, signature)) {
    return undefined
  }
  const answer = parseJson(probe)
  return isJsonObject(answer) ? answer as unknown as ProbeAnswer : undefined
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

interface HookAnswer {
  readonly response: DirectResponse
  /** The requests that are answered in this way, for the evidence. */
  readonly requests: 'a download' | 'a callback' | 'each request'
}

function hookAnswer (download: Reception, callback: Reception): HookAnswer | undefined {
  if (download.kind === 'hook') {
    return { response: download.response, requests: callback.kind === 'hook' ? 'each request' : 'a download' }
  }
  return callback.kind === 'hook' ? { response: callback.response, requests: 'a callback' } : undefined
}

/** What was answered, in words. */
function described (url: URL, response: DirectResponse): string {
  let redirect = ''
  if (response.header('location') !== undefined) {
    const target = redirectTarget(url, response)
    const place = target?.origin === url.origin ? target.pathname : target && shown(target)
    redirect = ` with a redirect to ${place ?? 'nowhere'}`
  }
  return `status ${response.status}${redirect} and ${firstWords(response.text)}`
}
