import {
  type Bearing, type FileRecord, type ForceSave, type ForceSaveResult, isSameSave, type SaveIdentity, type StoredSave
} from './record.js'

// The force saves in a record that somebody waits for, and what became of them. Pure, as in session-changes.ts.

/** What is known of a save that a callback announced. */
type Outcome = Omit<ForceSaveResult, 'from'>

/** The session of a save, and whether the save ended it: 2 or 3. Any other status is a force save. */
interface Announced {
  readonly key: string
  readonly status: number
}

/** Of a file, at the same time. Each is a different state of the document that the document server is assembling. */
const MAX_FORCE_SAVES = 8

/** Hardly anybody waits for older ones any more. They make room if necessary. */
const REPLACEABLE_AFTER_MS = 60_000
const EXPIRES_AFTER_MS = 10 * 60_000

/** A command is about to be sent. Nothing changes if too many are waited for. */
export function forceSaveNoted (
  record: FileRecord,
  { id, key }: Pick<ForceSave, 'id' | 'key'>,
  now: number
): FileRecord {
  const others = (record.forceSaves ?? []).filter(other => other.id !== id && !isExpired(other, now))
  const [oldest] = others
  const kept = others.length === MAX_FORCE_SAVES && now - oldest!.startedAt > REPLACEABLE_AFTER_MS
    ? others.slice(1)
    : others
  return kept.length === MAX_FORCE_SAVES ? record : { ...record, forceSaves: [...kept, { id, key, startedAt: now }] }
}

export function forceSaveRemoved (record: FileRecord, id: string): FileRecord {
  const { forceSaves = [], ...rest } = record
  const others = forceSaves.filter(other => other.id !== id)
  return others.length === forceSaves.length ? record : { ...rest, ...(others.length > 0 && { forceSaves: others }) }
}

/** The document server has started nothing for it. */
export function forceSaveIdle (record: FileRecord, id: string): FileRecord {
  return changed(
    record,
    forceSave => forceSave.id === id && forceSave.isIdle !== true ? { ...forceSave, isIdle: true } : forceSave
  )
}

/** A save was stored, or it was not, which `code` tells. */
export function forceSavesConcerned (
  record: FileRecord,
  announced: Announced,
  bearing: Bearing,
  outcome: Outcome
): FileRecord {
  const isStored = outcome.code === undefined
  const own = (record.forceSaves ?? []).findIndex(({ id }) => id === bearing.own)
  return changed(record, (forceSave, index) => {
    if (forceSave.key !== announced.key) return forceSave
    // The command of a later note was sent after this note was written.
    const from = isStored && index < own ? 'later' : sourceOf(forceSave, announced, bearing)
    return { ...withResult(forceSave, { from, ...outcome }), ...(isStored && { stored: outcome }) }
  })
}

/** The document server has repeated a save that is stored already. */
export function forceSavesRepeated (record: FileRecord, identity: SaveIdentity, bearing: Bearing): FileRecord {
  const { result } = record.saves.find(save => isSameSave(save, identity)) ?? {}
  return changed(record, forceSave => {
    const from = sourceOf(forceSave, identity, bearing)
    const stored = result ? placeOf(result) : forceSave.stored
    return forceSave.key === identity.key && from !== 'other' && stored !== undefined
      ? withResult(forceSave, { from, ...stored })
      : forceSave
  })
}

/**
 * A force save was not stored because a later state of the session is stored already. If that was stored after the
 * command was sent, it contains what the command was for; if not, the document server's clock was set back.
 */
export function forceSavesSuperseded (record: FileRecord, announced: Announced, bearing: Bearing): FileRecord {
  return changed(record, forceSave => {
    const from = sourceOf(forceSave, announced, bearing)
    return forceSave.key === announced.key && from !== 'other'
      ? withResult(forceSave, { from, ...forceSave.stored ?? { code: SUPERSEDED } })
      : forceSave
  })
}

/** Instead of the code of an error. */
export const SUPERSEDED = 'SUPERSEDED'
export const ASSEMBLY_FAILED = 'ASSEMBLY_FAILED'

export function forceSaveWith ({ forceSaves = [] }: FileRecord, id: string): ForceSave | undefined {
  return forceSaves.find(forceSave => forceSave.id === id)
}

/** Ids of the force saves of a session that the document server may be working on, without this one. */
export function othersUnderWay (
  { forceSaves = [] }: FileRecord,
  { id, key }: Pick<ForceSave, 'id' | 'key'>,
  now: number
): readonly string[] {
  const underWay = forceSaves.filter(other =>
    other.id !== id && other.key === key && other.isIdle !== true && !isExpired(other, now) &&
    (other.result === undefined || other.result.from === 'other')
  )
  return underWay.map(({ id }) => id)
}

function sourceOf (
  { id }: ForceSave,
  { status }: Announced,
  { own, waiting = [], isRepeat = false }: Bearing
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
 * A result replaces those of the same rank and below. Where the document server has not said which save it means, a
 * failed one counts.
 */
function rankOf ({ from, code }: ForceSaveResult): number {
  const ranks = { other: code === undefined ? 0 : 1, 'final-before': 2, repeat: 3, final: 4, later: 4, own: 5 }
  return ranks[from]
}

function isExpired ({ startedAt }: ForceSave, now: number): boolean {
  return now - startedAt > EXPIRES_AFTER_MS
}

/** The same record when nothing changes. */
function changed (record: FileRecord, change: (forceSave: ForceSave, index: number) => ForceSave): FileRecord {
  const { forceSaves = [] } = record
  const after = forceSaves.map(change)
  return after.every((forceSave, index) => forceSave === forceSaves[index]) ? record : { ...record, forceSaves: after }
}

/** Where a save is stored. */
export function placeOf ({ revision, conflictFileId }: NonNullable<StoredSave['result']>): Outcome {
  return { revision, ...(conflictFileId !== undefined && { conflictFileId }) }
}
