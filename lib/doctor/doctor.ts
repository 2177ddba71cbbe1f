import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { DoctorFinding, DoctorOptions, DoctorReport } from '../../types/doctor.js'
import type { EditorOptions } from '../../types/options.js'
import { ForbiddenError, HookTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { unlessAborted, withTimeout } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import { AnyString, assertOptions, kindOf, Milliseconds, type Rules, Signal } from '../util/validate.js'
import { isError } from './findings.js'
import { CONTENT_SECURITY_POLICY, renderHtml } from './render-html.js'
import type { DoctorServices } from './services.js'

const rules: Rules<DoctorOptions> = { fileId: AnyString, timeout: Milliseconds, signal: Signal }

const DEFAULT_TIMEOUT_MS = 60_000

/** Each process runs one examination at a time, because it sends a large request and may wait for slow servers. */
const turns = createQueue()

/** Examines a set-up. Simultaneous calls share one examination. */
export function createDoctor (services: DoctorServices) {
  const { explainOpening, signal: closing } = services
  let underWay: Promise<DoctorReport> | undefined

  return async function examineSetUp (options: DoctorOptions = {}): Promise<DoctorReport> {
    assertOptions(rules, options)
    const { fileId, timeout = DEFAULT_TIMEOUT_MS, signal } = options
    const stop = signal ? AbortSignal.any([signal, closing]) : closing
    stop.throwIfAborted()
    underWay ??= turns.run('', async () => {
      // Loaded late: most applications never run the doctor.
      const { examine } = await import('./examination.js')
      return await examine(services, timeout)
    }).finally(() => { underWay = undefined })
    const report = await unlessAborted(underWay, stop)
    return fileId === undefined ? report : withFindings(report, await explainOpening(fileId))
  }
}

/** A report to which the explanation of a document is added. */
function withFindings (report: DoctorReport, explanation: readonly DoctorFinding[]): DoctorReport {
  const findings = [...report.findings, ...explanation]
  return { ...report, findings, healthy: report.healthy && !explanation.some(isError) }
}

/** An examination makes the document server convert a document. Asking more often must not cause more of them. */
const REPORT_LIFETIME_MS = 5000
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

interface RouteServices extends Pick<DoctorServices, 'explainOpening' | 'signal'> {
  readonly examine: () => Promise<DoctorReport>
}

/** `GET <handler path>/doctor`: examines, and answers with the report as a page or as JSON. */
export function doctorRoute (
  { path, timeouts }: Settings, { authorize }: NonNullable<EditorOptions['doctor']>,
  { examine, explainOpening, signal }: RouteServices
): RouteOptions {
  const report = shared(examine)

  async function isAllowed (request: FastifyRequest): Promise<boolean> {
    try {
      const answer: unknown = await withTimeout(() => authorize(request), {
        milliseconds: timeouts.hooks,
        timeoutError: ms => new HookTimeoutError('doctor.authorize', ms),
        signal
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
      return reply.code(403).type('text/plain; charset=utf-8').send('Forbidden')
    }
    if (fileId !== undefined && (typeof fileId !== 'string' || fileId.length > MAX_FILE_ID_LENGTH)) {
      return reply.code(400).type('text/plain; charset=utf-8').send('Name one fileId')
    }
    const general = await report()
    const opening = fileId ? { fileId, findings: await explainOpening(fileId) } : undefined
    if (format !== 'json' && /\btext\/html\b/i.test(request.headers.accept ?? '')) {
      return reply.type('text/html; charset=utf-8').send(renderHtml({ report: general, ...(opening && { opening }) }))
    }
    const whole = withFindings(general, opening?.findings ?? [])
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(whole))
  }

  return { method: 'GET', url: `${path}/doctor`, exposeHeadRoute: false, handler: answerReport }
}

/** Runs one examination at a time. Requests during it, or shortly after it, get the same report. */
function shared (examine: () => Promise<DoctorReport>): () => Promise<DoctorReport> {
  let current: Promise<DoctorReport> | undefined

  return () => {
    if (!current) {
      const forget = () => { current = undefined }
      current = examine()
      current.then(() => setTimeout(forget, REPORT_LIFETIME_MS).unref(), forget)
    }
    return current
  }
}

/** Another site can make the browser of an authorized user request this URL. */
function isFromOtherSite ({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
