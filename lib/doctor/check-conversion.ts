import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DoctorFinding } from '../../types/doctor.js'
import { SERVICE_PATHS, serviceUrl } from '../document-server/client.js'
import { parseConversionAnswer, serviceFailure } from '../document-server/conversion-service.js'
import { hasFromFile, isFromService } from '../document-server/from-file.js'
import { PROBE_FORMAT, probeDocument, type Sighting } from '../handler/probe-requests.js'
import type { Settings } from '../options.js'
import { bytesOf, discard } from '../util/streams.js'
import { hasTwoHosts, parseUrl } from '../util/url.js'
import { isLoopback } from './check-options.js'
import { connectionFault, requestDirectly } from './direct-request.js'
import { error, firstWords, isError, ok, shown, skipped, warning } from './findings.js'
import type { DoctorServices } from './services.js'

type AnnouncedUrl = URL | 'two hosts'

/** How the conversion of the probe ended. */
type ConversionOutcome =
  | { readonly fileUrl: AnnouncedUrl }
  /** The document server reports an error: a number below 0. */
  | { readonly error: string }
  | { readonly problem: string }
  | 'unfinished'

interface Probe {
  readonly id: string
  /** Where the document server downloads it. */
  readonly url: string
}

/** The pause before the second request; each further one is twice as long. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000
const REQUEST_TIMEOUT_MS = 15_000
/** The document server tries a download three times and may wait ten seconds for each connection. */
const CONVERSION_TIMEOUT_MS = 45_000

/** The same request again gets the same result. */
function probeConversion ({ id, url }: Probe): object {
  return { async: true, filetype: PROBE_FORMAT, key: id, outputtype: 'txt', title: `probe.${PROBE_FORMAT}`, url }
}

function announcedUrl (text: string): AnnouncedUrl | undefined {
  return hasTwoHosts(text) ? 'two hosts' : parseUrl(text)
}

/** Lets the document server convert the probe at `url` to text, under a key that no other conversion has. */
export async function convertProbe ({ client, signal }: DoctorServices, probe: Probe): Promise<ConversionOutcome> {
  const request = probeConversion(probe)
  const options = { signal, total: REQUEST_TIMEOUT_MS, shardKey: probe.id }
  const giveUpAt = performance.now() + CONVERSION_TIMEOUT_MS
  try {
    for (let pause = FIRST_PAUSE_MS; performance.now() < giveUpAt; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const { status, text } = await client.post('converter', request, options)
      if (status !== 200) {
        const hint = status === 403 ? ', as one that convertServiceEnable switches off' : ''
        return { problem: `the conversion service answers status ${status}${hint}` }
      }
      const answer = parseConversionAnswer(text)
      if (answer.error !== undefined) return { error: answer.error }
      if (answer.fileUrl !== undefined) {
        const fileUrl = announcedUrl(answer.fileUrl)
        return fileUrl ? { fileUrl } : { problem: 'the URL of its result is invalid' }
      }
      await delay(pause, undefined, { signal })
    }
    return 'unfinished'
  } catch (failure) {
    signal.throwIfAborted()
    return { problem: (failure as Error).message }
  }
}

const DOWNLOADED = 'so the document server downloads content that is converted, and scripts, from publicBaseUrl.'

/** How content that is converted reaches the document server: in the request, or by a download. */
export async function checkFromFile (
  { client, signal }: DoctorServices, version: string | undefined
): Promise<DoctorFinding> {
  if (version === undefined) return skipped('FROM_FILE', 'The document server did not report its version.')
  if (!hasFromFile(version)) return ok('FROM_FILE', `Version ${version} takes no files in requests, ${DOWNLOADED}`)
  let problem: string
  try {
    const request = { async: false, filetype: PROBE_FORMAT, key: randomUUID(), outputtype: 'txt' }
    const file = { name: `probe.${PROBE_FORMAT}`, bytes: Buffer.from(probeDocument('probe')) }
    const options = { signal, total: REQUEST_TIMEOUT_MS, shardKey: request.key }
    const response = await client.postForm('converter', request, file, options)
    const { status, header, body } = response
    const text = (await bytesOf(body)).toString()
    if (!isFromService(response)) return ok('FROM_FILE', `/converter/from-file answers status ${status}, ${DOWNLOADED}`)
    const isJson = /^application\/json\b/i.test(header('content-type') ?? '')
    const error = status === 200 && isJson ? parseConversionAnswer(text).error : undefined
    if (status === 200 && error === undefined) {
      return ok('FROM_FILE', 'The document server takes content that is converted, and scripts, in requests.')
    }
    problem = status === 200 ? `error ${error}` : `status ${status}`
  } catch (failure) {
    signal.throwIfAborted()
    problem = (failure as Error).message
  }
  return warning('FROM_FILE_FAILED',
    `A file in a request to /converter/from-file was not converted: ${problem}.`,
    'See the log of the document server\'s converter. Until it is mended, convert documents at a url.')
}

