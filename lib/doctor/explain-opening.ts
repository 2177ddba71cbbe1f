import type { DoctorFinding } from '../../types/doctor.js'
import type { EditorStorage } from '../../types/storage.js'
import { LOGIN_GUIDE } from '../handler/observer.js'
import type { Settings } from '../options.js'
import type {
  CallbackOutcome, DownloadEvent, Noted, OpeningHistory, Openings
} from '../sessions/openings.js'
import { guide } from '../util/text.js'
import { error, ok, redactor, skipped, warning } from './findings.js'

/**
 * A document server requests the document within a second. A slow browser may take longer to reach the document server.
 */
const PATIENCE_MS = 15_000

interface AskedStorage extends Pick<EditorStorage, 'stat'> {
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
      const wrong = explanation(fileId).find(({ code, status }) => status === 'error' && code !== 'OPENING_REPORTED')
      return wrong && `${wrong.evidence} ${wrong.remedy}`
    }
  }
}

async function storedFile (storage: AskedStorage, fileId: string): Promise<DoctorFinding> {
  try {
    const info = await storage.stat(fileId)
    if (info) {
      return ok('OPENING_FILE', `The storage has the document: format ${info.fileType}, size ${info.size} bytes.`)
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

function explainEvents ({ since, events }: OpeningHistory, now: number): DoctorFinding[] {
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
  if (download) findings.push(explainRequest(download))
  else if (page) findings.push(notAsked(page))
  if (report && (lastJoin?.lastAt ?? 0) < report.lastAt) {
    findings.push(error('OPENING_REPORTED',
      `At ${when(report)} a page reported: ${report.text}`,
      'The line "a document did not open in the browser" in the log of the application says how to fix it.'))
  }
  if (callbacks.length > 0) {
    const lastSave = callbacks.findLast(({ status }) => status !== undefined && SAVES.has(status))
    findings.push(explainRequest(lastSave && lastSave.result !== 'accepted' ? lastSave : callbacks.at(-1)!))
  } else if (page?.edits && download?.result === 'accepted' && now - download.lastAt >= PATIENCE_MS) {
    findings.push(warning('OPENING_NOT_JOINED',
      `The document was served at ${time(download.lastAt)}, but no callback followed: the editor did not open the document, or the document server cannot reach the callback URL.`,
      'Look at what the editor shows. If it is open, changes will not be stored: check that the document server can send a POST to publicBaseUrl, and that no proxy answers in the application\'s place. If it is not, check that the browser can open a WebSocket to the document server.'))
  }
  return findings

  function notAsked ({ lastAt }: Noted): DoctorFinding {
    if (callbacks.length > 0) {
      return ok('OPENING_CACHED', 'The document server has not asked this instance for the document, but sent a callback: it has kept the document of this key, or has asked another instance.')
    }
    if (now - lastAt < PATIENCE_MS && !report) {
      return skipped('OPENING_NEVER_ASKED', `The page was made at ${time(lastAt)}, and the document server has not asked for the document yet. Examine again.`)
    }
    return error('OPENING_NEVER_ASKED',
      `The page was made at ${time(lastAt)}, and the document server never asked for the document: it cannot reach publicBaseUrl, it rejects the token of the page, or the page was not shown.`,
      'Request publicBaseUrl from the machine or container of the document server. Compare jwtSecret with services.CoAuthoring.secret.inbox.string there. The other findings of the doctor show which of them it is.')
  }
}

/** Statuses of callbacks that announce something to store. */
const SAVES: ReadonlySet<number> = new Set([2, 3, 6])

/** How the last request of a kind ended. */
function explainRequest (event: Noted<DownloadEvent> | Noted<CallbackOutcome>): DoctorFinding {
  const isDownload = event.kind === 'download'
  const prefix = isDownload ? 'OPENING' : 'CALLBACK'
  const request = isDownload
    ? 'The download of the document'
    : `A callback${event.status === undefined ? '' : ` with status ${event.status}`}`
  switch (event.result) {
    case 'accepted':
      return ok(isDownload ? 'OPENING_SERVED' : 'CALLBACK_ACCEPTED', `${request} succeeded at ${when(event)}.`)
    case 'refused':
      return error(`${prefix}_REFUSED`,
        `${request} was refused at ${when(event)}: ${event.code}${event.reason === undefined ? '' : ` (${event.reason})`}.`,
        `The log of the application has more at that time: "${isDownload ? 'editor request failed' : 'callback refused'}". What the code means: ${ERRORS_GUIDE}`)
    case 'interrupted':
      return error(`${prefix}_INTERRUPTED`,
        `${request} was being answered at ${when(event)} when the connection ended.`,
        'Raise the limits of time and size of the proxies between the document server and the application: a callback is answered when its save is stored. If the storage failed, the log of the application has the error.')
    case 'answered-by-application':
      return error(`${prefix}_ANSWERED_BY_APPLICATION`,
        `${request} was answered at ${when(event)} by the application itself with status ${event.httpStatus}, before the plugin.`,
        `Let the hook that answers, such as a check of the login, pass requests whose routeOptions.config.onlyoffice.caller is 'document-server': it has no session, and the plugin checks its requests itself. See ${LOGIN_GUIDE}`)
  }
}

const ERRORS_GUIDE = guide('troubleshooting.md#errors')

/** When an event happened, and how often. */
function when ({ lastAt, count }: Noted): string {
  return `${time(lastAt)}${count === 1 ? '' : ` (${count} times in succession)`}`
}

function time (milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
}
