import {
  type ForceSaveRelation, type SessionRecord, type ForceSave, type ForceSaveResult, isSameSave, type SaveIdentity,
  type StoredSave
} from './record.js'

// Changes of the pending force saves in a record. Pure functions, as in record.ts.

/** Where a save that a callback announced is stored, or why it is not. */
type Outcome = Omit<ForceSaveResult, 'from'>

/** A save that a callback announced. `status`: 2 or 3 ended the session; any other is a force save. */
interface Announced {
  readonly key: string
  readonly status: number
}

/** Limit per file. Each force save is a different state of the document that the document server is assembling. */
const MAX_FORCE_SAVES = 8

/** Hardly anybody still waits for older force saves. They make room if necessary. */
const REPLACEABLE_AFTER_MS = 60_000
const EXPIRES_AFTER_MS = 10 * 60_000

/** Used in place of an error code. */
export const SUPERSEDED = 'SUPERSEDED'
export const ASSEMBLY_FAILED = 'ASSEMBLY_FAILED'

/** A command is about to be sent. Nothing changes if too many are pending. */
export function forceSaveNoted (
  record: SessionRecord, { id, key }: Pick<ForceSave, 'id' | 'key'>, now: number
): SessionRecord {
  const others = (record.forceSaves ?? []).filter(other => other.id !== id && !isExpired(other, now))
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

/** The document server has started no save for the command. */
export function forceSaveIdle (record: SessionRecord, id: string): SessionRecord {
  return changed(
    record,
    forceSave => forceSave.id === id && forceSave.isIdle !== true ? { ...forceSave, isIdle: true } : forceSave
  )
}

/** A save was stored, or has failed: then the outcome has a `code`. */
export function forceSavesConcerned (
  record: SessionRecord, announced: Announced, relation: ForceSaveRelation, outcome: Outcome
): SessionRecord {
  const isStored = outcome.code === undefined
  const own = (record.forceSaves ?? []).findIndex(({ id }) => id === relation.own)
  return changed(record, (forceSave, index) => {
    if (forceSave.key !== announced.key) return forceSave
    // The command of a later note was sent after this note was written.
    const from = isStored && index < own ? 'later' : sourceOf(forceSave, announced, relation)
    return { ...withResult(forceSave, { from, ...outcome }), ...(isStored && { stored: outcome }) }
  })
}

/** The document server has repeated a stored save. */
export function forceSavesRepeated (
  record: SessionRecord, identity: SaveIdentity, relation: ForceSaveRelation
): SessionRecord {
  const { result } = record.saves.find(save => isSameSave(save, identity)) ?? {}
  return changed(record, forceSave => {
    const from = sourceOf(forceSave, identity, relation)
    const stored = result ? placeOf(result) : forceSave.stored
    return forceSave.key === identity.key && from !== 'other' && stored !== undefined
      ? withResult(forceSave, { from, ...stored })
      : forceSave
  })
}

/**
 * A force save was not stored because a later state of the session already is. If that state was stored after the
 * command was sent, it contains the changes that the command was for; if not, the document server's clock was set back.
 */
export function forceSavesSuperseded (
  record: SessionRecord, announced: Announced, relation: ForceSaveRelation
): SessionRecord {
  return changed(record, forceSave => {
    const from = sourceOf(forceSave, announced, relation)
    return forceSave.key === announced.key && from !== 'other'
      ? withResult(forceSave, { from, ...forceSave.stored ?? { code: SUPERSEDED } })
      : forceSave
  })
}

export function forceSaveWith ({ forceSaves = [] }: SessionRecord, id: string): ForceSave | undefined {
  return forceSaves.find(forceSave => forceSave.id === id)
}

/** Ids of the other force saves of the session that the document server may be working on. */
export function othersUnderWay (
  { forceSaves = [] }: SessionRecord, { id, key }: Pick<ForceSave, 'id' | 'key'>, now: number
): readonly string[] {
  const underWay = forceSaves.filter(other =>
    other.id !== id && other.key === key && other.isIdle !== true && !isExpired(other, now) &&
    (other.result === undefined || other.result.from === 'other')
  )
  return underWay.map(({ id }) => id)
}

function sourceOf (
  { id }: ForceSave, { status }: Announced, { own, waiting = [], isRepeat = false }: ForceSaveRelation
): ForceSaveResult['from'] {
  if (id === own) return 'own'
  if (status === 2 || status === 3) return waiting.includes(id) ? 'final' : 'final-before'
  return isRepeat && waiting.includes(id) ? 'repeat' : 'other'
}

function withResult (forceSave: ForceSave, result: ForceSaveResult): ForceSave {
  return forceSave.result !== undefined && rankOf(forceSave.result) > rankOf(result)
    ? forceSave
    : { ...forceSave, result }
}

/**
 * A result replaces results of the same or a lower rank. Among `other` results, a failed one outranks a stored one,
 * because the document server does not say which save it means.
 */
function rankOf ({ from, code }: ForceSaveResult): number {
  const ranks = { other: code === undefined ? 0 : 1, 'final-before': 2, repeat: 3, final: 4, later: 4, own: 5 }
  return ranks[from]
}

function isExpired (forceSave: ForceSave, now: number): boolean {
  return ageOf(forceSave, now) > EXPIRES_AFTER_MS
}

/** A note from the future is as old as it is far away: the clock was set back since. */
function ageOf ({ startedAt }: ForceSave, now: number): number {
  return Math.abs(now - startedAt)
}

/** Returns the same record if nothing changes. */
function changed (record: SessionRecord, change: (forceSave: ForceSave, index: number) => ForceSave): SessionRecord {
  const { forceSaves = [] } = record
  const after = forceSaves.map(change)
  return after.every((forceSave, index) => forceSave === forceSaves[index]) ? record : { ...record, forceSaves: after }
}

export function placeOf ({ revision, conflictFileId }: NonNullable<StoredSave['result']>): Outcome {
  return { revision, ...(conflictFileId !== undefined && { conflictFileId }) }
}
