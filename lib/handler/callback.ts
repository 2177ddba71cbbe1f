import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallbackEvent, FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import type { EditorOptions } from '../../types/options.js'
import { InvalidCallbackError } from '../errors.js'
import type { Settings } from '../options.js'
import type { SaveOutcome, SavePlace, Saves } from '../save/save.js'
import type { Sessions } from '../save/sessions.js'
import { parseHttpUrl } from '../security/http-url.js'
import { within } from '../within.js'
import { toEvent, toSavedEvent } from './callback-event.js'
import type { Credentials } from './credentials.js'
import type { HandlerRequest } from './route.js'

interface Dependencies {
  readonly settings: Settings
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly saves: Saves
}

/**
 * Receives an editing event of the document server. A rejection is answered `{"error":1}` by the route:
 * the document server then keeps what it has.
 */
export function createCallbackHandler ({ settings, credentials, sessions, saves }: Dependencies) {
  return async function handleCallback (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { fileId } = request.query
    if (!fileId) throw new InvalidCallbackError('its URL has no fileId')
    const callback = credentials.readCallback(request, fileId)
    // Nobody's save waits for what anyone can send.
    if (callback.missing) await credentials.checkCallback(request, fileId, callback)
    // Taken at once: whatever the host does before its save, saves are applied in the order they arrived.
    const place = saves.enter(fileId)
    try {
      if (!callback.missing) await credentials.checkCallback(request, fileId, callback)
      const event = toEvent(fileId, callback.fields)
      await tell(request, 'onCallback', event)
      await act(request, event, place)
    } finally {
      place.leave()
    }
    return answer(reply, 0)
  }

  async function act (request: FastifyRequest, event: CallbackEvent, place: SavePlace): Promise<void> {
    const { fileId, key } = event
    if (event.status === 2 || event.status === 6) {
      if (event.url) return await saveFrom(request, event, event.url, place)
      request.log.warn({ fileId, status: event.status }, 'a save without a url: nothing to store')
      if (key && event.status === 2) await sessions.lost(fileId, key)
    } else if (event.status === 1) {
      if (key) await sessions.began(fileId, key)
    } else if (event.status === 4) {
      if (key) await sessions.ended(fileId, key)
    } else if (event.status === 3) {
      request.log.error({ fileId, key }, 'the document server could not assemble the edited document')
      // The document server deletes the user's changes when this is acknowledged (protocol, section 2).
      if (settings.onCorrupted === 'discard') return key ? await sessions.lost(fileId, key) : undefined
      await noteRefused(request, event)
      throw new InvalidCallbackError('the edited document could not be assembled, the document server keeps the changes')
    }
  }

  /** The document server gives it back to whoever opens the same key. */
  async function noteRefused ({ log }: FastifyRequest, { fileId, key }: CallbackEvent): Promise<void> {
    if (!key) return
    await sessions.refused(fileId, key).catch(err => log.error({ err, fileId, key }, 'the refused save could not be noted'))
  }

  async function saveFrom (request: FastifyRequest, event: FinishedEvent | ForceSavedEvent, url: string, place: SavePlace): Promise<void> {
    const { fileId, key, status, filetype, lastsave } = event
    const oldestChange = event.history?.changes?.[0]?.created?.replace(/(?<=\d) (?=\d)/, 'T').concat('Z')
    const notmodified = status === 2 && event.notmodified === true
    let outcome: SaveOutcome | null
    try {
      outcome = await place.save({ fileId, status, url: parseHttpUrl(url), key, lastsave, oldestChange, filetype, notmodified })
    } catch (error) {
      if (status === 2) await noteRefused(request, event)
      throw error
    }
    if (!outcome) return
    const { info, isConflict } = outcome
    const { size } = info
    if (isConflict) request.log.warn({ fileId, key, status, size, conflictFileId: info.fileId }, 'the document was changed by someone else during its session: what was edited is stored as another document')
    else request.log.info({ fileId, key, status, size }, 'document saved')
    await tell(request, 'onSaved', toSavedEvent(event, outcome))
  }

  /** What a host's listener throws is the host's own affair: the answer to the document server stays as it is. */
  async function tell<Name extends 'onCallback' | 'onSaved'> (request: FastifyRequest, name: Name, event: Parameters<NonNullable<EditorOptions[Name]>>[0]): Promise<void> {
    const listener = settings[name] as ((event: object) => void | Promise<void>) | undefined
    if (!listener) return
    try {
      await within(settings.timeouts.host, name, () => listener(event))
    } catch (error) {
      request.log.error({ err: error }, `${name} failed`)
    }
  }
}

/** The specification's answer, byte for byte: Fastify would add a charset to a text. */
export function answer (reply: FastifyReply, error: 0 | 1): FastifyReply {
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}
