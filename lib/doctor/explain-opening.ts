import type { DoctorFinding } from '../../types/doctor.js'
import type { Clock } from '../../types/options.js'
import type { FileInfo } from '../../types/storage.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import {
  type CallbackOutcome, type DownloadEvent, type Noted, type OpeningEvent, type OpeningHistory,
  type Openings, type Outcome
} from '../sessions/openings.js'
import { redactor } from './findings.js'

/** Explains from the history of a file why it does not open or is not saved. */
export interface OpeningExplainer {
  /** Never rejects. */
  findings (fileId: string): Promise<readonly DoctorFinding[]>
  /**
   * The first problem other than what a page reported, and its remedy, in one line. `undefined` if this process has
   * seen nothing.
   */
  summary (fileId: string): string | undefined
}

interface Dependencies {
  readonly openings: Openings
  readonly storage: { stat (fileId: string): Promise<FileInfo | null> }
  readonly clock: Clock
  /** Secrets that must not be in a finding, wherever they come from. */
  readonly secrets: readonly string[]
}

/**
 * A document server requests the document within a second. A slow browser may take longer to reach the document server.
 */
const PATIENCE_MS = 15_000

export function createOpeningExplainer ({ openings, storage, clock, secrets }: Dependencies): OpeningExplainer {
  const redact = redactor(secrets)
  return {
    async findings (fileId) {
      return [...await storedFile(fileId), ...explain(openings.of(fileId), clock.now())].map(redact)
    },
    summary (fileId) {
      const wrong = explain(openings.of(fileId), clock.now()).map(redact).find(({ code, status }) =>
        status === 'error' && !REPORTED.has(code)
      )
      return wrong && `${wrong.evidence} ${wrong.remedy ?? ''}`.trim()
    }
  }

  async function storedFile (fileId: string): Promise<DoctorFinding[]> {
    const title = 'The document in the storage'
    try {
      const info = await storage.stat(fileId)
      if (info) {
        return [{
          code: 'OPENING_FILE',
          status: 'ok',
          title,
          evidence: `The storage has the document: format ${info.extension}, size ${info.size} bytes.`
        }]
      }
      return [{
        code: 'OPENING_NO_FILE',
        status: 'error',
        title,
        evidence: 'The storage has no document with this fileId.',
        remedy: 'Check the fileId (without extension), and that all instances of the application use one storage.'
      }]
    } catch (error) {
      return [{
        code: 'OPENING_FILE',
        status: 'skipped',
        title,
        evidence: `The storage could not be asked: ${codeOf(error)}.`
      }]
    }
  }
}

/** Findings in the order in which a document is opened. */
function explain (history: OpeningHistory, now: number): DoctorFinding[] {
  const { events } = history
  if (events.length === 0) return [nothingSeen(history), ...strangers(history)]

  const page = events.findLast(event => isKind(event, 'page'))
  const firstPage = page && events.find(event => isKind(event, 'page') && event.key === page.key)
  const opening = firstPage ? events.slice(events.indexOf(firstPage)) : events
  const downloads = opening.filter(event => isKind(event, 'download'))
  const callbacks = opening.filter(event => isKind(event, 'callback'))
  const lastJoin = callbacks.findLast(({ status, result }) => status === 1 && result === 'accepted')
  const report = opening.findLast(event => isKind(event, 'report'))
  const lastDownload = downloads.at(-1)

  return [
    page ? madePage(page, history) : noPage(history),
    ...lastDownload
      ? [download(lastDownload)]
      : page
        ? [notAsked(page, { now, hasCalled: callbacks.length > 0, hasFailed: report !== undefined, history })]
        : [],
    ...report && (lastJoin?.lastAt ?? 0) < report.lastAt ? [reported(report)] : [],
    ...callback(callbacks),
    ...page?.edits && callbacks.length === 0 && lastDownload?.result === 'accepted' &&
        now - lastDownload.lastAt >= PATIENCE_MS
      ? [notJoined(lastDownload)]
      : [],
    ...strangers(history)
  ]
}

const ONLY_THIS_PROCESS = 'What other instances saw is not known here.'

function nothingSeen ({ since }: OpeningHistory): DoctorFinding {
  return {
    code: 'OPENING_UNKNOWN',
    status: 'skipped',
    title: 'Opening the document',
    evidence: `Since ${time(since)}, this process has made no page with this document and received no request for it. ${ONLY_THIS_PROCESS}`,
    remedy: 'Open the document in a browser, then examine it again at the same instance: with app.editorDoctor({ fileId }), or at the doctor\'s page of the application.'
  }
}

function noPage ({ since }: OpeningHistory): DoctorFinding {
  return {
    code: 'OPENING_PAGE',
    status: 'skipped',
    title: 'The page with the editor',
    evidence: `The page was made before ${time(since)}, by another instance, or many requests ago: only the last 20 events of a document are kept.`
  }
}

