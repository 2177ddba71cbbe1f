import { type CallbackFields, isTransient, NOTHING_SENT, sendCallback } from '../outbound/callbacks.js'
import { CrashedError } from '../outbound/client.js'
import type { OpenDocument } from './open-document.js'
import type { Parts } from '../parts.js'
import type { Participant } from './participants.js'
import type { CallbackResult } from '../../../types/session.js'

// Only after 429, 5xx and no answer. Source:
// docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
const RETRIES_MS = [1000, 2000, 4000]
const MAX_PRESENCE_WAIT_MS = 50
// Source: recorded message to the editor.
const NOT_SUBSCRIBED = { type: 'warning', message: 'Error on save server subscription!' } as const

/** A callback that has been sent and may not be answered yet. */
export interface PendingCallback {
  readonly answer: Promise<CallbackResult>
}

/** Posts a callback once, applying the faults of the route `callback`. */
export async function postCallback (parts: Parts, url: string | null, fields: CallbackFields): Promise<CallbackResult> {
  if (url === null) return NOTHING_SENT
  const isFinished = fields.status === 2 || fields.status === 3
  const fault = parts.faults.take('callback', ({ type }) => type !== 'reorder' || !isFinished)
  const sent = fault?.type === 'origin' ? withOrigin(fields, fault.origin) : fields
  const send = async () => await sendCallback(parts.client, url, sent)
  if (fault?.type === 'reorder') {
    parts.heldCallbacks.set(fields.key, send)
    return NOTHING_SENT
  }
  const result = await send()
  if (fault?.type === 'duplicate') await send()
  const held = parts.heldCallbacks.get(fields.key)
  parts.heldCallbacks.delete(fields.key)
  await held?.()
  return result
}

/** Posts a 1 or a 4: who is present. Warns everybody who is connected when the application refuses it. */
export async function postPresence (
  parts: Parts,
  document: OpenDocument,
  url: string | null,
  fields: CallbackFields
): Promise<CallbackResult> {
  return await reported(parts, document, postCallback(parts, url, fields))
}

async function reported (
  parts: Parts,
  document: OpenDocument,
  posted: Promise<CallbackResult>
): Promise<CallbackResult> {
  const result = await posted
  if (result.status === null || result.accepted) return result
  // Whoever joins has joined before they hear of an answer that was cut off. Source: observed.
  if (result.httpStatus === null) await new Promise(resolve => setImmediate(resolve))
  parts.log.warn({ key: document.key, ...result }, 'the application refused a presence callback')
  for (const listener of [...document.departed, ...document.participants.values()]) listener.notify(NOT_SUBSCRIBED)
  return result
}

/**
 * Posts a 1 or a 4 and waits only briefly for the answer: a slow application does not delay the next participant.
 * Source: docs/document-server-protocol.md#coming-and-going-1-and-4
 */
export async function startPresence (
  parts: Parts,
  document: OpenDocument,
  url: string | null,
  fields: CallbackFields
): Promise<PendingCallback> {
  const { closing, client, tasks, time } = parts
  const crashSignal = client.crashSignal()
  const done = new AbortController()
  const posted = tasks.alongside(async () => await postCallback(parts, url, fields))
  const answer = tasks.track(reported(parts, document, posted)).finally(() => done.abort())
  posted.then(({ httpStatus }) => { if (httpStatus === null) done.abort() }, () => {})
  answer.catch(() => {}) // not every caller waits for it
  await time.pause(MAX_PRESENCE_WAIT_MS, AbortSignal.any([done.signal, closing, crashSignal]))
  if (crashSignal.aborted) throw new CrashedError()
  return { answer }
}

/** Repeats an attempt after transient failures, until the retries are used up or the save is cancelled. */
export async function withRetries (
  parts: Parts,
  attempt: () => Promise<CallbackResult>,
  isCancelled: () => boolean
): Promise<CallbackResult> {
  let result = await attempt()
  for (const delay of RETRIES_MS) {
    if (result.status === null || !isTransient(result) || parts.closing.aborted) break
    await parts.time.pause(delay, AbortSignal.any([parts.closing, parts.client.crashSignal()]))
    if (isCancelled()) break
    result = await attempt()
  }
  return result
}

/** The participant's callback URL, else that of the last participant who had one. */
export function callbackUrlOf ({ lastCallbackUrl }: OpenDocument, { callbackUrl }: Participant): string | null {
  return callbackUrl ?? lastCallbackUrl
}

function withOrigin (fields: CallbackFields, origin: string): CallbackFields {
  const moved = (url: string | undefined) => url?.replace(/^https?:\/\/[^/]+/, origin)
  return {
    ...fields,
    url: moved(fields.url),
    changesurl: moved(fields.changesurl),
    formsdataurl: moved(fields.formsdataurl)
  }
}
