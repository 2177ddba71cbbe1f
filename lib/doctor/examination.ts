import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import type { Settings } from '../options.js'
import { withTimeout } from '../util/limits.js'
import { assessDownload, checkForwardedHeaders, checkFromFile, checkResult, convertProbe } from './check-conversion.js'
import { checkOptions } from './check-options.js'
import { askSightings, checkPublicUrl } from './check-public-url.js'
import { checkApiScript, checkServer } from './check-server.js'
import { checkStorage } from './check-storage.js'
import { assessTokensOut, checkClock, checkTokensIn } from './check-tokens.js'
import { checkVersion } from './check-version.js'
import { type CheckCode, CHECKS, isError, redactor, skipped } from './findings.js'
import type { DoctorServices } from './services.js'

/** Runs all checks. Reports those that have not finished within `timeout` milliseconds. */
export async function examine (services: DoctorServices, timeout: number): Promise<DoctorReport> {
  const { settings, log, signal: closing } = services
  closing.throwIfAborted() // it may have closed while this waited for its turn
  const started = performance.now()
  const startedAt = new Date().toISOString()
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, closing])
  const found = new Map<CheckCode, readonly DoctorFinding[]>()
  let why = `Not finished within ${timeout} ms.`
  const checks = runChecks({ ...services, signal }, (code, ...findings) => found.set(code, findings)).map(async check =>
    await check.catch(err => {
      signal.throwIfAborted()
      why = 'The check itself failed: see the log of the application.'
      log.error({ err }, 'a check of the doctor crashed')
    })
  )
  await withTimeout(() => Promise.all(checks), {
    milliseconds: timeout,
    timeoutError: ms => new Error(`not finished within ${ms} ms`),
    signal: closing
  }).catch(() => {})
  ended.abort(new Error('the examination has ended'))
  closing.throwIfAborted()
  dropConsequences(settings, found)
  const findings = CHECKS.flatMap(code => found.get(code) ?? [skipped(code, why)]).map(redactor(settings))
  return {
    healthy: !findings.some(isError) && CHECKS.every(code => found.has(code)),
    findings,
    startedAt,
    duration: Math.round(performance.now() - started)
  }
}

type Note = (code: CheckCode, ...findings: readonly DoctorFinding[]) => void

/** Starts all checks. */
function runChecks (services: DoctorServices, note: Note): ReadonlyArray<Promise<void>> {
  const { settings, urls, probes } = services
  const id = probes.start()
  const probe = { id, url: urls.probe('download', id) }

  note('OPTIONS', ...checkOptions(settings))
  return [
    checkStorage(services).then(findings => note('STORAGE', ...findings)),
    checkApiScript(services).then(finding => note('API_SCRIPT', finding)),
    checkConnections()
  ]

  async function checkConnections (): Promise<void> {
    const [publicUrl, conversion] = await Promise.all([
      checkPublicUrl(services).then(findings => { note('CALLBACK', ...findings); return findings }),
      checkDocumentServer()
    ])
    if (conversion) await assessProbe(conversion, publicUrl)
  }

  /** Resolves to the conversion of the probe; `undefined` if it cannot be requested. */
  async function checkDocumentServer () {
    const server = await checkServer(services)
    note('SERVER', server.finding)
    if (!server.isReached) {
      for (const code of ['TOKENS_IN', 'VERSION', 'DOWNLOAD', 'TOKENS_OUT', 'CLOCK', 'RESULT', 'FROM_FILE'] as const) {
        note(code, skipped(code, 'The document server cannot be reached.'))
      }
      return undefined
    }
    const tokensIn = await checkTokensIn(services)
    note('TOKENS_IN', ...tokensIn.findings)
    note('VERSION', ...checkVersion(tokensIn))
    if (!tokensIn.isAccepted) {
      for (const code of ['DOWNLOAD', 'TOKENS_OUT', 'RESULT', 'FROM_FILE'] as const) {
        note(code, skipped(code, 'The document server accepts no requests of this application, so it could not be asked to convert a document.'))
      }
      const isSkewed = tokensIn.findings.some(({ code }) => code === 'CLOCK_SKEW')
      note('CLOCK', ...isSkewed ? [] : [checkClock(undefined, server.clockAhead)])
      return undefined
    }
    const [outcome, fromFile] = await Promise.all([
      convertProbe(services, probe),
      checkFromFile(services, tokensIn.version)
    ])
    note('FROM_FILE', fromFile)
    const result = await checkResult(services, probe, outcome)
    note('RESULT', result.finding, ...isError(result.finding) ? [] : await checkForwardedHeaders(services, probe))
    return { outcome, resultText: result.text, clockAhead: server.clockAhead, hasTokensIn: tokensIn.hasTokens }
  }

  async function assessProbe (
    { outcome, resultText, clockAhead, hasTokensIn }: NonNullable<Awaited<ReturnType<typeof checkDocumentServer>>>,
    publicUrl: readonly DoctorFinding[]
  ): Promise<void> {
    let sightings = probes.sightings(id)
    if (sightings.length === 0 && !publicUrl.some(isError)) sightings = await askSightings(services, id)
    const downloads = sightings.filter(({ action }) => action === 'download')
    note('DOWNLOAD', assessDownload(settings, { id, outcome, resultText, downloads, publicUrl }))

    const isRedirected = publicUrl.some(({ code }) => code === 'PUBLIC_URL_REDIRECT')
    const { tokens, clock } = assessTokensOut(settings, { downloads, hasTokensIn, isRedirected, clockAhead })
    note('TOKENS_OUT', tokens)
    note('CLOCK', clock)
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