function madePage (
  { lastAt, edits, ...event }: Noted<Extract<OpeningEvent, { kind: 'page' }>>,
  { since }: OpeningHistory
): DoctorFinding {
  return {
    code: 'OPENING_PAGE',
    status: 'ok',
    title: 'The page with the editor',
    evidence: `The configuration was made at ${time(lastAt)}${repeated(event)}, for ${edits ? 'editing' : 'viewing'}. This process has watched since ${time(since)}. ${ONLY_THIS_PROCESS}`
  }
}

interface Circumstances {
  readonly now: number
  /** The document server has sent a callback, so it reaches the application. */
  readonly hasCalled: boolean
  /** A page has reported that the document did not open. */
  readonly hasFailed: boolean
  readonly history: OpeningHistory
}

function notAsked ({ firstAt, lastAt }: Noted, { now, hasCalled, hasFailed, history }: Circumstances): DoctorFinding {
  const title = 'The request of the document server for the document'
  if (hasCalled) {
    return {
      code: 'OPENING_CACHED',
      status: 'ok',
      title,
      evidence:
        'The document server has not asked this instance for the document, but sent a callback: it has kept the document of this key, or has asked another instance.'
    }
  }
  if (now - lastAt < PATIENCE_MS && !hasFailed) {
    return { code: 'OPENING_NEVER_ASKED', status: 'skipped', title, evidence: `The page was made only ${seconds(now - lastAt)} ago, and the document server has not asked for the document yet. Examine again.` }
  }
  if (history.strangers && history.strangers.lastAt >= firstAt) {
    return {
      code: 'OPENING_WRONG_SIGNATURE',
      status: 'error',
      title,
      evidence: `The page was made at ${time(lastAt)}. Requests for the document arrived since, but without a valid signature: ${history.strangers.code}, last at ${time(history.strangers.lastAt)}.`,
      remedy: 'jwtSecret, publicBaseUrl, path and prefix must be the same at all instances, and no proxy may change or drop the query. Requests of strangers look the same: compare the IP address in the log.'
    }
  }
  return {
    code: 'OPENING_NEVER_ASKED',
    status: 'error',
    title,
    evidence: `The page was made at ${time(lastAt)}, and the document server never asked for the document: it cannot reach publicBaseUrl, it rejects the token of the page, or the page was not shown.`,
    remedy: 'Request publicBaseUrl from the machine or container of the document server. Compare jwtSecret with services.CoAuthoring.secret.inbox.string there. The other findings of the doctor show which of them it is.'
  }
}

function download (event: Noted<DownloadEvent>): DoctorFinding {
  const title = 'The request of the document server for the document'
  const at = `at ${time(event.lastAt)}${repeated(event)}`
  switch (event.result) {
    case 'accepted':
      return { code: 'OPENING_SERVED', status: 'ok', title, evidence: `The document was served ${at}.` }
    case 'refused':
      return {
        code: 'OPENING_REFUSED',
        status: 'error',
        title,
        evidence: `The request was refused ${at}: ${reasonOf(event)}`,
        remedy: remedyOf(event.code, 'editor request failed')
      }
    case 'interrupted':
      return {
        code: 'OPENING_INTERRUPTED',
        status: 'error',
        title,
        evidence: `The document was being served ${at} when the connection ended.`,
        remedy:
          'Check time limits and size limits of the proxies between the document server and the application, and the document server\'s own limit for a document (100 MB). If the storage failed, the log of the application has the error.'
      }
    case 'answered-by-application':
      return {
        code: 'OPENING_ANSWERED_BY_APPLICATION',
        status: 'error',
        title,
        evidence: `The application itself answered ${at} with status ${event.httpStatus}, before the plugin.`,
        remedy: HOOK_REMEDY
      }
  }
}

const HOOK_REMEDY =
  `Let the hook that answers, such as a check of the login, pass requests whose routeOptions.config.editor.caller is 'document-server': it has no session, and the plugin checks its requests itself. See ${LOGIN_GUIDE}`

function callback (callbacks: ReadonlyArray<Noted<CallbackOutcome>>): DoctorFinding[] {
  const lastSave = callbacks.findLast(({ status }) => status !== undefined && SAVES.has(status))
  const last = lastSave && lastSave.result !== 'accepted' ? lastSave : callbacks.at(-1)
  if (!last) return []
  const title = 'Callbacks of the document server'
  const what = last.status === undefined ? 'a callback' : `a callback with status ${last.status}`
  const at = `at ${time(last.lastAt)}${repeated(last)}`
  switch (last.result) {
    case 'accepted':
      return [{ code: 'CALLBACK_ACCEPTED', status: 'ok', title, evidence: `The application accepted ${what} ${at}.` }]
    case 'refused':
      return [{
        code: 'CALLBACK_REFUSED',
        status: 'error',
        title,
        evidence: `The application refused ${what} ${at}: ${reasonOf(last)}`,
        remedy: remedyOf(last.code, 'callback refused')
      }]
    case 'interrupted':
      return [{
        code: 'CALLBACK_INTERRUPTED',
        status: 'error',
        title,
        evidence: `The connection of ${what} ended ${at}, before it was answered.`,
        remedy:
          'Raise the time limit of the proxies between the document server and the application: a callback is answered when its save is stored.'
      }]
    case 'answered-by-application':
      return [{
        code: 'CALLBACK_ANSWERED_BY_APPLICATION',
        status: 'error',
        title,
        evidence: `The application itself answered ${what} ${at} with status ${last.httpStatus}, before the plugin.`,
        remedy: HOOK_REMEDY
      }]
  }
}

