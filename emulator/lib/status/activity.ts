import { toUrl } from '../url.js'
import type { HostRequest, ReceivedRequest } from '../../types/document-server.js'
import { reasonOf, reasonOfAnswer } from './reasons.js'

/** A request as the page shows it: nothing that is secret, and little of it. */
export interface Line {
  readonly at: Date
  readonly method: string
  readonly address: string
  /** HTTP status; `null` without an answer. */
  readonly status: number | null
  /** Status of a callback. */
  readonly callback?: string
  readonly key?: string
  /** What the host answered to a callback. */
  readonly answer?: string
  /** Why the answer does not count, or is an error. */
  readonly reason?: string
}

const KEPT = 50
const SHOWN_CHARACTERS = 120

/** The last requests by and to this server, newest first. */
export function activity () {
  const sent: Line[] = []
  const received: Line[] = []

  function add (lines: Line[], line: Line): void {
    lines.unshift(line)
    if (lines.length > KEPT) lines.pop()
  }

  return {
    sent,
    received,
    addSent (request: HostRequest): void {
      const { method, url, body, answer } = request
      const reason = reasonOf(request)
      add(sent, {
        at: new Date(),
        method,
        address: withoutSecrets(url),
        status: answer?.status ?? null,
        ...(body !== null && { callback: String(body.status), key: limited(String(body.key)) }),
        ...(body !== null && answer !== null && { answer: short(answer.body) }),
        ...(reason !== null && { reason: short(reason) })
      })
    },
    addReceived (request: ReceivedRequest): void {
      const { method, url, status } = request
      const reason = reasonOfAnswer(request)
      add(received, { at: new Date(), method, address: withoutSecrets(url), status, ...(reason !== null && { reason }) })
    }
  }
}

export type Activity = ReturnType<typeof activity>

/** Origin and path, or the path: no credentials, no query. */
function withoutSecrets (address: string): string {
  const url = toUrl(address)
  return short(url === undefined ? address.split(/[?#]/, 1)[0] : `${url.protocol}//${url.host}${url.pathname}`)
}

/** Tokens and queries are left out, wherever they stand. */
function short (value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? ''
  return limited(text.slice(0, 4096).replace(/[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, '…').replace(/\?[^\s"'<>]*/g, ''))
}

function limited (text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
