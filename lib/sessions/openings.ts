import type { EditorClock } from '../../types/options.js'
import { BoundedMap } from '../util/limits.js'

/** The outcome of a request of the document server. */
export type Outcome =
  /** A download was answered with the file or "not modified", or a callback was accepted. */
  | { readonly result: 'accepted' }
  /** `reason`: the message of an error of the plugin. Other messages may contain anything, so they are not kept. */
  | { readonly result: 'refused', readonly code: string, readonly reason?: string }
  /** The application answered before the plugin, for instance in a login hook. */
  | { readonly result: 'answered-by-application', readonly httpStatus: number }
  /** The connection ended before the answer did. */
  | { readonly result: 'interrupted' }

export interface PageEvent {
  readonly kind: 'page'
  readonly key: string
  /** Whether callbacks are expected: the page is for editing and has a callback URL. */
  readonly edits: boolean
}

export type DownloadEvent = { readonly kind: 'download' } & Outcome

/** `status`: the status in the callback; absent if its body could not be read. */
export type CallbackOutcome = { readonly kind: 'callback', readonly status?: number } & Outcome

interface ReportEvent {
  readonly kind: 'report'
  /** The page's report in words. */
  readonly text: string
}

export type OpeningEvent = PageEvent | DownloadEvent | CallbackOutcome | ReportEvent

/** An event, or several equal ones in succession. Times are milliseconds since the epoch. */
export type Noted<Event extends OpeningEvent = OpeningEvent> = Event & {
  readonly firstAt: number,
  readonly lastAt: number,
  readonly count: number
}

/** Requests without proof that they come from the document server. */
interface Strangers {
  readonly count: number
  readonly lastAt: number
  readonly code: string
}

export interface OpeningHistory {
  /** When this history began, in milliseconds since the epoch: nothing earlier is known. */
  readonly since: number
  /** Oldest first. */
  readonly events: readonly Noted[]
  readonly strangers: Strangers | undefined
}

/** The files with the most recent events are kept. */
const MAX_FILES = 1000
const MAX_EVENTS_OF_FILE = 20
const MAX_TEXT_LENGTH = 300
/** The sender of an unsigned request chooses the fileId. */
const MAX_STRANGERS_FILE_ID_LENGTH = 200

/** An event, or several equal ones in succession. */
interface Repeated {
  readonly event: OpeningEvent
  readonly firstAt: number
  lastAt: number
  count: number
}

/** The pages and requests of each file that this process has seen. Bounded, and kept in memory only. */
export type Openings = ReturnType<typeof createOpenings>

export function createOpenings ({ clock }: { readonly clock: EditorClock }) {
  const since = clock.now()
  const files = new BoundedMap<string, Repeated[]>(MAX_FILES)
  /** Kept apart from the events, which strangers must not displace. */
  const strangers = new BoundedMap<string, Strangers>(MAX_FILES)

  function note (fileId: string, event: OpeningEvent): void {
    if (fileId === '') return
    const events = files.get(fileId) ?? []
    const last = events.at(-1)
    const now = clock.now()
    if (last !== undefined && isEqual(last.event, event)) {
      last.lastAt = now
      last.count++
    } else {
      events.push({ event, firstAt: now, lastAt: now, count: 1 })
      if (events.length > MAX_EVENTS_OF_FILE) events.shift()
    }
    files.set(fileId, events)
  }

  return {
    /** Notes that a configuration was made. `fileId`: `''` if the page shows no stored file. */
    pageMade: (fileId: string, { key, edits }: Omit<PageEvent, 'kind'>) => note(fileId, { kind: 'page', key, edits }),
    /** Notes the end of a request with a valid signature. */
    requested (fileId: string, event: DownloadEvent | CallbackOutcome): void {
      if (event.result !== 'refused') return note(fileId, event)
      const { code, reason, ...others } = event
      note(fileId, { ...others, code: cut(code), ...(reason !== undefined && { reason: cut(reason) }) })
    },
    /**
     * Notes that a page reported a failed editor. The caller has verified that the report comes from a page with this
     * file.
     */
    reported: (fileId: string, text: string) => note(fileId, { kind: 'report', text: cut(text) }),
    /**
     * Notes that a request without a valid signature was refused. It does not count as a request of the document
     * server.
     */
    strangerRefused (fileId: string, code: string): void {
      if (fileId.length > MAX_STRANGERS_FILE_ID_LENGTH) return
      strangers.set(fileId, { count: (strangers.get(fileId)?.count ?? 0) + 1, lastAt: clock.now(), code })
    },
    isKnown: (fileId: string) => files.has(fileId),
    of: (fileId: string): OpeningHistory => ({
      since,
      events: (files.get(fileId) ?? []).map(({ event, ...times }) => ({ ...event, ...times })),
      strangers: strangers.get(fileId)
    })
  }
}

/** Compares one level only: events are flat. */
function isEqual (a: OpeningEvent, b: OpeningEvent): boolean {
  const known = a as unknown as Readonly<Record<string, unknown>>
  const fields = Object.entries(b)
  return fields.length === Object.keys(known).length && fields.every(([name, value]) => known[name] === value)
}

function cut (text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1)}…`
}
