import type { DoctorFinding } from '../../types/doctor.js'
import type { Storage } from '../../types/storage.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import type { Settings } from '../options.js'
import type {
  CallbackOutcome, DownloadEvent, Noted, OpeningEvent, OpeningHistory, Openings, Outcome
} from '../sessions/openings.js'
import { error, ok, redactor, skipped, warning } from './findings.js'

/**
 * A document server requests the document within a second. A slow browser may take longer to reach the document server.
 */
const PATIENCE_MS = 15_000

interface AskedStorage extends Pick<Storage, 'stat'> {
  /** Why it has no such document, if it knows. */
  readonly whyAbsent: (fileId: string) => Promise<string | undefined>
}

/** Explains from the history of a file why it does not open or is not saved. */
export function createOpeningExplainer (
  settings: Pick<Settings, 'clock' | 'publicBaseUrl' | 'secrets'>, storage: AskedStorage, openings: Openings
) {
  const redact = redactor(settings)

  function explanation (fileId: string): DoctorFinding[] {
    return explain(openings.of(fileId), settings.clock.now()).map(redact)
  }

  return {
    /** Never rejects. */
    findings: async (fileId: string): Promise<readonly DoctorFinding[]> =>
      [redact(await storedFile(storage, fileId)), ...explanation(fileId)],

    /**
     * The first problem other than what a page reported, and its remedy, in one line. `undefined` if this process has
     * seen nothing.
     */
    summary (fileId: string): string | undefined {
      const wrong = explanation(fileId).find(({ code, status }) => status === 'error' && !REPORTED.has(code))
      return wrong && `${wrong.evidence} ${wrong.remedy}`
    }
  }
}

async function storedFile (storage: AskedStorage, fileId: string): Promise<DoctorFinding> {
  try {
    const info = await storage.stat(fileId)
    if (info) {
      return ok('OPENING_FILE', `The storage has the document: format ${info.extension}, size ${info.size} bytes.`)
    }
    const reason = await storage.whyAbsent(fileId)
    return error('OPENING_NO_FILE',
      `The storage has no document with this fileId${reason === undefined ? '' : `: ${reason}`}.`,
      'Check the fileId (without extension) and the name of its file (with one), and that all instances of the application use one storage.')
  } catch (failure) {
    const { code, name } = Object(failure) as Partial<NodeJS.ErrnoException>
    return skipped('OPENING_FILE', `The storage could not be asked: ${code ?? name ?? 'an error without a code'}.`)
  }
}

/** Findings in the order in which a document is opened. */
function explain (history: OpeningHistory, now: number): DoctorFinding[] {
  const { since, events, strangers } = history
  const findings = events.length > 0
    ? explainEvents(history, now)
    : [
        skipped('OPENING_UNKNOWN',
          `Since ${time(since)}, this process has made no page with this document and received no request for it. ${ONLY_THIS_PROCESS}`,
          'Open the document in a browser, then examine it again at the same instance: with app.editorDoctor({ fileId }), or at the doctor\'s page of the application.')
      ]
  if (strangers) {
    const { count, code, lastAt } = strangers
    findings.push(warning('OPENING_UNSIGNED',
      `${count === 1 ? 'One request' : `${count} requests`} for this document without a valid signature: refused with ${code}, the last one at ${time(lastAt)}.`,
      'If the document server sent them, instances of the application differ in jwtSecret, publicBaseUrl, path or prefix, or a proxy changes the query. Otherwise nothing has to be done.'))
  }
  return findings
}

const ONLY_THIS_PROCESS = 'What other instances saw is not known here.'

function explainEvents ({ since, events, strangers }: OpeningHistory, now: number): DoctorFinding[] {
  const page = events.findLast(event => event.kind === 'page')
  const firstPage = page && events.find(event => event.kind === 'page' && event.key === page.key)
  const opening = firstPage ? events.slice(events.indexOf(firstPage)) : events
  const download = opening.findLast(event => event.kind === 'download')
  const callbacks = opening.filter(event => event.kind === 'callback')
  const lastJoin = callbacks.findLast(({ status, result }) => status === 1 && result === 'accepted')
  const report = opening.findLast(event => event.kind === 'report')
  const findings = [
    page
      ? ok('OPENING_PAGE', `The configuration was made at ${when(page)}, for ${page.edits ? 'editing' : 'viewing'}. This process has watched since ${time(since)}. ${ONLY_THIS_PROCESS}`)
      : skipped('OPENING_PAGE', `The page was made before ${time(since)}, by another instance, or many requests ago: only the last 20 events of a document are kept.`)
  ]
  if (download) findings.push(explainDownload(download))
  else if (page) findings.push(notAsked(page))
  if (report && (lastJoin?.lastAt ?? 0) < report.lastAt) findings.push(explainReport(report))
  if (callbacks.length > 0) {
    const lastSave = callbacks.findLast(({ status }) => status !== undefined && SAVES.has(status))
    findings.push(explainCallback(lastSave && lastSave.result !== 'accepted' ? lastSave : callbacks.at(-1)!))
  } else if (page?.edits && download?.result === 'accepted' && now - download.lastAt >= PATIENCE_MS) {
    findings.push(warning('OPENING_NOT_JOINED',
      `The document was served at ${time(download.lastAt)}, but no callback followed: the editor did not open the document, or the document server cannot reach the callback URL.`,
      'Look at what the editor shows. If it is open, changes will not be stored: check that the document server can send a POST to publicBaseUrl, and that no proxy answers in the application\'s place. If it is not, check that the browser can open a WebSocket to the document server.'))
  }
  return findings

  function notAsked ({ firstAt, lastAt }: Noted): DoctorFinding {
    if (callbacks.length > 0) {
      return ok('OPENING_CACHED', 'The document server has not asked this instance for the document, but sent a callback: it has kept the document of this key, or has asked another instance.')
    }
    if (now - lastAt < PATIENCE_MS && !report) {
      return skipped('OPENING_NEVER_ASKED', `The page was made only ${seconds(now - lastAt)} ago, and the document server has not asked for the document yet. Examine again.`)
    }
    if (strangers && strangers.lastAt >= firstAt) {
      return error('OPENING_WRONG_SIGNATURE',
        `The page was made at ${time(lastAt)}. Requests for the document arrived since, but without a valid signature: ${strangers.code}, last at ${time(strangers.lastAt)}.`,
        'jwtSecret, publicBaseUrl, path and prefix must be the same at all instances, and no proxy may change or drop the query. Requests of strangers look the same: compare the IP address in the log.')
    }
    return error('OPENING_NEVER_ASKED',
      `The page was made at ${time(lastAt)}, and the document server never asked for the document: it cannot reach publicBaseUrl, it rejects the token of the page, or the page was not shown.`,
      'Request publicBaseUrl from the machine or container of the document server. Compare jwtSecret with services.CoAuthoring.secret.inbox.string there. The other findings of the doctor show which of them it is.')
  }
}

