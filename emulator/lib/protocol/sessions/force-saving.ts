import { NOTHING_SENT } from '../outbound/callbacks.js'
import { resultFolder } from '../result-files/files.js'
import { assemble, lastChangeTime } from './assembly.js'
import { callbackUrlOf, postCallback } from './callbacks.js'
import type { Change, ForceSave, OpenDocument, PreparedForceSave } from './open-document.js'
import { keepForgottenFile } from './forgotten.js'
import type { Parts } from '../parts.js'
import { editors, type Participant } from './participants.js'
import type { CallbackResult, ForceSaveOptions } from '../../../types/session.js'

/** The field `forcesavetype`. Source: docs/document-server-protocol.md#forced-6-and-7 */
const TYPES = { command: 0, button: 1, timer: 2, form: 3 } as const

/** Source: the document server's command error codes. */
export const FORCE_SAVE = { started: 0, notNow: 3, nothingNew: 4 } as const

/** While nobody edits. Source: docs/document-server-protocol.md#forcesave */
const WHILE_SAVING = {
  'not now': FORCE_SAVE.notNow,
  'under way': FORCE_SAVE.nothingNew,
  started: FORCE_SAVE.started
} as const
// Source: recorded. One that came 56 ms later was told that nothing is new.
const TOGETHER_MS = 50

/** Who requests a force save, and how. */
export interface ForceSaveRequest extends Omit<ForceSaveOptions, 'userdata'> {
  /** Any JSON. Falsy values are dropped. */
  readonly userdata?: unknown
  /** The editor who pressed the button or submitted the form. */
  readonly requester?: Participant
  /** The document is assembled at once; the callback is posted when this has settled. */
  readonly mayPost?: Promise<unknown>
}

export interface StartedForceSave {
  readonly code: typeof FORCE_SAVE[keyof typeof FORCE_SAVE]
  /** The application's answer, or `NOTHING_SENT`. */
  readonly result: Promise<CallbackResult>
}

/**
 * Starts to save the current changes. Resolves at once; the 6 or 7 follows when the document is assembled. A force save
 * that was refused or corrupted is posted again unchanged; then this resolves when the application has answered.
 */
export async function startForceSave (
  parts: Parts,
  document: OpenDocument,
  request: ForceSaveRequest
): Promise<StartedForceSave> {
  const { forceSave } = document
  const nothing = (code: StartedForceSave['code']): StartedForceSave => ({
    code,
    result: Promise.resolve(NOTHING_SENT)
  })
  const outcome = previousOutcome(document, request)
  // A finished save is about to be made, or under way: it is what is answered to have started.
  if ((outcome === null || outcome === 'refused') && document.changes.length > 0 && editors(document).length === 0) {
    return nothing(WHILE_SAVING[document.askedToForceSave(parts.time.now())])
  }
  switch (outcome) {
    case null:
      return { code: FORCE_SAVE.started, result: run(parts, document, request) }
    case 'refused':
      return { code: FORCE_SAVE.started, result: Promise.resolve(await repeat(parts, document, request, forceSave!)) }
    case 'failed':
      return nothing(FORCE_SAVE.notNow)
    case 'accepted':
    case 'under way':
      if (request.type === 'command' && isRival(parts, forceSave, outcome)) {
        document.updateForceSave(forceSave!, { hasRival: true })
        return nothing(FORCE_SAVE.notNow)
      }
      if (isByButton(request)) request.requester?.notify({ type: 'forceSaveStarted', code: FORCE_SAVE.nothingNew })
      return nothing(FORCE_SAVE.nothingNew)
  }
}

/** Of those that arrive together, one starts, one is refused, and to the others nothing is new. */
function isRival ({ time }: Parts, forceSave: ForceSave | null, outcome: 'accepted' | 'under way'): boolean {
  return outcome === 'under way' && forceSave !== null && !forceSave.hasRival &&
    time.now() - forceSave.startedAt < TOGETHER_MS
}

/**
 * The outcome of an equal force save; `null` when there was none. Submitting a form differs from saving, and needs no
 * change.
 */
function previousOutcome (
  { changes, forceSave, lastCallbackUrl }: OpenDocument,
  { type, requester }: ForceSaveRequest
): ForceSave['outcome'] | null {
  const equal = forceSave?.changes === changes.length ? forceSave : null
  const isForm = type === 'form' && requester !== undefined
  if (changes.length === 0 && !isForm) return 'accepted'
  if (equal === null || (equal.outcome !== 'under way' && equal.isForm !== isForm)) {
    return lastCallbackUrl === null
      ? 'accepted'
      : null
  }
  return equal.outcome
}

