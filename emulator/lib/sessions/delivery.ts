import { type CallbackFields, isTransient, NOTHING_SENT, sendCallback } from '../host/callbacks.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult } from '../../types/session.js'

// Source: recorded; only after 429, 5xx and no answer.
const RETRIES_MS = [1000, 2000, 4000]

/** Posts a callback once, with the faults that were asked for. */
export async function deliver (parts: SessionParts, url: string | null, fields: CallbackFields): Promise<CallbackResult> {
  if (url === null) return NOTHING_SENT
  const isFinished = fields.status === 2 || fields.status === 3
  const fault = parts.faults.take('callback', ({ type }) => type !== 'reorder' || !isFinished)
  const announced = fault?.type === 'origin' ? atOrigin(fields, fault.origin) : fields
  const send = async () => await sendCallback(parts.host, url, announced)
  if (fault?.type === 'reorder') {
    parts.held.set(fields.key, send)
    return NOTHING_SENT
  }
  const result = await send()
  if (fault?.type === 'duplicate') await send()
  const late = parts.held.get(fields.key)
  parts.held.delete(fields.key)
  await late?.()
  return result
}

/** Posts the callback of a finished save until it is answered for good. Each attempt has a fresh token and a newly signed `url`. */
export async function deliverUntilAnswered (parts: SessionParts, url: string | null, fields: () => CallbackFields): Promise<CallbackResult> {
  let result = await deliver(parts, url, fields())
  for (const delay of RETRIES_MS) {
    if (result.status === null || !isTransient(result) || parts.closing.aborted) break
    await parts.time.pause(delay, AbortSignal.any([parts.closing, parts.host.life()]))
    result = await deliver(parts, url, fields())
  }
  return result
}

function atOrigin (fields: CallbackFields, origin: string): CallbackFields {
  const moved = (address: string | undefined) => address?.replace(/^https?:\/\/[^/]+/, origin)
  return { ...fields, url: moved(fields.url), changesurl: moved(fields.changesurl), formsdataurl: moved(fields.formsdataurl) }
}