/** Statuses of callbacks that announce something to store. */
const SAVES: ReadonlySet<number> = new Set([2, 3, 6])

function explainDownload (event: Noted<DownloadEvent>): DoctorFinding {
  switch (event.result) {
    case 'accepted':
      return ok('OPENING_SERVED', `The document was served at ${when(event)}.`)
    case 'refused':
      return error('OPENING_REFUSED',
        `The request was refused at ${when(event)}: ${reasonOf(event)}`,
        remedyOf(event.code, 'editor request failed'))
    case 'interrupted':
      return error('OPENING_INTERRUPTED',
        `The document was being served at ${when(event)} when the connection ended.`,
        'Check time limits and size limits of the proxies between the document server and the application, and the document server\'s own limit for a document (100 MB). If the storage failed, the log of the application has the error.')
    case 'answered-by-application':
      return error('OPENING_ANSWERED_BY_APPLICATION',
        `The application itself answered at ${when(event)} with status ${event.httpStatus}, before the plugin.`,
        HOOK_REMEDY)
  }
}

function explainCallback (event: Noted<CallbackOutcome>): DoctorFinding {
  const what = event.status === undefined ? 'a callback' : `a callback with status ${event.status}`
  switch (event.result) {
    case 'accepted':
      return ok('CALLBACK_ACCEPTED', `The application accepted ${what} at ${when(event)}.`)
    case 'refused':
      return error('CALLBACK_REFUSED',
        `The application refused ${what} at ${when(event)}: ${reasonOf(event)}`,
        remedyOf(event.code, 'callback refused'))
    case 'interrupted':
      return error('CALLBACK_INTERRUPTED',
        `The connection of ${what} ended at ${when(event)}, before it was answered.`,
        'Raise the time limit of the proxies between the document server and the application: a callback is answered when its save is stored.')
    case 'answered-by-application':
      return error('CALLBACK_ANSWERED_BY_APPLICATION',
        `The application itself answered ${what} at ${when(event)} with status ${event.httpStatus}, before the plugin.`,
        HOOK_REMEDY)
  }
}

const HOOK_REMEDY =
  `Let the hook that answers, such as a check of the login, pass requests whose routeOptions.config.editor.caller is 'document-server': it has no session, and the plugin checks its requests itself. See ${LOGIN_GUIDE}`

function explainReport (event: Noted<Extract<OpeningEvent, { kind: 'report' }>>): DoctorFinding {
  const evidence = `At ${when(event)} a page reported: ${event.text}`
  if (UNCONVERTED.test(event.text)) {
    return error('OPENING_CONVERSION_FAILED',
      evidence,
      'Choose "Try again" in the page: it opens the document under a new key, at most once in a minute and only if nobody has it open. If that fails, too, check that the file is whole and of the format that its extension says, and look at the log of the document server\'s converter.')
  }
  return error('OPENING_REPORTED',
    evidence,
    'The other findings of this document show what the application saw at that time.')
}

const REPORTED: ReadonlySet<string> = new Set(['OPENING_REPORTED', 'OPENING_CONVERSION_FAILED'])
/** The document server keeps the failure with the document key. */
const UNCONVERTED = /^code -8[02]:/

const FETCH_REMEDY =
  'The application has to reach the document server to fetch saved files: check documentServer.internalUrl, and open the document again to get the save back.'

const remedies: Readonly<Record<string, string>> = {
  FST_EDITOR_UNAUTHORIZED:
    'Compare jwtSecret with services.CoAuthoring.secret.outbox.string of the document server, and documentServer.authorizationHeader with services.CoAuthoring.token.outbox.header there.',
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

/** When an event happened, and how often. */
function when ({ lastAt, count }: Noted): string {
  return `${time(lastAt)}${count === 1 ? '' : ` (${count} times in succession)`}`
}

function time (milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}

function seconds (milliseconds: number): string {
  const whole = Math.max(1, Math.round(milliseconds / 1000))
  return whole === 1 ? 'a second' : `${whole} seconds`
}