async function run (parts: Parts, document: OpenDocument, request: ForceSaveRequest): Promise<CallbackResult> {
  const { mayPost, requester, type, userdata } = request
  const now = parts.time.now()
  const forceSave = document.startForceSave(type === 'form', now)
  // An unchanged form counts as a change by the editor who submits it.
  const changes: readonly Change[] = document.changes.length === 0
    ? [{ user: requester!, at: now, made: { op: 'form' } }]
    : [...document.changes]
  const changer = changes.at(-1)!.user
  const fixed = {
    folder: resultFolder(document.key),
    changer,
    userdata: userdata || undefined,
    lastsave: lastChangeTime({ changes }, now)
  }
  notifyStarted(document, request)
  return await parts.tasks.alongside(async () => {
    const assembled = await assemble(parts, document, fixed.folder, { changes, isForm: forceSave.isForm })
    const prepared = { ...fixed, ...assembled }
    document.updateForceSave(forceSave, { prepared })
    if (!mayFollow(document, forceSave)) {
      // A finished save is under way or done: no force save may follow it.
      document.updateForceSave(forceSave, { outcome: prepared.assembled === null ? 'failed' : 'refused' })
      return NOTHING_SENT
    }
    document.updateForceSave(forceSave, { mayPost })
    await mayPost
    return conclude(parts, document, request, forceSave, await post(parts, document, request, prepared))
  })
}

async function repeat (
  parts: Parts,
  document: OpenDocument,
  request: ForceSaveRequest,
  forceSave: ForceSave
): Promise<CallbackResult> {
  return await parts.tasks.alongside(async () => {
    const result = mayFollow(document, forceSave)
      ? await post(parts, document, request, forceSave.prepared!, { encrypted: false })
      : NOTHING_SENT
    notifyStarted(document, request)
    return conclude(parts, document, request, forceSave, result)
  })
}

/** Whether a 6 may be posted: not once the document has been saved for good. Viewers submit forms, too. */
function mayFollow (document: OpenDocument, { isForm }: ForceSave): boolean {
  return isForm
    ? document.save === null && document.viewOnlySince === null
    : editors(document).length > 0
}

/**
 * A force save by button or form goes to the requester's callback URL, but `users` names the user of the latest change.
 */
async function post (
  parts: Parts,
  document: OpenDocument,
  request: ForceSaveRequest,
  prepared: PreparedForceSave,
  more: { encrypted?: false } = {}
): Promise<CallbackResult> {
  const { assembled, changer, folder, lastsave, succeeded, userdata } = prepared
  const { requester, type = 'button', formData } = request
  const author = type === 'button' || type === 'form' ? requester : undefined
  const url = callbackUrlOf(document, author ?? changer)
  if (url === null || changer.userId === '') {
    if (assembled !== null) keepForgottenFile(parts, document, assembled.bytes)
    return NOTHING_SENT
  }
  return await postCallback(parts, url, {
    key: document.key,
    status: succeeded ? 6 : 7,
    users: [changer.userId],
    actions: author === undefined ? undefined : [{ type: 2, userid: author.userId }],
    userdata,
    lastsave,
    forcesavetype: TYPES[type],
    formsdataurl: type === 'form' ? formsDataUrl(parts, document, folder, formData) : undefined,
    ...more,
    ...assembled?.fields(document.baseUrl)
  })
}

function conclude (
  parts: Parts,
  document: OpenDocument,
  { type }: ForceSaveRequest,
  forceSave: ForceSave,
  result: CallbackResult
): CallbackResult {
  const { assembled, succeeded } = forceSave.prepared!
  const accepted = result.accepted && succeeded
  // A form may be submitted again and again.
  const outcome = assembled === null ? 'failed' : accepted && !forceSave.isForm ? 'accepted' : 'refused'
  document.updateForceSave(forceSave, { outcome })
  if (accepted) document.saves.accepted(assembled!.edits, result)
  else parts.log.warn({ key: document.key, ...result }, 'a force save failed')
  if (type !== 'command') {
    for (const editor of editors(document)) editor.notify({ type: 'forceSaved', accepted })
  }
  return result
}

function notifyStarted (document: OpenDocument, { type, requester }: ForceSaveRequest): void {
  const notified = type === 'command'
    ? []
    : type === 'timer' || requester === undefined
      ? editors(document)
      : [requester]
  for (const editor of notified) editor.notify({ type: 'forceSaveStarted' })
}

function isByButton ({ type = 'button' }: ForceSaveRequest): boolean {
  return type === 'button'
}

function formsDataUrl ({ files }: Parts, { key, baseUrl }: OpenDocument, folder: string, formData: unknown): string {
  const path = files.put(
    `${folder}/formsdata.json`,
    'formsdata.json',
    Buffer.from(JSON.stringify(formData === undefined ? [] : formData)),
    'json'
  )
  return files.urlOf(path, baseUrl, key)
}
