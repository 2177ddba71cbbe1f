import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { DoctorFinding, DoctorOptions, DoctorReport } from '../../types/doctor.js'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'
import { FileNotFoundError, ForbiddenError } from '../errors.js'
import { sendError } from '../handler/request.js'
import { runRequestHook, type Services } from '../services.js'
import { unlessAborted } from '../util/limits.js'
import { AnyString, assertOptions, kindOf, Milliseconds, type Rules, Signal } from '../util/validate.js'
import { askInstance, assessConversion, checkPublicUrl, convertProbe } from './check-application.js'
import { checkOptions } from './check-options.js'
import { checkApiScript, checkServer, checkVersion } from './check-server.js'
import { checkStorage } from './check-storage.js'
import { assessTokensOut, checkClock, checkTokensIn } from './check-tokens.js'
import type { DoctorServices } from './direct-request.js'
import { type CheckCode, CHECKS, isError, redactor, skipped } from './findings.js'
import { CONTENT_SECURITY_POLICY, renderHtml } from './render.js'

const rules: Rules<DoctorOptions> = { fileId: AnyString, timeout: Milliseconds, signal: Signal }

const DEFAULT_TIMEOUT_MS = 60_000

/** Examines a set-up. Simultaneous calls share one examination: it makes the document server convert a document. */
export function createDoctor (services: DoctorServices) {
  const { explainOpening, signal: closing } = services
  let underWay: Promise<DoctorReport> | undefined

  return async function examineSetUp (options: DoctorOptions = {}): Promise<DoctorReport> {
    assertOptions(rules, options)
    const { fileId, timeout = DEFAULT_TIMEOUT_MS, signal } = options
    const stop = signal ? AbortSignal.any([signal, closing]) : closing
    stop.throwIfAborted()
    underWay ??= examine(services, timeout).finally(() => { underWay = undefined })
    const report = await unlessAborted(underWay, stop)
    return fileId === undefined ? report : withFindings(report, await explainOpening(fileId))
  }
}

/** A report to which the explanation of a document is added. */
function withFindings (report: DoctorReport, explanation: readonly DoctorFinding[]): DoctorReport {
  const findings = [...report.findings, ...explanation]
  return { ...report, findings, healthy: report.healthy && !explanation.some(isError) }
}

type Note = (code: CheckCode, ...findings: readonly DoctorFinding[]) => void

/** Runs all checks. Reports those that have not finished within `timeout` milliseconds. */
async function examine (services: DoctorServices, timeout: number): Promise<DoctorReport> {
  const { settings, log, signal: closing } = services
  const started = performance.now()
  const startedAt = new Date().toISOString()
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(new Error('the examination has ended')), timeout)
  const signal = AbortSignal.any([closing, timeUp.signal])
  const found = new Map<CheckCode, readonly DoctorFinding[]>()
  const note: Note = (code, ...findings) => { if (!signal.aborted) found.set(code, findings) }
  let why = `Not finished within ${timeout} ms.`
  const limited = { ...services, signal }
  const noteCrash = (err: unknown): void => {
    if (signal.aborted) return
    why = 'The check itself failed: see the log of the application.'
    log.error({ err }, 'a check of the doctor crashed')
  }
  note('OPTIONS', ...checkOptions(settings))
  const checks = Promise.all([
    examineServer(limited, note).catch(noteCrash),
    checkStorage(limited).then(finding => note('STORAGE', finding)).catch(noteCrash)
  ])
  await unlessAborted(checks, signal).catch(() => {})
  clearTimeout(timer)
  closing.throwIfAborted()
  const findings = CHECKS.flatMap(code => found.get(code) ?? [skipped(code, why)]).map(redactor(settings))
  return {
    healthy: !findings.some(isError) && CHECKS.every(code => found.has(code)),
    findings,
    startedAt,
    durationMs: Math.round(performance.now() - started)
  }
}