interface DownloadFacts {
  readonly id: string
  readonly outcome: ConversionOutcome
  /** The text of the converted probe, if it could be fetched. */
  readonly resultText: string | undefined
  /** The document server's requests for the probe. */
  readonly downloads: readonly Sighting[]
  /** The findings of this application's own requests to publicBaseUrl. */
  readonly publicUrl: readonly DoctorFinding[]
}

/** Whether the document server gets our documents, judged by the outcome of converting the probe. */
export function assessDownload (
  { publicBaseUrl }: Settings, { id, outcome, resultText, downloads, publicUrl }: DownloadFacts
): DoctorFinding {
  const url = shown(publicBaseUrl)
  const isSeen = downloads.length > 0
  if (outcome === 'unfinished') {
    return error('CONVERSION_TIMEOUT',
      'The conversion of a small document was not finished in time.',
      'Restart the document server\'s converter and its queue (RabbitMQ), and look into the converter\'s log: documents are converted when they are opened, too.')
  }
  if ('problem' in outcome) return conversionFailed(outcome.problem)
  if ('fileUrl' in outcome) {
    if (resultText === undefined ? isSeen : resultText.includes(id)) {
      return ok('DOWNLOAD', `The document server downloaded a document from ${url} and converted it.`)
    }
    if (resultText === undefined) {
      return skipped('DOWNLOAD', 'The document server converted a document, but its result cannot be fetched, and this instance has seen no request.')
    }
    return consequence() ?? replaced(`What it converted begins with ${firstWords(resultText)}.`)
  }
  if (outcome.error === '-4') return consequence() ?? unreachable()
  if (outcome.error === '-3' && !isSeen) {
    return consequence() ??
      replaced('It reports that it cannot convert what it got (error -3), and this instance has seen no request for it.')
  }
  return conversionFailed(serviceFailure(outcome.error).reason)

  /** An error of publicBaseUrl explains why the document server does not get our document. */
  function consequence (): DoctorFinding | undefined {
    const cause = publicUrl.find(finding => isError(finding) && finding.code !== 'CALLBACK_BODY_LIMIT')
    return cause &&
      skipped('DOWNLOAD', `The document server does not get our document, as the finding ${cause.code} explains.`)
  }

  function unreachable (): DoctorFinding {
    const own = publicUrl.some(({ code, status }) => code === 'CALLBACK' && status === 'ok')
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

function conversionFailed (reason: string): DoctorFinding {
  return error('CONVERSION_FAILED',
    `The conversion of a small document failed: ${reason}.`,
    'Look into the log of the document server\'s converter (/var/log/onlyoffice/documentserver/converter), and let the proxy in front of the document server pass POST requests to /ConvertService.ashx.')
}

/** Whether files that the document server announces may and can be fetched: saved files have the same kind of URL. */
export async function checkResult (
  services: DoctorServices, probe: Probe, outcome: ConversionOutcome
): Promise<{ readonly finding: DoctorFinding, readonly text?: string }> {
  const { settings: { documentServer }, outbound, signal } = services
  if (outcome === 'unfinished' || !('fileUrl' in outcome)) {
    return { finding: skipped('RESULT', 'There is no converted file.') }
  }
  const { fileUrl } = outcome
  const inPublic = await announcedInPublic(services, probe)
  if (fileUrl === 'two hosts' || inPublic === 'two hosts') return { finding: twoHosts(fileUrl === 'two hosts') }
  const isForeign = ({ origin }: URL) => !documentServer.anyOrigin && !documentServer.origins.has(origin)
  const foreign = [fileUrl, inPublic].find(url => url && isForeign(url))
  if (foreign) return { finding: foreignOrigin(foreign, [...documentServer.origins]) }

  const { publicUrl: { origin, pathname: path }, internalOrigin } = documentServer
  // Only the public origin has the virtual path.
  const lacksPath = internalOrigin === null && fileUrl.origin === origin && path !== '/' && !fileUrl.pathname.startsWith(`${path}/`)
  let problem: string
  try {
    const limits = { signal, total: REQUEST_TIMEOUT_MS, limit: 1024 ** 2 }
    const { status, body } = await outbound('conversion', fileUrl, limits)
    if (status === 200) {
      return {
        text: (await bytesOf(body)).toString('utf8'),
        finding: lacksPath
          ? warning('RESULT_PATH',
            `A converted file was announced at ${fileUrl.origin} without ${path}. It was fetched, but browsers cannot load such files.`,
            `Let the proxy in front of the document server tell it the path that the proxy removes (nginx: proxy_set_header X-Forwarded-Prefix ${path};).`)
          : ok('RESULT', `A converted file was announced at ${fileUrl.origin} and fetched.`)
      }
    }
    discard(body)
    problem = `status ${status}`
  } catch (failure) {
    signal.throwIfAborted()
    problem = connectionFault(failure).reason
  }
  return {
    finding: error('RESULT_FETCH',
      `The converted file at ${shown(new URL('/cache/files/', fileUrl))} cannot be fetched: ${problem}.`,
      'Let the proxy in front of the document server pass GET requests to /cache/files/ with their query. If the announced host cannot be reached from here, set documentServer.internalUrl.')
  }
}

/**
 * The URL at which the document server announces the same file when it is asked through its public origin, as browsers
 * do: saved files get their URLs in this way. `undefined` if the conversion was already requested there, or if the
 * public origin cannot be reached from here.
 */
async function announcedInPublic (services: DoctorServices, probe: Probe): Promise<AnnouncedUrl | undefined> {
  return services.settings.documentServer.internalOrigin === null ? undefined : await announcedWith(services, probe, {})
}

/** The URL of the same file when it is asked for through the public origin with these headers. */
async function announcedWith (
  services: DoctorServices, probe: Probe, forwarded: Readonly<Record<string, string>>
): Promise<AnnouncedUrl | undefined> {
  const { settings: { documentServer }, client } = services
  const url = serviceUrl(documentServer.publicUrl, SERVICE_PATHS.converter)
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...forwarded }
  const body = client.bodyOf('converter', probeConversion(probe))
  const { response } = await requestDirectly(services, 'probe', url, { headers, body })
  try {
    const answer = response && parseConversionAnswer(response.text)
    return answer?.error === undefined && answer?.fileUrl !== undefined ? announcedUrl(answer.fileUrl) : undefined
  } catch { // another server answers there: the check of api.js reports it
    return undefined
  }
}

/** Headers from which the document server makes the URLs of files, with a value of ours and what shows it there. */
function forwardedHeaders ({ protocol }: Readonly<URL>): Record<string, [value: string, shows: (url: URL) => boolean]> {
  const other = protocol === 'https:' ? 'http' : 'https'
  return {
    'X-Forwarded-Prefix': ['/forwarded-prefix', ({ pathname }) => pathname.includes('/forwarded-prefix/')],
    'X-Forwarded-Host': ['forwarded.invalid', ({ hostname }) => hostname === 'forwarded.invalid'],
    'X-Forwarded-Proto': [other, url => url.protocol === `${other}:`],
    'Cloudfront-Forwarded-Proto': [other, url => url.protocol === `${other}:`]
  }
}

/** Whether every browser chooses how the URLs of files begin. Strangers do not reach a document server on loopback. */
export async function checkForwardedHeaders (services: DoctorServices, probe: Probe): Promise<DoctorFinding[]> {
  const { publicUrl } = services.settings.documentServer
  if (isLoopback(publicUrl)) return []
  const plain = await announcedWith(services, probe, {})
  if (!(plain instanceof URL)) return []
  const names: string[] = []
  for (const [name, [value, shows]] of Object.entries(forwardedHeaders(publicUrl))) {
    if (shows(plain)) continue
    const url = await announcedWith(services, probe, { [name.toLowerCase()]: value })
    if (url instanceof URL && shows(url)) names.push(name)
  }
  if (names.length === 0) return []
  return [warning('FORWARDED_HEADERS',
    `The document server at ${publicUrl.origin} makes the URLs of files from headers that any browser may send: ${names.join(', ')}. The plugin believes only how the URLs of saved files end, but other programs that get callbacks may not.`,
    'Let the proxy in front of the document server set or clear these headers (nginx: proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Prefix ""; proxy_set_header Cloudfront-Forwarded-Proto "";).')]
}

function twoHosts (isForUs: boolean): DoctorFinding {
  return error('RESULT_ORIGIN',
    `The document server announces a converted file at a URL with two hosts, as it gets X-Forwarded-Host from two proxies. ${isForUs ? 'Neither converted files nor copies' : 'Copies'} that users save can${isForUs ? '' : 'not'} be fetched there.`,
    'Let only the first of the proxies in front of the document server set X-Forwarded-Host, and the others pass it on.')
}

function foreignOrigin ({ origin, host }: URL, own: readonly string[]): DoctorFinding {
  const [header, setting] = own.some(one => new URL(one).host === host)
    ? ['X-Forwarded-Proto', 'proxy_set_header X-Forwarded-Proto $scheme;'] as const
    : ['X-Forwarded-Host',
        'proxy_set_header Host $http_host; or proxy_set_header X-Forwarded-Host $http_host;'] as const
  return error('RESULT_ORIGIN',
    `The document server announces a converted file at ${origin}, but its origins are ${own.join(', ')}. Saved files are announced in the same way. Those are fetched from the document server's own address, but neither converted files nor copies that users save.`,
    `Set the header ${header} at the proxy in front of the document server (nginx: ${setting}). Or, if ${origin} is the document server, add it to documentServer.origins.`)
}
