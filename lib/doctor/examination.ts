import type { FastifyBaseLogger } from 'fastify'
import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import type { HttpClient } from '../../types/http.js'
import type { Storage } from '../../types/storage.js'
import type { DocumentServerClient } from '../document-server/client.js'
import type { Probes } from '../handler/probe-requests.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import type { HandlerUrls } from '../security/signatures.js'
import { unlessAborted } from '../util/with-timeout.js'
import { assessDownload, checkFromFile, checkResult, convertProbe } from './check-conversion.js'
import { checkOptions } from './check-options.js'
import { assessPublicUrl, createOwnRequests, type Inject } from './check-public-url.js'
import { checkApiScript, checkServer } from './check-server.js'
import { checkStorage } from './check-storage.js'
import { assessTokensOut, checkClock, checkTokensIn } from './check-tokens.js'
import { checkVersion } from './check-version.js'
import { createDirectRequester } from './direct-request.js'
import { type CheckCode, CHECKS, isError, redactor, skipped } from './findings.js'

/** The set-up to examine, and the means to do so. */
export interface SetUp {
  readonly settings: Settings
  /** The handler's path within this application. */
  readonly handlerPath: string
  readonly httpClient: HttpClient
  readonly outbound: Outbound
  readonly client: Pick<DocumentServerClient, 'bodyOf' | 'post' | 'postForm'>
  readonly urls: HandlerUrls
  readonly probes: Probes
  readonly storage: Storage
  /** Sends a request to this application without a network in between. */
  readonly inject: Inject
  /**
   * Whether this process serves requests. If not, such as in a command line tool, another process serves publicBaseUrl.
   */
  readonly isListening: () => boolean
  readonly log: Pick<FastifyBaseLogger, 'error'>
  /** Aborts examinations when the application is closing. */
  readonly signal: AbortSignal
}

/** Runs all checks. Reports those that have not finished within `timeout` milliseconds. */
export async function examine (setUp: SetUp, timeout: number): Promise<DoctorReport> {
  const { settings, log, signal: closing } = setUp
  closing.throwIfAborted() // it may have closed while this waited for its turn
  const started = performance.now()
  const startedAt = new Date().toISOString()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`not finished within ${timeout} ms`)), timeout)
  const signal = AbortSignal.any([controller.signal, closing])
  const found = new Map<CheckCode, readonly DoctorFinding[]>()
  let why = `Not finished within ${timeout} ms.`
  const checks = runChecks(setUp, signal, (code, findings) => found.set(code, findings)).map(async check =>
    await check.catch(err => {
      signal.throwIfAborted()
      why = 'The check itself failed: see the log of the application.'
      log.error({ err }, 'a check of the doctor crashed')
    })
  )
  await unlessAborted(Promise.all(checks), signal).catch(() => {})
  clearTimeout(timer)
  controller.abort(new Error('the examination has ended'))
  closing.throwIfAborted()
  dropConsequences(settings, found)
  const redact = redactor(settings)
  const findings = CHECKS.flatMap(code => found.get(code) ?? [skipped(code, why)]).map(redact)
  return {
    healthy: !findings.some(isError) && CHECKS.every(code => found.has(code)),
    findings,
    startedAt,
    duration: Math.round(performance.now() - started)
  }
}

type Note = (code: CheckCode, findings: readonly DoctorFinding[]) => void

