import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { CallbackEvent, CorruptedEvent, FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import { codeOf } from '../diagnostics.js'
import { documentTypeOf } from '../document-server/formats.js'
import { CorruptedDocumentError, FileNotFoundError, InvalidCallbackError } from '../errors.js'
import type { Settings } from '../options.js'
import { callbackUrl } from '../outbound/result-urls.js'
import { createFormSubmissions } from '../save/form-submissions.js'
import { messageForUsers, refusedIdentityOf, type SaveRequest } from '../save/save-request.js'
import type { SaveOutcome } from '../save/saves.js'
import type { ForceSaveRelation } from '../sessions/force-save-notes.js'
import { digest } from '../util/text.js'
import type { Parts } from '../parts.js'
import { type EndedSave, publishRefused, reportSave } from './callback-reports.js'
import { answerCallback, type HandlerRequest, notesOf } from './request.js'
import { isCallbackPayload, optionalFields } from './request.compiled.js'
import type { CallbackPayload } from './request.schema.js'

type SaveEvent = FinishedEvent | ForceSavedEvent

const FIELDS_OF_SAVES = ['filetype', 'changesurl', 'history', 'lastsave', 'notmodified'] as const
const KNOWN_STATUSES: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 6, 7])

/** A submitted form. Source: emulator/docs/document-server-protocol.md#forced-6-and-7 */
const FORM = 3

/** Type of an action. Source: emulator/docs/document-server-protocol.md#coming-and-going-1-and-4 */
const JOINED = 1

const NO_URL = 'it announces a final save without the url of the document'

/** The document server waits for the answer before it continues, and an earlier save of the file may take minutes. */
const ANSWER_AFTER_MS = 1000

/**
 * Handles a callback. When it rejects, the route answers `{"error":1}` and the document server keeps what it has.
 * What the statuses mean: emulator/docs/document-server-protocol.md#callbacks
 */
