import type { DocumentServerOptions, ReceivedRequest, SentRequest } from '../../../types/document-server.js'

type Limits = Required<NonNullable<DocumentServerOptions['requestLog']>>

export type RequestLimits = ReturnType<typeof requestLimits>

/** Keeps the logs of requests within the limits of the option `requestLog`. Without limits they are complete. */
export function requestLimits ({ entries = Infinity, bodyBytes = Infinity }: Partial<Limits> = {}) {
  for (const [name, value] of Object.entries({ entries, bodyBytes })) {
    if (value !== Infinity && !(Number.isInteger(value) && value >= 1)) {
      throw new TypeError(`requestLog.${name} must be a whole number, 1 or more`)
    }
  }

  /** The value, or `null` when it is larger than the limit. */
  function withinLimit<Value> (value: Value): Value | null {
    return bodyBytes === Infinity || sizeOf(value) <= bodyBytes ? value : null
  }

  return {
    withinLimit,
    /** Removes the oldest entries above the limit. */
    trim (log: SentRequest[] | ReceivedRequest[]): void {
      if (log.length > entries) log.splice(0, log.length - entries)
    },
    /** Removes large bodies from a request whose outcome is known. */
    shrink (entry: SentRequest): void {
      if (entry.answer !== null) entry.answer = { status: entry.answer.status, body: withinLimit(entry.answer.body) }
      // `callback()` finds callbacks by these two fields.
      if (entry.body !== null && withinLimit(entry.body) === null) {
        Object.assign(entry, { body: { key: entry.body.key, status: entry.body.status } })
      }
    }
  }
}

function sizeOf (value: unknown): number {
  if (value === null || value === undefined) return 0
  if (value instanceof Uint8Array) return value.byteLength
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
