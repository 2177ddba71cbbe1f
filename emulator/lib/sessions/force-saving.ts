import { NOTHING_SENT } from '../host/callbacks.js'
import { resultFolder } from '../results/files.js'
import { aside } from './aside.js'
import { type Assembly, assemble, lastSave } from './built.js'
import { deliver } from './delivery.js'
import { type Change, editors, type ForceSave, type OpenDocument, type Participant } from './documents.js'
import { callbackUrlOf, keepForgotten } from './leaving.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult, ForceSaveOptions } from '../../types/session.js'

/** The field `forcesavetype`. Source: docs/document-server-protocol.md#forced-6-and-7 */
const TYPES = { command: 0, button: 1, timer: 2, form: 3 } as const

/** Source: the document server's command error codes. */
export const FORCE_SAVE = { started: 0, failedBefore: 3, nothingNew: 4 } as const

/** What was put together, and what a repeat takes over from the first attempt. */
export interface Prepared extends Assembly {
  readonly folder: string
  readonly changer: Participant
  readonly userdata: unknown
  readonly lastsave: string
}

/** Who asks for a save by force, and how. */
export interface ForceSaver extends Omit<ForceSaveOptions, 'userdata'> {
  /** Any JSON; what JavaScript takes for false is dropped. */
  readonly userdata?: unknown
  readonly presser?: Participant
  /** The document is put together at once, but told of only when this is settled. */
  readonly announced?: Promise<unknown>
}

export interface StartedForceSave {
  readonly code: typeof FORCE_SAVE[keyof typeof FORCE_SAVE]
  /** What the host answers, or that nothing is sent. */
  readonly result: Promise<CallbackResult>
}

/**
 * Begins to save the changes there are: resolves at once, and the 6 or 7 follows when the document has been put together. What was
 * refused, and what was put together but corrupted, is posted again as it was: then this resolves when the host has answered.
 */
export async function startForceSave (parts: SessionParts, document: OpenDocument, saver: ForceSaver): Promise<StartedForceSave> {
  const { forceSave } = document
  const outcome = outcomeSoFar(document, saver)
  switch (outcome) {
    case null: return { code: FORCE_SAVE.started, result: begin(parts, document, saver) }
    case 'refused': return { code: FORCE_SAVE.started, result: Promise.resolve(await repeat(parts, document, saver, forceSave!)) }
    case 'failed': return { code: FORCE_SAVE.failedBefore, result: Promise.resolve(NOTHING_SENT) }
    case 'accepted':
    case 'under way':
      if (isByButton(saver)) saver.presser?.notify({ type: 'forceSaveStarted', code: FORCE_SAVE.nothingNew })
      return { code: FORCE_SAVE.nothingNew, result: Promise.resolve(NOTHING_SENT) }
  }
}

/** What became of an equal one; null when there was none. Submitting a form is something else than saving, and needs no change. */
function outcomeSoFar ({ changes, forceSave, lastCallbackUrl }: OpenDocument, { type, presser }: ForceSaver): ForceSave['outcome'] | null {
  const equal = forceSave?.changes === changes.length ? forceSave : null
  const isForm = type === 'form' && presser !== undefined
  if (changes.length === 0 && !isForm) return 'accepted'
  if (equal === null || (equal.outcome !== 'under way' && equal.isForm !== isForm)) return lastCallbackUrl === null ? 'accepted' : null
  return equal.outcome
}

async function begin (parts: SessionParts, document: OpenDocument, saver: ForceSaver): Promise<CallbackResult> {
  const { announced, presser, type, userdata } = saver
  const forceSave: ForceSave = { changes: document.changes.length, isForm: type === 'form', outcome: 'under way', prepared: null, announced: undefined }
  document.forceSave = forceSave
  const now = parts.time.now()
  // A form that was not changed counts as a change of who submits it.
  const changes: readonly Change[] = document.changes.length === 0 ? [{ user: presser!, at: now }] : [...document.changes]
  const changer = changes.at(-1)!.user
  const beginning = { folder: resultFolder(document.key), changer, userdata: userdata || undefined, lastsave: lastSave({ changes }, now) }
  tellStarted(document, saver)
  return await aside(parts, async () => {
    const prepared = forceSave.prepared = { ...beginning, ...await assemble(parts, document, beginning.folder, changes) }
    if (editors(document).length === 0) {
      // A finished save is on its way or done: none by force may follow it.
      forceSave.outcome = prepared.built === null ? 'failed' : 'refused'
      return NOTHING_SENT
    }
    forceSave.announced = announced
    await announced
    return conclude(parts, document, saver, forceSave, await post(parts, document, saver, prepared))
  })
}

async function repeat (parts: SessionParts, document: OpenDocument, saver: ForceSaver, forceSave: ForceSave): Promise<CallbackResult> {
  return await aside(parts, async () => {
    const result = editors(document).length === 0 ? NOTHING_SENT : await post(parts, document, saver, forceSave.prepared!, { encrypted: false })
    tellStarted(document, saver)
    return conclude(parts, document, saver, forceSave, result)
  })
}

/** The button's save and a form's go to the address of who pressed it, but are announced as that of who changed last. */
async function post (parts: SessionParts, document: OpenDocument, saver: ForceSaver, prepared: Prepared, more: { encrypted?: false } = {}): Promise<CallbackResult> {
  const { built, changer, folder, lastsave, succeeded, userdata } = prepared
  const { presser, type = 'button', formData } = saver
  const author = type === 'button' || type === 'form' ? presser : undefined
  const by = author ?? changer
  const url = callbackUrlOf(document, by)
  if (url === null || changer.userId === '') {
    if (built !== null) keepForgotten(parts, document, built)
    return NOTHING_SENT
  }
  return await deliver(parts, url, {
    key: document.key,
    status: succeeded ? 6 : 7,
    users: [changer.userId],
    actions: author === undefined ? undefined : [{ type: 2, userid: author.userId }],
    userdata,
    lastsave,
    forcesavetype: TYPES[type],
    formsdataurl: type === 'form' ? formsDataUrl(parts, document, folder, formData) : undefined,
    ...more,
    ...built?.fields(document.baseUrl)
  })
}

function conclude (parts: SessionParts, document: OpenDocument, { type }: ForceSaver, forceSave: ForceSave, result: CallbackResult): CallbackResult {
  const { built, succeeded } = forceSave.prepared!
  const accepted = result.accepted && succeeded
  // A form may be submitted again and again.
  forceSave.outcome = built === null ? 'failed' : accepted && !forceSave.isForm ? 'accepted' : 'refused'
  if (accepted) document.watch.accepted(built!.edits, result)
  else parts.log.warn({ key: document.key, ...result }, 'a force save failed')
  if (type !== 'command') {
    for (const editor of editors(document)) editor.notify({ type: 'forceSaved', accepted })
  }
  return result
}

function tellStarted (document: OpenDocument, { type, presser }: ForceSaver): void {
  const told = type === 'command' ? [] : type === 'timer' || presser === undefined ? editors(document) : [presser]
  for (const editor of told) editor.notify({ type: 'forceSaveStarted' })
}

function isByButton ({ type = 'button' }: ForceSaver): boolean {
  return type === 'button'
}

function formsDataUrl ({ files }: SessionParts, { key, baseUrl }: OpenDocument, folder: string, formData: unknown): string {
  const path = files.put(`${folder}/formsdata.json`, 'formsdata.json', Buffer.from(JSON.stringify(formData ?? [])), 'json')
  return files.urlOf(path, baseUrl, key)
}
