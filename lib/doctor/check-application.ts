import type { DoctorFinding } from '../../types/doctor.js'
import { documentWithText } from '../blank/blank-document.js'
import { isFromGateway } from '../document-server/client.js'
import { AddressBlockedError, ConversionFailedError, ConversionTimeoutError } from '../errors.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import {
  ENDED_BY_HOOK, PROBE_FORMAT, PROBE_HEADER, type ProbeAnswer, REFUSED, type Sighting
} from '../handler/probes.js'
import type { Settings } from '../options.js'
import { parseJson } from '../util/text.js'
import {
  type ConnectionFault, type DirectOutcome, type DirectResponse, type DoctorServices, isLogin, isRedirect,
  redirectTarget, requestDirectly
} from './direct-request.js'
import { error, firstWords, isError, ok, shown, skipped, warning } from './findings.js'

// What the document server needs of this application: that it answers at publicBaseUrl, with its documents.

/**
 * Who answered a request for the probe. `ours`: the handler; `answer` is that to a POST. `hook`: a hook of the
 * application that serves the handler. `refused`: the handler, which did not accept the signature. `foreign`: another
 * server. `failure`: nobody.
 */
type Reception =
  | { readonly kind: 'ours', readonly answer?: ProbeAnswer }
  | { readonly kind: 'hook' | 'refused' | 'foreign', readonly response: DirectResponse }
  | { readonly kind: 'failure', readonly failure: ConnectionFault }

/** As large as a callback with a long history. */
const LARGE_BODY_BYTES = 1.5 * 1024 ** 2
const SMALL_BODY = '{"status":0}'

/** Sends requests like the document server's from this application to itself. */
export async function checkPublicUrl (services: DoctorServices): Promise<DoctorFinding> {
  const { probes, settings, urls } = services
  // A probe of its own, so that all requests for the other one come from the document server.
  const id = probes.start()
  const probeUrl = new URL(urls.probe(id))
  const url = new URL(probeUrl.pathname, probeUrl.origin)
  const largeBody = 'x'.repeat(Math.min(LARGE_BODY_BYTES, settings.bodyLimit))
  const [download, callback] = await Promise.all([
    requestDirectly(services, 'probe', probeUrl).then(outcome => receptionOf(services, id, outcome)),
    postProbe(services, id, largeBody)
  ])
  if (download.kind === 'ours' && callback.kind === 'ours') {
    return ok('CALLBACK', `${shown(url)} is our handler: it answered a GET, and a POST of ${largeBody.length} bytes.`)
  }

  const smallCallback = await postProbe(services, id, SMALL_BODY)
  const outside = [download, smallCallback].find(reception => 'response' in reception)
  if (outside?.kind === 'hook') return hookAnswers(outside.response, download.kind === 'hook' ? 'a GET' : 'a POST')
  if (outside?.kind === 'refused') return refused(outside.response)
  if (outside?.kind === 'foreign') return foreign(outside.response)
  if (callback.kind !== 'ours' && smallCallback.kind === 'ours') return largeRefused()
  const failed = [download, smallCallback].find(reception => 'failure' in reception)!
  const plain = await plainHttp(failed.failure)
  if (plain) return plain
  return skipped('CALLBACK', `This application gets no answer from ${shown(url)} itself: ${failed.failure.reason}. Whether the document server does is shown by its download.`)

  function hookAnswers (response: DirectResponse, request: string): DoctorFinding {
    const remedy = response.status === 429 || response.status === 503
      ? 'All requests of the document server come from one IP address: give the plugin\'s routes a higher limit, or none, such as config: { rateLimit: false } for @fastify/rate-limit. If the application is overloaded, find out why.'
      : `Let hooks that check a login or a CSRF token pass requests whose request.routeOptions.config.onlyoffice?.caller is 'document-server': it has no session, and the handler verifies its requests itself. See ${LOGIN_GUIDE}`
    return error('HOOK_ANSWERS',
      `A hook of the application itself answers ${request} at ${url.pathname} before the handler sees it: ${described(url, response)}.`,
      remedy)
  }

  /** The handler was reached, but with another signature than was sent. */
  function refused (response: DirectResponse): DoctorFinding {
    const arrivedHere = probes.sightings(id).some(({ isSigned }) => !isSigned)
    if (arrivedHere || response.status === 404) {
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
        `Let the proxy in front of the application pass requests to ${url.pathname.replace(/\/probe$/, '')} and below without a login (such as oauth2-proxy --skip-auth-route): the handler verifies its requests itself.`)
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
        : `Make publicBaseUrl the URL at which this application is served, with the path that a proxy removes, such as https://example.com/app; ${url.pathname} below it must reach the handler by GET and POST. No hook of the application may change the answers of its routes.`)
  }

  /** Whether an https URL leads to a server without TLS. */
  async function plainHttp ({ code }: ConnectionFault): Promise<DoctorFinding | undefined> {
    if (url.protocol !== 'https:' || !/^(EPROTO|ERR_SSL_)/.test(code)) return undefined
    const plainUrl = new URL(`http://${url.hostname}:${url.port || 443}${probeUrl.pathname}${probeUrl.search}`)
    const outcome = await requestDirectly(services, 'probe', plainUrl)
    if (outcome.failure) return undefined
    const isOurs = receptionOf(services, id, outcome).kind !== 'foreign'
    return error('PUBLIC_URL_TLS',
      `${url.origin} does not speak TLS (${code}): ${isOurs ? 'this application' : 'another server'} answers there over http.`,
      `Set publicBaseUrl to ${plainUrl.origin} if the document server can use http inside your network. For https, set it to the URL of the proxy that has the certificate, or give Fastify the option https.`)
  }

  function largeRefused (): DoctorFinding {
    let seen = 'is not answered'
    if ('failure' in callback) seen = `ends with ${callback.failure.code}`
    if ('response' in callback) seen = `is answered with ${described(url, callback.response)}`
    return error('CALLBACK_BODY_LIMIT',
      `A POST of ${largeBody.length} bytes to ${shown(url)} ${seen}; a small one arrives. Callbacks with a long history are refused, and their saves with them.`,
      'Raise the limit of the proxy in front of this application to that of bodyLimit (nginx: client_max_body_size 4m; Apache: LimitRequestBody 4194304).')
  }
}