export function createCallbackHandler (parts: Parts) {
  const { settings, credentials, sessions, saves, forceSaves, hooks } = parts
  const { onFormSubmitted } = settings
  const submitForm = createFormSubmissions(settings, saves, onFormSubmitted && (async event => {
    const { fileId, key } = event
    await hooks.run(context => onFormSubmitted(event, context), { name: 'onFormSubmitted', fileId, key }, false)
  }))

  return async function handleCallback (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const ended = await handle(request, reply).catch(error => {
      publishRefused(request, reply, { error, isProven: credentials.proofOf(request).isProven })
      throw error
    })
    if (ended) reportSave(reply, ended)
    return answerCallback(reply, 0)
  }

  /** Resolves to the outcome of a save, or to `undefined` if the callback does not announce one. */
  async function handle (request: HandlerRequest, reply: FastifyReply): Promise<EndedSave | undefined> {
    const { log, query } = request
    const fileId = query.fileId! // without one the callback was refused before its body was read
    // Only proven callbacks of the document server enter the queue: others would delay saves.
    const fields = credentials.verifyCallback(request, fileId)
    const received = receive(request, fileId, fields)
    // Enters the queue before the hooks have finished: callbacks are applied in the order in which they arrived.
    const arrival = forceSaves.arrived(fileId)
    const applied = saves.queue.enter(fileId, async turn => {
      const event = await received
      if (isSubmittedForm(event)) return undefined
      // A submitted form that is stored as a force save does not answer a force save of this application.
      const relation = isForm(event) ? undefined : arrival.relationOf(event)
      await turn
      return await apply(log, event, relation, () => !(reply.raw.closed || reply.raw.destroyed))
    }).finally(arrival.applied)
    let isAnswered = false
    applied.catch(err => { if (isAnswered) log.error({ err }, 'a session change could not be recorded') })
    const event = await received
    if (isSubmittedForm(event)) {
      const handOver = submitForm(event) // without a recipient of the form, no save has failed
      try {
        await handOver()
      } catch (error) {
        await hooks.saveFailed(event, error as Error)
        throw error
      }
      return { callback: event, outcome: 'submitted' }
    }
    if (isSave(event) && event.url !== undefined) return { callback: event, outcome: await applied ?? 'empty' }
    if (changesSession(event)) await waitAtMost(ANSWER_AFTER_MS, applied)
    isAnswered = true

    // If a status 3 is acknowledged, the document server deletes the users' changes.
    // Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
    if (event.status === 3 && settings.policies.corrupted === 'keep') throw new CorruptedDocumentError()
    if (isLostSave(event)) throw new InvalidCallbackError(NO_URL)
    if (isUnknownSave(event) && settings.policies.corrupted === 'keep') throw new InvalidCallbackError(`it announces a save with the status ${event.status as number}, which this version of the library does not know: update the library`)
    if (isSave(event)) return { callback: event, outcome: 'empty' }
    return event.status === 3 || event.status === 7 ? { callback: event, outcome: 'not-assembled' } : undefined
  }

  /**
   * Whether the answers of a form go to the hook or are refused, and the document is not changed. Everybody who sees a
   * document can submit it, so storing it would let viewers change it. Without tokens, everybody who knows the callback
   * URL can change it anyway: then a form without a hook is stored as a force save.
   *
   * The answers and the saves of the file do not wait for each other.
   */
  function isSubmittedForm (event: CallbackEvent): event is ForceSavedEvent {
    return isForm(event) && (settings.requireToken || onFormSubmitted !== undefined)
  }

  async function receive (request: HandlerRequest, fileId: string, fields: unknown) {
    await credentials.authorizeCallback(request, fileId)
    const event = toEvent(fileId, fields)
    notesOf(request).callback = event
    await hooks.call('onCallback', event)
    // Logged at once: an earlier save of the file may take minutes.
    if (event.status === 3) {
      request.log.error({ fileId, key: event.key }, 'the document server could not assemble the edited document')
    }
    return event
  }

  async function apply (
    log: FastifyBaseLogger, event: CallbackEvent, relation: ForceSaveRelation | undefined, isAwaited: () => boolean
  ): Promise<SaveOutcome | undefined> {
    const { fileId, key } = event
    if (isSave(event)) return await applySave(log, event, relation, isAwaited)
    if (!key) return undefined
    if (event.status === 1) {
      // A callback that the command `info` caused names nobody.
      const joined = (event.actions ?? []).filter(({ type }) => type === JOINED).map(({ userid }) => userid)
      await sessions.started(fileId, key, event.users, joined)
    }
    if (event.status === 4) await sessions.closed(fileId, key)
    if (event.status === 3) {
      await (settings.policies.corrupted === 'keep'
        ? noteRefusedSave(log, event, new CorruptedDocumentError())
        : sessions.discarded(fileId, key, event.users))
    }
    if (event.status === 3 || event.status === 7) await forceSaves.failed(event, relation)
    return undefined
  }

  /** Resolves to `undefined` if there is nothing to fetch. */
  async function applySave (
    log: FastifyBaseLogger, event: SaveEvent, relation: ForceSaveRelation | undefined, isAwaited: () => boolean
  ): Promise<SaveOutcome | undefined> {
    const { fileId, key, status, url, users } = event
    const discarded = async () => { if (key && status === 2) await sessions.discarded(fileId, key, users) }
    if (!url) {
      await (isLostSave(event) ? noteRefusedSave(log, event, new InvalidCallbackError(NO_URL)) : discarded())
      await forceSaves.failed(event, relation)
      return undefined
    }
    try {
      const request = { ...saveRequest(settings, event), relation, isAwaited }
      const outcome = await saves.save(request)
      if (outcome === 'missing') {
        await discarded()
        await forceSaves.failed(event, relation, new FileNotFoundError())
      }
      if (outcome === 'repeated' && key && status === 2 && isAwaited()) await sessions.finished(fileId, key, users)
      if (outcome === 'repeated' || outcome === 'superseded') await forceSaves.skipped(request)
      return outcome
    } catch (error) {
      if (event.status === 2) await noteRefusedSave(log, event, error as Error, isAwaited())
      await forceSaves.failed(event, relation, error as Error)
      await hooks.saveFailed(event, error as Error)
      throw error
    }
  }

  /** A final save without a URL. If the plugin acknowledged it, the document server would delete its content. */
  function isLostSave (event: CallbackEvent): event is FinishedEvent {
    return event.status === 2 && event.url === undefined && settings.policies.corrupted === 'keep'
  }

  /** The document server keeps the save, and restores it when the same key is opened again. */
  async function noteRefusedSave (
    log: FastifyBaseLogger, event: FinishedEvent | CorruptedEvent, error: Error, isHeard = true
  ) {
    const { fileId, key, users } = event
    if (!key) return
    const reason = { code: codeOf(error), ...messageForUsers(error) }
    await sessions.saveRefused(fileId, refusedIdentityOf({ ...event, key }), reason, users, isHeard).catch(err =>
      log.error({ err, fileId, key }, 'the refused save could not be recorded')
    )
  }
}

