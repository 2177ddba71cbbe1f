import type { FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { CallbackEvent, FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import { documentTypeOf } from '../document-server/formats.js'
import { InvalidCallbackError } from '../errors.js'
import type { Settings } from '../options.js'
import type { Place } from '../queue.js'
import type { SaveOutcome } from '../save/save.js'
import type { Saving } from '../save/saves.js'
import { parseHttpUrl } from '../security/http-url.js'
import { toEvent } from './callback-event.js'
import type { Credentials } from './credentials.js'
import type { HostListeners } from './listeners.js'
import type { HandlerRequest } from './route.js'

interface Dependencies {
  readonly settings: Settings
  readonly credentials: Credentials
  readonly saving: Pick<Saving, 'sessions' | 'save' | 'enter'>
  readonly tell: HostListeners
}

type SaveEvent = FinishedEvent | ForceSavedEvent

/** The document server waits for an answer before it goes on, while a save that came before may take minutes. */
const ANSWERED_AFTER_MS = 1000

/**
 * Receives an editing event of the document server. A rejection is answered `{"error":1}` by the route:
 * the document server then keeps what it has.
 */
export function createCallbackHandler ({ settings, credentials, saving: { sessions, save, enter }, tell }: Dependencies) {
  return async function handleCallback (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const fileId = request.query.fileId! // else it was refused before its body was read
    const callback = credentials.readCallback(request, fileId)
    // Nobody's save waits for what anyone can send.
    if (callback.missing) await credentials.checkCallback(request, fileId, callback)
    // Taken at once: whatever the host does before its save, callbacks are applied in the order they arrived.
    const place = enter(fileId)
    try {
      if (!callback.missing) await credentials.checkCallback(request, fileId, callback)
      const event = toEvent(fileId, callback.fields)
      await tell('onCallback', event)
      await act(request, event, place)
    } finally {
      place.leave()
    }
    return answer(reply, 0)
  }

  async function act ({ log }: FastifyRequest, event: CallbackEvent, place: Place): Promise<void> {
    const { fileId, key } = event
    if (event.status === 2 || event.status === 6) {
      if (event.url) return await saveFrom(log, event, event.url, place)
      log.warn({ fileId, status: event.status }, 'a save without a url: nothing to store')
      if (key && event.status === 2) await noteSoon(log, place, async () => await sessions.lost(fileId, key))
    } else if (event.status === 1) {
      if (key) await noteSoon(log, place, async () => await sessions.began(fileId, key))
    } else if (event.status === 4) {
      if (key) await noteSoon(log, place, async () => await sessions.ended(fileId, key))
    } else if (event.status === 3) {
      log.error({ fileId, key }, 'the document server could not assemble the edited document')
      // The document server deletes the user's changes when this is acknowledged.
      // Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
      if (settings.onCorrupted === 'discard') return key ? await noteSoon(log, place, async () => await sessions.lost(fileId, key)) : undefined
      await noteSoon(log, place, async () => await noteRefused(log, event))
      throw new InvalidCallbackError('the edited document could not be assembled, the document server keeps the changes')
    }
  }

  async function noteSoon (log: FastifyRequest['log'], place: Place, note: () => Promise<void>): Promise<void> {
    const noted = place.run(note)
    let isAnswered = false
    noted.catch(err => { if (isAnswered) log.error({ err }, 'what became of a session could not be noted') })
    await Promise.race([noted, delay(ANSWERED_AFTER_MS, undefined, { ref: false })])
    isAnswered = true
  }

  /** The document server gives it back to whoever opens the same key. */
  async function noteRefused (log: FastifyRequest['log'], { fileId, key }: CallbackEvent): Promise<void> {
    if (!key) return
    await sessions.refused(fileId, key).catch(err => log.error({ err, fileId, key }, 'the refused save could not be noted'))
  }

  async function saveFrom (log: FastifyRequest['log'], event: SaveEvent, url: string, place: Place): Promise<void> {
    const { fileId, key, status, lastsave, users } = event
    const filetype = event.filetype !== undefined && documentTypeOf(event.filetype) ? event.filetype : undefined // no other can be followed
    const oldestChange = event.history?.changes?.[0]?.created?.replace(/(?<=\d) (?=\d)/, 'T').concat('Z')
    const notmodified = status === 2 && event.notmodified === true
    const outcome = await place.run(async () => {
      try {
        return await save({ fileId, status, url: parseHttpUrl(url), key, lastsave, oldestChange, filetype, notmodified, users })
      } catch (error) {
        if (status === 2) await noteRefused(log, event)
        await tell.saveFailed(event, error as Error)
        throw error
      }
    })
    report(log, event, outcome)
  }
}

function report (log: FastifyRequest['log'], { fileId, key, status, lastsave }: SaveEvent, outcome: SaveOutcome): void {
  if (outcome === 'overtaken') log.warn({ fileId, key, status, lastsave }, 'a force save was not stored: by the clock of the document server it is older than what is stored. Was that clock set back? The finished save is stored whatever its time')
  if (typeof outcome === 'string') return
  const { size, conflictReason: reason, conflictFileId } = outcome
  if (reason === undefined) log.info({ fileId, key, status, size }, 'document saved')
  else log.warn({ fileId, key, status, size, conflictFileId }, `${CONFLICTS[reason]}: what was edited is stored as another document`)
}

const CONFLICTS = {
  changed: 'the document was changed by someone else during its session',
  format: 'another document has the name that this one would have in its new format'
}

/** The specification's answer, byte for byte: Fastify would add a charset to a text. */
export function answer (reply: FastifyReply, error: 0 | 1): FastifyReply {
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}
