import { toUrl } from '../../url.js'
import type { SentRequest, ReceivedRequest } from '../../../types/document-server.js'
import { reasonOf, reasonOfAnswer } from './reasons.js'

/** A request as the status page shows it: short and without secrets. */
export interface LoggedRequest {
  readonly at: Date
  readonly method: string
  readonly url: string
  /** The HTTP status; `null` without an answer. */
  readonly status: number | null
  /** The status of a callback. */
  readonly callback?: string
  readonly key?: string
  /** The application's answer to a callback. */
  readonly answer?: string
  /** Why the answer was not accepted, or is an error. */
  readonly reason?: string
}

const KEPT = 50
const SHOWN_CHARACTERS = 120

/** The latest requests sent and received, newest first. */
export function latestRequests () {
  const sent: LoggedRequest[] = []
  const received: LoggedRequest[] = []

  function add (lines: LoggedRequest[], line: LoggedRequest): void {
    lines.unshift(line)
    if (lines.length > KEPT) lines.pop()
  }

  return {
    sent,
    received,
    addSent (request: SentRequest): void {
      const { method, url, body, answer } = request
      const reason = reasonOf(request)
      add(sent, {
        at: new Date(),
        method,
        url: withoutSecrets(url),
        status: answer?.status ?? null,
        ...(body !== null && { callback: String(body.status), key: limited(String(body.key)) }),
        ...(body !== null && answer !== null && { answer: short(answer.body) }),
        ...(reason !== null && { reason: short(reason) })
      })
    },
    addReceived (request: ReceivedRequest): void {
      const { method, url, status } = request
      const reason = reasonOfAnswer(request)
      add(received, { at: new Date(), method, url: withoutSecrets(url), status, ...(reason !== null && { reason }) })
    }
  }
}

export type LatestRequests = ReturnType<typeof latestRequests>

/** The origin and path of a URL, or a path, without credentials and query. */
function withoutSecrets (given: string): string {
  const url = toUrl(given)
  return short(url === undefined ? given.split(/[?#]/, 1)[0] : `${url.protocol}//${url.host}${url.pathname}`)
}

/** Removes tokens and queries, wherever they are. */
function short (value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? ''
  return limited(text.slice(0, 4096).replace(/[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, '…').replace(/\?[^\s"'<>]*/g, ''))
}

function limited (text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