/** What the instance at publicBaseUrl says about a probe, if one answers. */
export async function askInstance (services: DoctorServices, id: string): Promise<ProbeAnswer | undefined> {
  const reception = await postProbe(services, id, SMALL_BODY)
  return reception.kind === 'ours' ? reception.answer : undefined
}

async function postProbe (services: DoctorServices, id: string, body: string): Promise<Reception> {
  return receptionOf(services, id, await requestDirectly(services, 'probe', new URL(services.urls.probe(id)), body))
}

function receptionOf ({ urls }: DoctorServices, id: string, { response, failure }: DirectOutcome): Reception {
  if (failure) return { kind: 'failure', failure }
  const mark = response.header(PROBE_HEADER) ?? ''
  if (urls.isProbeAnswer(id, ENDED_BY_HOOK, mark)) return { kind: 'hook', response }
  if (mark === REFUSED) return { kind: 'refused', response }
  if (response.status !== 200) return { kind: 'foreign', response }
  if (response.text === documentWithText(id).toString('utf8')) return { kind: 'ours' }
  const answer = provenAnswer(urls, id, response.text)
  return answer ? { kind: 'ours', answer } : { kind: 'foreign', response }
}

function provenAnswer (urls: DoctorServices['urls'], id: string, text: string): ProbeAnswer | undefined {
  const { probe, signature } = Object(parseJson(text)) as { readonly probe?: unknown, readonly signature?: unknown }
  const isProven = typeof probe === 'string' && typeof signature === 'string' &&
    urls.isProbeAnswer(id, probe, signature)
  return isProven ? parseJson(probe) as ProbeAnswer : undefined
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

/** The document server tries a download three times and may wait ten seconds for each connection. */
const CONVERSION_TIMEOUT_MS = 45_000

/** The converted text of the probe, or why there is none. */
type Outcome = { readonly text: string } | { readonly failure: unknown }

/** Lets the document server convert a probe to text, under a key that no other conversion has. */
export async function convertProbe (
  { conversions, signal }: DoctorServices, probe: { readonly id: string, readonly url: string }
): Promise<Outcome> {
  try {
    const { id: key, url } = probe
    const result = await conversions.convert(
      { key, url, fileType: PROBE_FORMAT, outputType: 'txt' }, { timeout: CONVERSION_TIMEOUT_MS, interval: 500, signal }
    )
    return { text: (await result.bytes()).toString() }
  } catch (failure) {
    signal.throwIfAborted()
    return { failure }
  }
}

interface ConversionFacts {
  readonly id: string
  readonly outcome: Outcome
  /** The document server's requests for the probe. */
  readonly downloads: readonly Sighting[]
  /** The finding of this application's own requests to publicBaseUrl. */
  readonly publicUrl: DoctorFinding
}

/**
 * Whether the document server gets our documents, and whether the files that it makes may and can be fetched: saved
 * files have the same kind of URL.
 */
export function assessConversion (
  { documentServer, publicBaseUrl }: Settings, { id, outcome, downloads, publicUrl }: ConversionFacts
): { readonly download: DoctorFinding, readonly result: DoctorFinding } {
  const url = shown(publicBaseUrl())
  const isSeen = downloads.length > 0
  if ('text' in outcome) {
    const download = outcome.text.trim() === id
      ? ok('DOWNLOAD', `The document server downloaded a document from ${url} and converted it.`)
      : consequence() ?? replaced(`What it converted begins with ${firstWords(outcome.text)}.`)
    return { download, result: ok('RESULT', 'The converted file was fetched.') }
  }
  const { failure } = outcome
  if (failure instanceof ConversionTimeoutError || failure instanceof ConversionFailedError) {
    return { download: unconverted(failure), result: skipped('RESULT', 'There is no converted file.') }
  }
  const download = isSeen
    ? ok('DOWNLOAD', `The document server downloaded a document from ${url}.`)
    : skipped('DOWNLOAD', 'The converted file cannot be fetched, and this instance has seen no request.')
  const result = failure instanceof AddressBlockedError
    ? error('RESULT_ORIGIN',
      `The document server announces a converted file at an origin that is none of ${[...documentServer.origins].join(', ')}. Saved files are announced in the same way; they are fetched from the document server's own address, but neither converted files nor copies that users save. ${failure.message}.`,
      'Set the header X-Forwarded-Host, and X-Forwarded-Proto if it announces http, at the proxy in front of the document server (nginx: proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;). Or, if the other origin is the document server, too, add it to documentServer.origins.')
    : error('RESULT_FETCH',
      `A small document was not converted, or the converted file not fetched: ${causesOf(failure)}.`,
      'Let the proxy in front of the document server pass POST requests to /ConvertService.ashx, and GET requests to /cache/files/ with their query. If its host cannot be reached from here, set documentServer.internalUrl.')
  return { download, result }

  function unconverted (failure: Error & { readonly serverCode?: number | undefined }): DoctorFinding {
    if (failure instanceof ConversionTimeoutError) {
      return error('CONVERSION_TIMEOUT',
        'The conversion of a small document was not finished in time.',
        'Restart the document server\'s converter and its queue (RabbitMQ), and look into the converter\'s log: documents are converted when they are opened, too.')
    }
    if (failure.serverCode === -4) return consequence() ?? unreachable()
    if (failure.serverCode === -3 && !isSeen) {
      return consequence() ?? replaced('It cannot convert what it got, and this instance has seen no request for it.')
    }
    return error('CONVERSION_FAILED',
      `A small document was not converted: ${causesOf(failure)}.`,
      'Look into the log of the document server\'s converter (/var/log/onlyoffice/documentserver/converter), and let the proxy in front of the document server pass POST requests to /ConvertService.ashx.')
  }

  /** An error of publicBaseUrl explains why the document server does not get our document. */
  function consequence (): DoctorFinding | undefined {
    if (!isError(publicUrl) || publicUrl.code === 'CALLBACK_BODY_LIMIT') return undefined
    return skipped('DOWNLOAD', `The document server does not get our document, as the finding ${publicUrl.code} explains.`)
  }

  function unreachable (): DoctorFinding {
    const own = publicUrl.status === 'ok'
    const seen = isSeen
      ? 'Its request arrived here, but it did not get the answer, or not all of it.'
      : `No request of it arrived here${own ? '; this application itself reaches that URL' : ', and this application does not reach that URL either'}.`
    const start = isSeen || own ? '' : 'If nothing listens there yet, start the application. '
    return error('DOWNLOAD_UNREACHABLE',
      `The document server reports that it cannot download from ${url} (error -4). ${seen}`,
      start +
        'Set publicBaseUrl to a URL that the document server\'s machine or container can request; try it there: curl -I <publicBaseUrl>. In a container, localhost is the container itself: use http://host.docker.internal:3000 or the name of the application\'s container. If its log says that a private IP address is not allowed, set services.CoAuthoring.request-filtering-agent.allowPrivateIPAddress to true. If publicBaseUrl has a certificate of your own authority, name that authority\'s file in NODE_EXTRA_CA_CERTS in the environment of the document server.')
  }

  function replaced (evidence: string): DoctorFinding {
    return error('DOWNLOAD_REPLACED',
      `The document server downloads from ${url}, but what it gets is not our document. ${evidence}`,
      'Another server answers the document server instead of this application, such as a login page of a proxy. Request publicBaseUrl from the machine of the document server, and let requests to the handler\'s path pass.')
  }
}

/** The messages of an error and its causes. */
function causesOf (failure: unknown): string {
  if (!(failure instanceof Error)) return 'an unknown error'
  return failure.cause instanceof Error ? `${failure.message}: ${causesOf(failure.cause)}` : failure.message
}