/** Starts all checks. */
function runChecks (setUp: SetUp, signal: AbortSignal, note: Note): ReadonlyArray<Promise<void>> {
  const { settings, client, outbound, urls, probes, storage, httpClient, handlerPath, isListening, inject } = setUp
  const direct = createDirectRequester({ httpClient, settings })
  const ownRequests = createOwnRequests({
    settings,
    urls,
    handlerPath,
    direct,
    inject: isListening() ? inject : undefined
  })
  const id = probes.start()
  const probe = { id, url: urls.probe('download', id) }

  note('OPTIONS', checkOptions(settings))
  return [
    checkStorage(storage, signal).then(findings => note('STORAGE', findings)),
    checkApiScript({ settings, direct }, signal).then(finding => note('API_SCRIPT', [finding])),
    checkConnections()
  ]

  async function checkConnections (): Promise<void> {
    const [own, services] = await Promise.all([examineOwnUrl(), checkServices()])
    if (services) await assessProbe(services, own)
  }

  /** Uses its own probe, so that all requests for the other one come from the document server. */
  async function examineOwnUrl (): Promise<DoctorFinding[]> {
    const ownId = probes.start()
    const requests = await ownRequests.examine(ownId, signal)
    const findings = assessPublicUrl(requests, {
      sightings: probes.sightings(ownId),
      instance: probes.instance,
      isListening: isListening(),
      hasState: storage.state !== undefined
    })
    note('CALLBACK', findings)
    return findings
  }

  async function checkServices () {
    const server = await checkServer({ settings, direct }, signal)
    note('SERVER', server.findings)
    if (!server.isReached) {
      for (const code of ['TOKENS_IN', 'VERSION', 'DOWNLOAD', 'TOKENS_OUT', 'CLOCK', 'RESULT', 'FROM_FILE'] as const) {
        note(code, [skipped(code, 'The document server cannot be reached.')])
      }
      return undefined
    }
    const tokensIn = await checkTokensIn({ settings, client, direct }, signal)
    note('TOKENS_IN', tokensIn.findings)
    note('VERSION', checkVersion(tokensIn))
    if (!tokensIn.isAccepted) {
      for (const code of ['DOWNLOAD', 'TOKENS_OUT', 'RESULT', 'FROM_FILE'] as const) {
        note(code, [
          skipped(
            code,
            'The document server accepts no requests of this application, so it could not be asked to convert a document.'
          )
        ])
      }
      note(
        'CLOCK',
        tokensIn.findings.some(({ code }) => code === 'CLOCK_SKEW') ? [] : [checkClock(undefined, server.clockAhead)]
      )
      return undefined
    }
    const [outcome, fromFile] = await Promise.all([
      convertProbe({ client }, probe, signal),
      checkFromFile({ client }, tokensIn.version, signal)
    ])
    note('FROM_FILE', [fromFile])
    const result = await checkResult({ settings, outbound, direct, client }, { probe, outcome }, signal)
    note('RESULT', [result.finding])
    return { server, outcome, result, hasTokensIn: tokensIn.hasTokens }
  }

  async function assessProbe (
    { server, outcome, result, hasTokensIn }: NonNullable<Awaited<ReturnType<typeof checkServices>>>,
    own: readonly DoctorFinding[]
  ): Promise<void> {
    const seenHere = probes.sightings(id)
    const elsewhere = seenHere.length > 0 || own.some(isError) ? undefined : await ownRequests.askSightings(id, signal)
    const downloads = (seenHere.length > 0 ? seenHere : elsewhere?.sightings ?? []).filter(({ action }) =>
      action === 'download'
    )
    note('DOWNLOAD', [assessDownload(settings, { id, outcome, resultText: result.text, downloads, publicUrl: own })])

    const { finding, issuedSecondsAgo } = assessTokensOut(settings, downloads, { hasTokensIn })
    const isSkewed = finding.code === 'CLOCK_SKEW'
    const isRedirected = finding.code === 'TOKENS_OUTBOX_OFF' && own.some(({ code }) => code === 'PUBLIC_URL_REDIRECT')
    if (isSkewed) {
      note('TOKENS_OUT', [skipped('TOKENS_OUT', 'Whether its tokens are valid shows once the clocks agree.')])
    } else {
      note('TOKENS_OUT', [
        isRedirected
          ? skipped(
            'TOKENS_OUT',
            'Its request came without a token: a redirect to another host removes it, see the finding PUBLIC_URL_REDIRECT.'
          )
          : finding
      ])
    }
    note('CLOCK', isSkewed ? [finding] : [checkClock(issuedSecondsAgo, server.clockAhead)])
  }
}

/** If api.js and the services have one origin, their failures have one cause. */
function dropConsequences ({ documentServer }: Settings, found: Map<CheckCode, readonly DoctorFinding[]>): void {
  const [server, script] = [found.get('SERVER')?.find(isError), found.get('API_SCRIPT')?.find(isError)]
  if (!server || !script || documentServer.internalOrigin !== null || server.code === 'SERVER_UNHEALTHY') return
  const [consequence, cause] = script.code === 'API_PATH'
    ? ['SERVER', script] as const
    : ['API_SCRIPT', server] as const
  found.set(consequence, [skipped(consequence, `See the finding ${cause.code}.`)])
}
