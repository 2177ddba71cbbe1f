import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { SaveMessage } from '../../types/diagnostics.js'
import type { CallbackEvent } from '../../types/events.js'
import { channels, codeOf } from '../diagnostics.js'
import type { SaveOutcome } from '../save/saves.js'
import { createLimiter } from '../util/limits.js'
import { withoutUndefined } from '../util/validate.js'
import { namedFileId, notesOf } from './request.js'

/** The outcome of a save that a callback announced and that was not refused. */
export interface EndedSave {
  readonly callback: CallbackEvent
  readonly outcome: SaveOutcome | 'empty' | 'not-assembled' | 'submitted'
}

/** Logs the outcome of a save in one line, and publishes it. Never throws: an error would refuse the stored save. */
export function reportSave (reply: FastifyReply, { callback, outcome }: EndedSave): void {
  const message: SaveMessage = { ...callbackFields(callback), ...outcomeFields(outcome), durationMs: reply.elapsedTime }
  try {
    logSave(reply, message, callback)
  } catch (err) { // the application's logger threw it, such as a serializer
    try {
      reply.log.error({ err }, 'the outcome of a save could not be logged')
    } catch {}
  }
  channels.save.publish(message)
}

/** Publishes that a callback was refused, whether or not it was known to announce a save. The route logs the reason. */
export function publishRefused (
  request: FastifyRequest, reply: FastifyReply,
  { error, isProven }: { readonly error: unknown, readonly isProven: boolean }
): void {
  if (!channels.save.hasSubscribers) return
  const { callback } = notesOf(request)
  const fileId = namedFileId(request)
  channels.save.publish({
    ...(fileId !== undefined && { fileId }),
    ...(callback && callbackFields(callback)),
    outcome: isProven ? 'refused' : 'unproven',
    code: codeOf(error),
    durationMs: reply.elapsedTime
  })
}

/** The fields of a callback in log lines and messages. */
export function callbackFields ({ fileId, key, status }: CallbackEvent) {
  return withoutUndefined({ fileId, key, status })
}

function outcomeFields (ended: EndedSave['outcome']): Omit<SaveMessage, 'durationMs'> {
  if (typeof ended === 'string') return { outcome: ended }
  const { outcome, event: { stored: { fileId, size: bytes, revision }, conflict, rule } } = ended
  const copy = conflict && { conflictFileId: fileId, conflictReason: conflict.reason }
  return { ...withoutUndefined({ outcome, bytes, revision, rule }), ...copy }
}

function logSave ({ log }: FastifyReply, message: SaveMessage, { status, lastsave }: CallbackEvent): void {
  switch (message.outcome) {
    case 'stored': return log.info(message, 'document saved')
    case 'unchanged': return log.info(message, 'save skipped: content unchanged')
    case 'repeated': return log.info(message, 'duplicate save: already stored')
    case 'conflict':
      return log.warn(
        message,
        `${conflictExplanations[message.conflictReason!]}: the save is stored as a conflict copy`
      )
    case 'superseded':
      return log.warn(
        { ...message, lastsave },
        'a force save was not stored: by the document server\'s clock it is older than the stored content. Check whether that clock was set back. The final save is stored whatever its time'
      )
    case 'missing': return log.warn(message, 'a save was lost: its document no longer exists')
    case 'submitted': return log.info(message, 'form submitted')
    case 'empty': return log.warn(message, 'a save without a url: nothing to store')
    case 'not-assembled':
      if (status === 7) {
        log.warn(message, 'the document server could not assemble a force save: the changes remain in the session')
      }
  }
}

const conflictExplanations = {
  changed: 'someone else changed the document during the session',
  format: 'another document has the name that this one would get in its new format',
  frozen: 'the document is frozen, but somebody opened it for editing'
}

/** A reason may quote what the sender has chosen, such as names of headers. */
const MAX_REASON_CHARACTERS = 500

/**
 * Logs the refusal of a callback that may not come from the document server. Anybody can cause these lines as often as
 * they like. So they are few and short, and differ from the line of a refused save, which should alert somebody.
 */
export function createUnprovenLog () {
  const take = createLimiter({ amount: 10, interval: 60_000 })

  /**
   * `isUrlSigned`: the sender knows the callback URL: the document server, or a user for whom the document was opened.
   */
  return function logUnproven (
    request: FastifyRequest, reply: FastifyReply,
    { error, isUrlSigned }: { readonly error: FastifyError, readonly isUrlSigned: boolean }
  ): void {
    const { code, message, found } = error as FastifyError & { readonly found?: object }
    const { wait, refused: suppressed } = take(`${code} ${isUrlSigned}`)
    if (wait > 0) return
    request.log.warn({
      err: { code, message: message.slice(0, MAX_REASON_CHARACTERS), ...(found && { found }) },
      fileId: namedFileId(request),
      isUrlSigned,
      ...(suppressed > 0 && { suppressed }),
      durationMs: reply.elapsedTime
    }, 'an unproven callback was refused: if the document server sent it, it keeps the unsaved changes')
  }
}
