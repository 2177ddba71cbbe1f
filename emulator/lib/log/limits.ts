import type { DocumentServerOptions, HostRequest, ReceivedRequest } from '../../types/document-server.js'

type Limits = Required<NonNullable<DocumentServerOptions['requestLog']>>

/** Keeps the logs of requests within their limits. Without limits they are complete. */
export interface RequestLog {
  /** Drops the oldest that are too many. */
  trim (log: HostRequest[] | ReceivedRequest[]): void
  /** A request to the host whose outcome is known. */
  shrinkSent (entry: HostRequest): void
  /** A body or an answer as it is kept: `null` in the place of a larger one. */
  small<Value>(value: Value): Value | null
}

export function requestLog ({ entries = Infinity, bodyBytes = Infinity }: Partial<Limits> = {}): RequestLog {
  for (const [name, value] of Object.entries({ entries, bodyBytes })) {
    if (value !== Infinity && !(Number.isInteger(value) && value >= 1)) throw new TypeError(`requestLog.${name} must be a whole number, 1 or more`)
  }

  function small<Value> (value: Value): Value | null {
    return bodyBytes === Infinity || sizeOf(value) <= bodyBytes ? value : null
  }

  return {
    small,
    trim (log) {
      if (log.length > entries) log.splice(0, log.length - entries)
    },
    shrinkSent (entry) {
      if (entry.answer !== null) entry.answer = { status: entry.answer.status, body: small(entry.answer.body) }
      // What waits for a callback finds it by these.
      if (entry.body !== null && small(entry.body) === null) Object.assign(entry, { body: { key: entry.body.key, status: entry.body.status } })
    }
  }
}

function sizeOf (value: unknown): number {
  if (value === null || value === undefined) return 0
  if (value instanceof Uint8Array) return value.byteLength
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