/** Statuses of callbacks that announce something to store. */
const SAVES: ReadonlySet<number> = new Set([2, 3, 6])

function notJoined ({ lastAt }: Noted): DoctorFinding {
  return {
    code: 'OPENING_NOT_JOINED',
    status: 'warning',
    title: 'Callbacks of the document server',
    evidence: `The document was served at ${time(lastAt)}, but no callback followed: the editor did not open the document, or the document server cannot reach the callback URL.`,
    remedy: 'Look at what the editor shows. If it is open, changes will not be stored: check that the document server can send a POST to publicBaseUrl, and that no proxy answers in the application\'s place. If it is not, check that the browser can open a WebSocket to the document server.'
  }
}

function reported ({ lastAt, text, ...event }: Noted<Extract<OpeningEvent, { kind: 'report' }>>): DoctorFinding {
  return {
    ...UNCONVERTED.test(text)
      ? {
          code: 'OPENING_CONVERSION_FAILED',
          remedy:
          'Choose "Try again" in the page: it opens the document under a new key, at most once in a minute and only if nobody has it open. If that fails, too, check that the file is whole and of the format that its extension says, and look at the log of the document server\'s converter.'
        }
      : {
          code: 'OPENING_REPORTED',
          remedy: 'The other findings of this document show what the application saw at that time.'
        },
    status: 'error',
    title: 'What the page reports',
    evidence: `At ${time(lastAt)}${repeated(event)} a page reported: ${text}`
  }
}

const REPORTED: ReadonlySet<string> = new Set(['OPENING_REPORTED', 'OPENING_CONVERSION_FAILED'])
/** The document server keeps the failure with the document key. */
const UNCONVERTED = /^code -8[02]:/

function strangers ({ strangers }: OpeningHistory): DoctorFinding[] {
  if (!strangers) return []
  const { count, code, lastAt } = strangers
  return [{
    code: 'OPENING_UNSIGNED',
    status: 'warning',
    title: 'Requests without a valid signature',
    evidence: `${count === 1 ? 'One request' : `${count} requests`} for this document without a valid signature: refused with ${code}, the last one at ${time(lastAt)}.`,
    remedy: 'If the document server sent them, instances of the application differ in jwtSecret, publicBaseUrl, path or prefix, or a proxy changes the query. Otherwise nothing has to be done.'
  }]
}

const CREDENTIALS_REMEDY =
  'Compare jwtSecret with services.CoAuthoring.secret.outbox.string of the document server, and documentServer.authorizationHeader with services.CoAuthoring.token.outbox.header there.'
const FETCH_REMEDY =
  'The application has to reach the document server to fetch saved files: check documentServer.internalUrl, and open the document again to get the save back.'

const remedies: Readonly<Record<string, string>> = {
  FST_EDITOR_UNAUTHORIZED: CREDENTIALS_REMEDY,
  FST_EDITOR_FORBIDDEN:
    'If the URL has expired, reload the page, or raise downloadUrlLifetime. If authorize denied the request, let it return undefined for requests of the document server: it has no login.',
  FST_EDITOR_FILE_NOT_FOUND:
    'All instances of the application must use one storage, and a document must not be deleted while its page is open.',
  FST_EDITOR_STORAGE_TIMEOUT: 'Find out why the storage is slow, or raise timeouts.storage.',
  FST_EDITOR_ADDRESS_BLOCKED:
    'Add the origin to documentServer.origins, or set X-Forwarded-Host and X-Forwarded-Proto at the proxy in front of the document server.',
  FST_EDITOR_UPSTREAM: FETCH_REMEDY,
  FST_EDITOR_UPSTREAM_TIMEOUT: FETCH_REMEDY,
  FST_EDITOR_TOO_LARGE: 'Raise maxFileSize (saved files) or bodyLimit (callbacks).',
  FST_EDITOR_CORRUPTED_DOCUMENT:
    'The document server keeps the changes. Its own log says why it could not assemble the document.'
}

function remedyOf (code: string, logMessage: string): string {
  return remedies[code] ?? `Look for "${logMessage}" in the log of the application at that time: err says why.`
}

function reasonOf ({ code, reason }: Extract<Outcome, { result: 'refused' }>): string {
  return `${code}${reason === undefined ? '' : ` (${reason})`}.`
}

function codeOf (error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown, readonly name?: unknown }
  return String(code ?? name ?? 'an error without a code')
}

function isKind<Kind extends OpeningEvent['kind']> (
  event: Noted,
  kind: Kind
): event is Noted<Extract<OpeningEvent, { kind: Kind }>> {
  return event.kind === kind
}

function repeated ({ count }: { readonly count: number }): string {
  return count === 1 ? '' : ` (${count} times in succession)`
}

function time (milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}

function seconds (milliseconds: number): string {
  const whole = Math.max(1, Math.round(milliseconds / 1000))
  return whole === 1 ? 'a second' : `${whole} seconds`
}
