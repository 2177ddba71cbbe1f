import type { ForceSaveResult } from '../../types/control.js'
import { ASSEMBLY_FAILED, forceSaveWith, isBehindAnother, SUPERSEDED } from '../sessions/force-save-notes.js'
import { type ForceSaveResult as Noted, hasRefusedSave, type SessionRecord, sessionWith } from '../sessions/record.js'
import { refusalOf } from '../sessions/save-changes.js'

/**
 * The document server's answer to the command `forcesave`: 0, 4, 3 or 1. Source:
 * emulator/docs/document-server-protocol.md#forcesave
 */
export type CommandAnswer = 'started' | 'nothing new' | 'not now' | 'unknown key'

/** `again`: send the command again. `ask`: find out whether anybody is editing. */
export type Verdict = Stored | Extract<ForceSaveResult, { saved: false }> | Failure | 'again' | 'ask'

/** `conflictFileId`: the conflict copy, if the save is stored in one. */
type Stored = { readonly saved: true } & Pick<Required<Noted>, 'revision'> & Pick<Noted, 'conflictFileId'>

interface Failure {
  readonly failure: string
  readonly isRetryable: boolean
}

interface Given {
  /** Whether this instance has received callbacks of the file that it has not applied yet. */
  readonly isBusy: boolean
  /** Whether the call has waited long enough for saves that the document server does not report. */
  readonly isQuiet: boolean
  /** Whether anybody is editing, if known. */
  readonly isEdited: boolean | undefined
  readonly now: number
}

/** Pause before a command is repeated after the answer `not now`. */
export const NOT_NOW_PAUSE_MS = 1000

/** The outcome of a force save, according to the record of its file; `undefined` while it is unknown. */
export function verdictOn (
  record: SessionRecord, id: string, answer: CommandAnswer, { isBusy, isQuiet, isEdited, now }: Given
): Verdict | undefined {
  const forceSave = forceSaveWith(record, id)
  if (forceSave === undefined) return RECORD_LOST
  const { key, result } = forceSave
  if (result?.isAnswer === true) return outcomeOf(result)
  // The command's save will follow, or the final save.
  if (answer === 'started' || isBusy) return undefined
  // The final save is being made, or the document server has failed to assemble these changes before.
  if (answer === 'not now') {
    if (refusalOf(record, key)?.code === ASSEMBLY_FAILED) return NOT_ASSEMBLED
    return isQuiet ? 'again' : undefined
  }
  if (answer === 'unknown key') return NO_SESSION
  // Either all changes are stored, or another save with them is under way. The report that somebody has joined may be
  // under way, too.
  const session = sessionWith(record, key)
  const isBelieved = isQuiet && !isBehindAnother(record, forceSave, now)
  if (isEdited === undefined && (isBelieved || session === undefined)) return 'ask'
  if (session === undefined && isEdited === false) return NO_SESSION
  if (!isBelieved) return undefined
  // The document server also answers this after everybody has left, until it makes the final save.
  if (isEdited === false) return 'again'
  if (result !== undefined) return isOrderUnknown(record, key) ? UNKNOWN_ORDER : outcomeOf(result)
  if (session === undefined) return UNREPORTED
  // The document server has reopened the refused save, so it sees nothing new.
  return hasRefusedSave(session) ? KEPT_BACK : { saved: false, reason: 'no-changes' }
}

/**
 * Whether any of several force saves may be the newest: `lastsave` has whole seconds, and saves may arrive in another
 * order than they were started.
 */
function isOrderUnknown ({ saves }: SessionRecord, key: string): boolean {
  const times = saves.filter(save => save.key === key && save.status === 6)
    .map(({ lastsave = '' }) => Date.parse(lastsave))
  return times.filter(time => time === Math.max(...times)).length > 1
}

function outcomeOf ({ revision, conflictFileId, code, isRetryable = false }: Noted): Stored | Failure {
  if (revision !== undefined) return { saved: true, revision, ...(conflictFileId !== undefined && { conflictFileId }) }
  return { failure: explanations.get(code) ?? `the save was refused with ${code}`, isRetryable }
}

const explanations: ReadonlyMap<string | undefined, string> = new Map([
  [ASSEMBLY_FAILED, 'the document server could not assemble the edited document'],
  [
    SUPERSEDED,
    'by the document server\'s clock the save is older than the stored content: check whether that clock was set back'
  ]
])

const NO_SESSION = { saved: false, reason: 'no-session' } as const
/** A new note would change the order of the notes, which shows which command came later. */
const RECORD_LOST: Failure = {
  failure: 'the session record was lost, perhaps because the document was deleted',
  isRetryable: true
}
const NOT_ASSEMBLED: Failure = {
  failure: 'the document server could not assemble these changes before, and tries again only after another edit',
  isRetryable: false
}
const UNKNOWN_ORDER: Failure = {
  failure: 'several saves from the same second have arrived, and it is unknown which is the newest',
  isRetryable: true
}
const UNREPORTED: Failure = {
  failure: 'somebody is editing, but no callback has reported it: it is unknown whether everything is stored',
  isRetryable: true
}
const KEPT_BACK: Failure = {
  failure:
    'the final save of this session was refused. The document server sends it again only after another edit, or when everybody has left',
  isRetryable: false
}