/** The document server and the way to and from it, step by step: each needs the one before. */
async function examineServer (services: DoctorServices, note: Note): Promise<void> {
  const { settings, urls, probes } = services
  const [server, script, publicUrl] = await Promise.all([
    checkServer(services),
    checkApiScript(services),
    checkPublicUrl(services)
  ])
  note('CALLBACK', publicUrl)
  note('SERVER', server.finding)
  // One origin that does not answer is one finding.
  const isConsequence = !server.isReached && settings.documentServer.internalOrigin === null &&
    isError(script) && script.code !== 'API_PATH'
  note('API_SCRIPT', isConsequence ? skipped('API_SCRIPT', `See the finding ${server.finding.code}.`) : script)
  if (!server.isReached) {
    if (script.code === 'API_PATH') note('SERVER', skipped('SERVER', 'See the finding API_PATH.'))
    const rest = ['TOKENS_IN', 'VERSION', 'DOWNLOAD', 'TOKENS_OUT', 'CLOCK', 'RESULT'] as const
    for (const code of rest) note(code, skipped(code, 'The document server cannot be reached.'))
    return
  }
  const tokensIn = await checkTokensIn(services)
  note('TOKENS_IN', tokensIn.finding)
  note('VERSION', ...checkVersion(tokensIn))
  if (!tokensIn.isAccepted) {
    const rest = ['DOWNLOAD', 'TOKENS_OUT', 'RESULT'] as const
    for (const code of rest) note(code, skipped(code, 'The document server accepts no requests of this application, so it could not be asked to convert a document.'))
    note('CLOCK', ...tokensIn.finding.code === 'CLOCK_SKEW' ? [] : [checkClock(undefined, server.clockAhead)])
    return
  }
  const id = probes.start()
  const outcome = await convertProbe(services, { id, url: urls.probe(id) })
  let sightings = probes.sightings(id)
  if (sightings.length === 0 && !isError(publicUrl)) sightings = (await askInstance(services, id))?.sightings ?? []
  const downloads = sightings.filter(({ method }) => method === 'GET')
  const { download, result } = assessConversion(settings, { id, outcome, downloads, publicUrl })
  note('DOWNLOAD', download)
  note('RESULT', result)
  const { tokens, clock } = assessTokensOut(settings, {
    downloads,
    hasTokensIn: tokensIn.hasTokens,
    isRedirected: publicUrl.code === 'PUBLIC_URL_REDIRECT',
    clockAhead: server.clockAhead
  })
  note('TOKENS_OUT', tokens)
  note('CLOCK', clock)
}

const MAX_FILE_ID_LENGTH = 1024

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer', // the URL may contain a fileId
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'accept'
} as const

export const doctorSchema = {
  summary: 'Examine the set-up',
  description:
    'Whether the application and the document server reach each other, and whether secrets, clocks, URLs and the storage work. The report is a page for browsers, and JSON for others.',
  querystring: {
    type: 'object',
    properties: {
      fileId: {
        type: 'string',
        maxLength: MAX_FILE_ID_LENGTH,
        description: 'Also explain why this document does not open or is not saved.'
      },
      format: { type: 'string', enum: ['json'], description: 'JSON, whatever the header `Accept` prefers.' }
    }
  }
}

interface RouteServices extends Pick<Services, 'settings' | 'log' | 'shutdown'> {
  readonly examine: () => Promise<DoctorReport>
  readonly explainOpening: DoctorServices['explainOpening']
}

/** `GET <handler path>/doctor`: examines, and answers with the report as a page or as JSON. */
export function doctorRoute (
  { authorize }: NonNullable<FastifyOnlyofficeOptions['doctor']>, services: RouteServices
): RouteOptions {
  const { examine, explainOpening } = services

  async function isAllowed (request: FastifyRequest): Promise<boolean> {
    try {
      const { fileId } = request.query as { readonly fileId?: unknown }
      const target = typeof fileId === 'string' ? { fileId } : {}
      const answer: unknown = await runRequestHook(services, context => authorize(target, context), {
        name: 'doctor.authorize',
        request
      })
      // As in `authorize`, `true` leaves the decision to the credentials, and this route has none.
      if (answer === true) request.log.warn("doctor.authorize returned true, which shows the report to nobody: return 'grant'")
      else if (answer && answer !== 'grant') {
        throw new ForbiddenError(`it returned ${kindOf(answer)}: only 'grant' shows the report`)
      }
      return answer === 'grant'
    } catch (err) {
      request.log.error({ err }, 'the hook doctor.authorize failed')
      return false
    }
  }

  async function answerReport (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.headers(headers)
    const { fileId, format } = request.query as { readonly fileId?: unknown, readonly format?: unknown }
    if (isFromOtherSite(request) || !await isAllowed(request)) {
      return sendError(reply, new ForbiddenError('who asks may not see the report'))
    }
    if (fileId !== undefined && (typeof fileId !== 'string' || fileId.length > MAX_FILE_ID_LENGTH)) {
      return sendError(reply, new FileNotFoundError())
    }
    const report = await examine()
    const explanation = fileId ? await explainOpening(fileId) : []
    if (format !== 'json' && /\btext\/html\b/i.test(request.headers.accept ?? '')) {
      return reply.type('text/html; charset=utf-8').send(renderHtml(report, fileId, explanation))
    }
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(withFindings(report, explanation)))
  }

  return { method: 'GET', url: `${services.settings.path}/doctor`, exposeHeadRoute: false, handler: answerReport }
}

/** Another site can make the browser of an authorized user request this URL. */
function isFromOtherSite ({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