/**
 * Waits for a promise, at most until the time limit. Leaves no timer behind, because timers of thousands of callbacks a
 * second would add up.
 */
async function waitAtMost (milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<void>(resolve => { timer = setTimeout(resolve, milliseconds).unref() })
  try {
    await Promise.race([promise, timeUp])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a callback with nothing to store changes the record. */
function changesSession ({ key, status }: CallbackEvent): boolean {
  return key !== undefined && (status === 1 || status === 2 || status === 3 || status === 4)
}

function isForm ({ status, forcesavetype }: CallbackEvent): boolean {
  return status === 6 && forcesavetype === FORM
}

function isSave (event: CallbackEvent): event is SaveEvent {
  return event.status === 2 || event.status === 6
}

/**
 * Whether a callback with an unknown status has one of the fields that only saves have: the document server may delete
 * a save that is acknowledged.
 * Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
function isUnknownSave (
  event: Partial<Record<typeof FIELDS_OF_SAVES[number], unknown>> & { readonly status: number }
): boolean {
  return !KNOWN_STATUSES.has(event.status) && FIELDS_OF_SAVES.some(name => event[name] !== undefined)
}

function saveRequest (settings: Settings, event: SaveEvent): SaveRequest {
  const { fileId, key, status, lastsave, users, changesurl } = event
  const first = event.history?.changes?.[0]
  return {
    fileId,
    status,
    url: callbackUrl(settings, 'url', event),
    key: key === '' ? undefined : key,
    lastsave,
    oldestChange: first?.created?.replace(/(?<=\d) (?=\d)/, 'T').concat('Z'),
    firstChange: first?.created && digest(first.created, first.user?.id ?? ''),
    fileType: event.filetype !== undefined && documentTypeOf(event.filetype) ? event.filetype : undefined,
    notmodified: status === 2 && event.notmodified === true,
    users,
    history: event.history,
    changesUrl: changesurl === undefined ? undefined : () => callbackUrl(settings, 'changesurl', event)
  }
}

const validators = Object.entries(optionalFields)

/** The event of a callback: its fields without the token and the token's own claims. Throws `InvalidCallbackError`. */
function toEvent (fileId: string, claims: unknown): CallbackEvent {
  if (!isCallbackPayload(claims)) {
    throw new InvalidCallbackError('it must be an object with an integer status and, for a save, a string url')
  }
  const { token, iat, exp, nbf, operation, ...fields } = claims as CallbackPayload & Record<string, unknown>
  // JSON.parse makes `__proto__` an own property: copying the event would set a prototype.
  if (Object.hasOwn(fields, '__proto__')) Reflect.deleteProperty(fields, '__proto__')
  for (const [name, isValid] of validators) {
    if (name in fields && !isValid(fields[name])) delete fields[name]
  }
  if (typeof fields.filetype === 'string') fields.filetype = fields.filetype.toLowerCase()
  return Object.freeze(Object.assign(fields, { fileId }) as CallbackEvent) // a hook must not change it
}
