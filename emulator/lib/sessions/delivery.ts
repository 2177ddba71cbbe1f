import { type CallbackFields, isTransient, NOTHING_SENT, sendCallback } from '../host/callbacks.js'
import { CrashedError } from '../host/client.js'
import { aside } from './aside.js'
import type { OpenDocument } from './documents.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult } from '../../types/session.js'

// Only after 429, 5xx and no answer. Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
const RETRIES_MS = [1000, 2000, 4000]
const SLOW_MS = 50
// Source: recorded message to the editor.
const NOT_SUBSCRIBED = { type: 'warning', message: 'Error on save server subscription!' } as const

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

/** Tells the host who is there: a 1 or a 4. All who are connected are warned when it refuses. */
export async function report (parts: SessionParts, document: OpenDocument, url: string | null, fields: CallbackFields): Promise<CallbackResult> {
  const result = await deliver(parts, url, fields)
  if (result.status === null || result.accepted) return result
  parts.log.warn({ key: document.key, ...result }, 'the host refused to be told who is there')
  for (const listener of [...document.gone, ...document.participants.values()]) listener.notify(NOT_SUBSCRIBED)
  return result
}

/** What the host answers, to whoever waits for it. */
export interface Announced {
  readonly answered: Promise<CallbackResult>
}

/**
 * Begins to tell the host who is there. Whoever comes or leaves next does not wait for a host that is slow.
 * Source: docs/document-server-protocol.md#coming-and-going-1-and-4
 */
export async function announce (parts: SessionParts, document: OpenDocument, url: string | null, fields: CallbackFields): Promise<Announced> {
  const { closing, host, time } = parts
  const life = host.life()
  const done = new AbortController()
  const answered = aside(parts, async () => await report(parts, document, url, fields)).finally(() => done.abort())
  answered.catch(() => {}) // not everybody waits for it
  await time.pause(SLOW_MS, AbortSignal.any([done.signal, closing, life]))
  if (life.aborted) throw new CrashedError()
  return { answered }
}

/** Makes attempts until one is answered for good, or until it is called off in between. */
export async function untilAnswered (parts: SessionParts, attempt: () => Promise<CallbackResult>, isCalledOff: () => boolean): Promise<CallbackResult> {
  let result = await attempt()
  for (const delay of RETRIES_MS) {
    if (result.status === null || !isTransient(result) || parts.closing.aborted) break
    await parts.time.pause(delay, AbortSignal.any([parts.closing, parts.host.life()]))
    if (isCalledOff()) break
    result = await attempt()
  }
  return result
}

function atOrigin (fields: CallbackFields, origin: string): CallbackFields {
  const moved = (address: string | undefined) => address?.replace(/^https?:\/\/[^/]+/, origin)
  return { ...fields, url: moved(fields.url), changesurl: moved(fields.changesurl), formsdataurl: moved(fields.formsdataurl) }
}
