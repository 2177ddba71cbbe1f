import {
  type SessionRecord, type ForceSave, type ForceSaveResult, isSameSave, type SaveIdentity, type StoredSave
} from './record.js'

// Changes of the pending force saves in a record. Pure functions, as in record.ts.

/** Which pending force saves of its key a callback answers. */
export interface ForceSaveRelation {
  /** `userdata` of the callback: the id of the force save whose command caused it. */
  readonly own?: string | undefined
  /**
   * Set if the callback answers all force saves that were noted until this time, because it announces the final save,
   * or repeats a refused force save for them. Milliseconds since 1970, by the clock of the instance that received it.
   */
  readonly allUntil?: number | undefined
}

/** Where an announced save is stored, or why it is not. */
type Outcome = Omit<ForceSaveResult, 'isAnswer'>

/** Limit per file. Each force save is a different state of the document that the document server is assembling. */
const MAX_FORCE_SAVES = 8

/** After this time hardly anybody waits for a force save: it makes room if necessary. */
const REPLACEABLE_AFTER_MS = 60_000
const EXPIRES_AFTER_MS = 10 * 60_000

/** Used in place of an error code. */
export const SUPERSEDED = 'SUPERSEDED'
export const ASSEMBLY_FAILED = 'ASSEMBLY_FAILED'

/** A command is about to be sent. Nothing changes if too many are pending. */
export function forceSaveNoted (
  record: SessionRecord, { id, key }: Pick<ForceSave, 'id' | 'key'>, now: number
): SessionRecord {
  const others = pendingIn(record, now).filter(other => other.id !== id)
  const [oldest] = others
  const kept = others.length === MAX_FORCE_SAVES && ageOf(oldest!, now) > REPLACEABLE_AFTER_MS
    ? others.slice(1)
    : others
  return kept.length === MAX_FORCE_SAVES ? record : { ...record, forceSaves: [...kept, { id, key, startedAt: now }] }
}

export function forceSaveRemoved (record: SessionRecord, id: string): SessionRecord {
  const { forceSaves = [], ...rest } = record
  const others = forceSaves.filter(other => other.id !== id)
  return others.length === forceSaves.length ? record : { ...rest, ...(others.length > 0 && { forceSaves: others }) }
}

/** A save of the key was stored, or failed (the outcome then has a `code`). */
export function forceSavesConcerned (
  record: SessionRecord, key: string, relation: ForceSaveRelation, outcome: Outcome
): SessionRecord {
  return changed(record, forceSave => {
    const isAnswer = isAnsweredBy(forceSave, relation)
    return forceSave.key === key && (isAnswer || forceSave.result?.isAnswer !== true)
      ? { ...forceSave, result: { isAnswer, ...outcome } }
      : forceSave
  })
}

/**
 * A save was not stored because it, or a later state of its session, already is. If the later state was stored before
 * the command was noted, the document server's clock was set back.
 */
export function forceSavesSkipped (
  record: SessionRecord, identity: SaveIdentity, relation: ForceSaveRelation
): SessionRecord {
  const repeated = record.saves.find(save => isSameSave(save, identity))
  return changed(record, forceSave => {
    if (forceSave.key !== identity.key || !isAnsweredBy(forceSave, relation)) return forceSave
    const later = record.saves.find(({ key, storedAt }) => key === identity.key && storedAt >= forceSave.startedAt)
    const { result } = repeated ?? later ?? {}
    return { ...forceSave, result: { isAnswer: true, ...result ? placeOf(result) : { code: SUPERSEDED } } }
  })
}

export function forceSaveWith ({ forceSaves = [] }: SessionRecord, id: string): ForceSave | undefined {
  return forceSaves.find(forceSave => forceSave.id === id)
}

/** Whether a force save of the same key that was noted earlier has no answer yet. */
export function isBehindAnother (record: SessionRecord, { id, key }: ForceSave, now: number): boolean {
  const pending = pendingIn(record, now)
  return pending.slice(0, pending.findIndex(other => other.id === id))
    .some(other => other.key === key && other.result?.isAnswer !== true)
}

function isAnsweredBy ({ id, startedAt }: ForceSave, { own, allUntil = -Infinity }: ForceSaveRelation): boolean {
  return id === own || startedAt <= allUntil
}

function pendingIn ({ forceSaves = [] }: SessionRecord, now: number): readonly ForceSave[] {
  return forceSaves.filter(forceSave => ageOf(forceSave, now) <= EXPIRES_AFTER_MS)
}

/** A note from the future counts as equally old: the clock was set back since. */
function ageOf ({ startedAt }: ForceSave, now: number): number {
  return Math.abs(now - startedAt)
}

/** Returns the same record if nothing changes. */
function changed (record: SessionRecord, change: (forceSave: ForceSave) => ForceSave): SessionRecord {
  const { forceSaves = [] } = record
  const after = forceSaves.map(change)
  return after.every((forceSave, index) => forceSave === forceSaves[index]) ? record : { ...record, forceSaves: after }
}

export function placeOf ({ revision, conflictFileId }: NonNullable<StoredSave['result']>): Outcome {
  return { revision, ...(conflictFileId !== undefined && { conflictFileId }) }
}
