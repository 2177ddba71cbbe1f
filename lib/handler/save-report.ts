import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SaveMessage } from '../../types/diagnostics.js'
import type { CallbackEvent } from '../../types/events.js'
import { channels, codeOf } from '../diagnostics.js'
import type { SaveOutcome } from '../save/saves.js'
import { namedFileId } from './request.js'
import { notesOf } from './request-notes.js'

/** What became of the save that a callback announced, if it was not refused. */
export interface EndedSave {
  readonly callback: CallbackEvent
  readonly outcome: SaveOutcome | 'empty' | 'not-assembled'
}

/** Logs in one line what became of a save, and publishes it. Never throws: what is stored would be refused. */
export function reportSave (reply: FastifyReply, { callback, outcome }: EndedSave): void {
  const message: SaveMessage = { ...callbackFields(callback), ...outcomeFields(outcome), durationMs: reply.elapsedTime }
  try {
    logSave(reply, message, callback)
  } catch (err) { // of the application's logger, such as of a serializer
    try {
      reply.log.error({ err }, 'what became of a save could not be logged')
    } catch {}
  }
  channels.save.publish(message)
}

/** Publishes that a callback was refused, before or after it was known whether it announced a save. The route logs why. */
export function publishRefused (request: FastifyRequest, reply: FastifyReply, { error, isProven }: { readonly error: unknown, readonly isProven: boolean }): void {
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

/** What the log and a message say about a callback. */
export function callbackFields ({ fileId, key, status }: CallbackEvent): Pick<SaveMessage, 'fileId' | 'key' | 'status'> {
  return { fileId, ...(key !== undefined && { key }), status }
}

function outcomeFields (ended: EndedSave['outcome']): Omit<SaveMessage, 'durationMs'> {
  if (typeof ended === 'string') return { outcome: ended }
  const { outcome, event: { size: bytes, revision, conflictFileId, conflictReason } } = ended
  return { outcome, bytes, revision, ...(conflictFileId !== undefined && { conflictFileId }), ...(conflictReason && { conflictReason }) }
}

function logSave ({ log }: FastifyReply, message: SaveMessage, { status, lastsave }: CallbackEvent): void {
  switch (message.outcome) {
    case 'stored': return log.info(message, 'document saved')
    case 'unchanged': return log.info(message, 'save without changes: the same content is stored already')
    case 'repeated': return log.info(message, 'save repeated: it is stored already')
    case 'conflict': return log.warn(message, `${conflictExplanations[message.conflictReason!]}: the save is stored as a conflict copy`)
    case 'superseded': return log.warn({ ...message, lastsave }, 'a force save was not stored: by the document server\'s clock it is older than the stored content. Check whether that clock was set back. The final save is stored whatever its time')
    case 'missing': return log.warn(message, 'a save was lost: its document no longer exists')
    case 'empty': return log.warn(message, 'a save without a url: nothing to store')
    case 'not-assembled': if (status === 7) log.warn(message, 'the document server could not assemble a force save: the changes remain in the session')
  }
}

const conflictExplanations = {
  changed: 'someone else changed the document during the session',
  format: 'another document has the name that this one would have in its new format'
}
