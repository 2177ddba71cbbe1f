import { isDeepStrictEqual } from 'node:util'
import type { StoredDocument } from '../../types/storage.js'
import { BeingEditedError, FileNotFoundError, LockedError, NO_REASON } from '../errors.js'
import {
  holdsOf, isFrozenOut, lastSaveOf, liveSessions, type SaveIdentity, type SessionRecord, sessionWith
} from '../sessions/record.js'
import type { SessionServices } from '../sessions/record-store.js'
import {
  isBaseUncertain, isConflict, isHeldUp, isNoted, isOlderThanOthers, isSuperseded, mayBeOlderThanStored
} from '../sessions/save-changes.js'
import { saveDetailsOf, type SaveRequest } from './save-request.js'

/** A save, and the document as last read. */
export interface SaveCase {
  readonly request: SaveRequest
  /** Identifies the save. Empty if the callback had no key; no record contains an empty one. */
  readonly identity: SaveIdentity
  readonly record: SessionRecord
  /** `null` if the document was deleted. */
  readonly file: StoredDocument | null
  readonly now: number
  readonly keys: SessionServices['keys']
  readonly policies: SessionServices['settings']['policies']
}

/** A save whose content was fetched, and whose document exists. */
export interface FetchedCase extends SaveCase {
  readonly file: StoredDocument
  /** Whether this content is what the document already contains. Reads both, unless their sizes differ. */
  readonly isPresent: () => Promise<boolean>
  /** Whether another document already has the name that this one would get in its new format. */
  readonly isNameTaken: boolean
}

export type NothingToStore = 'repeated' | 'superseded' | 'missing'

type Check<Case> = (save: Case) => boolean | Promise<boolean>

/**
 * The outcome of a save. `ignore`: nothing is stored. `note`: the record shows that it is stored. `file`: it becomes
 * the document's content. `copy`: it becomes a conflict copy. `refuse`: the document server keeps it.
 */
type Outcome<Case> =
  | { readonly outcome: 'ignore', readonly name: NothingToStore }
  | { readonly outcome: 'note' | 'file' }
  | { readonly outcome: 'copy', readonly reason: 'changed' | 'format' | 'frozen' }
  | { readonly outcome: 'refuse', readonly error: (save: Case) => Error }

export type Rule<Case> = Outcome<Case> & {
  readonly name: string
  readonly says: string
  readonly applies: Check<Case>
}

const ignore = (name: NothingToStore, says: string, applies: Check<SaveCase>) =>
  ({ outcome: 'ignore', name, says, applies }) as const
const store = (outcome: 'note' | 'file', name: string, says: string, applies: Check<FetchedCase>) =>
  ({ outcome, name, says, applies }) as const
const copy = (
  reason: 'changed' | 'format' | 'frozen', name: string, says: string, applies: Check<FetchedCase>
) => ({ outcome: 'copy', reason, name, says, applies }) as const
const refuse = <Case extends SaveCase>(
  error: (save: Case) => Error, name: string, says: string, applies: Check<Case>
) => ({ outcome: 'refuse', error, name, says, applies }) as const

const beingEdited = () => new BeingEditedError(0)
const locked = ({ record, now }: SaveCase) => new LockedError(holdsOf(record, now)[0]?.reason || NO_REASON)

// The rules for all saves: callbacks, repeated callbacks, force saves and forgotten files, which count as final saves.
// The first rule that applies decides.

/** Asked before the content is fetched, and again afterwards. */
export const EARLY_RULES: ReadonlyArray<Rule<SaveCase>> = [
  ignore('repeated', 'This save has already been stored, in the document or in a copy.',
    ({ record, identity }) => isNoted(record, identity)),
  ignore('superseded', 'A force save; a later save of its session, with its changes, has already been stored.',
    ({ record, identity }) => isSuperseded(record, identity)),
  ignore('missing', 'The document does not exist, with `policies: { missingFile: \'acknowledge\' }`.',
    ({ file, policies }) => file === null && policies.missingFile === 'acknowledge'),
  refuse(() => new FileNotFoundError(), 'deleted', 'The document does not exist.',
    ({ file }) => file === null)
]

/** Separate, because the plugin first checks whether the document already has the content. */
const COPIES: ReadonlyArray<Rule<FetchedCase>> = [
  copy('frozen', 'frozen', 'Its session began while the document was frozen.',
    ({ record, identity: { key }, now }) => isFrozenOut(record, key, now)),
  copy('changed', 'forgotten-older', 'A forgotten file; a save of its session that may be newer has been stored.',
    save => isForgotten(save) && mayBeOlderThanStored(save.record, save.identity.key, save.request.lastsave)),
  copy('changed', 'forgotten-base', 'A forgotten file; it is unknown which content its session began with.',
    save => isForgotten(save) && isBaseUncertain(save.record, save.keys, save.identity.key, save.file)),
  copy('changed', 'held-up', 'A final save that arrives late: newer changes of its session have been stored.',
    save => !isForgotten(save) && isHeldUp(save.record, save.identity, saveDetailsOf(save.request))),
  copy('changed', 'changed', 'The document was changed outside its session since that began or last saved.',
    save => (isForgotten(save) || save.policies.conflict === 'keep-both') &&
      isConflict(save.record, save.keys, save.identity, save.file)),
  copy('changed', 'older', 'Replaces `changed` if `conflict` is `overwrite`: another session has stored a newer save.',
    save => !isForgotten(save) && save.policies.conflict === 'overwrite' &&
      isOlderThanOthers(save.record, save.identity))
]

/** Asked when the content was fetched and none of the early rules applies. */
export const RULES: ReadonlyArray<Rule<FetchedCase>> = [
  refuse(locked, 'locked', 'The callback has no key (only possible without tokens), and the document is frozen.',
    ({ request, record, now }) => request.key === undefined && holdsOf(record, now).length > 0),
  store('file', 'no-key', 'The callback has no key.',
    ({ request }) => request.key === undefined),
  refuse(beingEdited, 'continued', 'A forgotten file; its session goes on, so a newer save may follow.',
    ({ request: { forgotten }, record, identity: { key } }) =>
      forgotten !== undefined && !isDeepStrictEqual(sessionWith(record, key), forgotten.session)),
  store('note', 'present', 'The document already has this content.',
    async save => await mayBePresent(save) && await save.isPresent()),
  ...COPIES,
  refuse(beingEdited, 'edited', 'A forgotten file; users are editing the document in another session.',
    ({ request: { forgotten }, record }) =>
      forgotten !== undefined && liveSessions(record).some(({ key }) => !forgotten.keysAtRest.has(key))),
  copy('format', 'name-taken', 'Its format has changed, and another document already has the new name.',
    ({ isNameTaken }) => isNameTaken),
  store('file', 'stored', 'In all other cases.',
    () => true)
]

/** The first rule that applies. */
export async function ruleFor<Case> (rules: ReadonlyArray<Rule<Case>>, save: Case): Promise<Rule<Case> | undefined> {
  for (const rule of rules) if (await rule.applies(save)) return rule
  return undefined
}

function isForgotten ({ request }: SaveCase): boolean {
  return request.forgotten !== undefined
}

/** Whether comparing the contents is worth reading them. */
async function mayBePresent (save: FetchedCase): Promise<boolean> {
  return save.request.notmodified || lastSaveOf(save.record, save.identity.key)?.status === 2 ||
    await ruleFor(COPIES, save) !== undefined
}
