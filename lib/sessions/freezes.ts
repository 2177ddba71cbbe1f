import type { Hold, SessionRecord } from './record.js'

// Whether a document is frozen: nobody may begin to edit it. Pure functions, as in record.ts.

/** The holds that have not expired; a document without any is not frozen. Oldest first. */
export function holdsOf ({ frozen }: SessionRecord, now: number): readonly Hold[] {
  return frozen?.holds.filter(({ until = Infinity }) => until > now) ?? []
}

/** Adds a hold, or renews the one with the same `by`: what it says replaces what that one said. */
export function frozenBy (record: SessionRecord, hold: Hold, now: number): SessionRecord {
  const holds = holdsOf(record, now)
  const isRenewed = holds.some(({ by }) => by === hold.by)
  return {
    ...record,
    frozen: {
      holds: isRenewed
        ? holds.map(other => other.by === hold.by ? { ...hold, since: other.since } : other)
        : [...holds, hold],
      keys: holds.length > 0 ? record.frozen!.keys : record.sessions.map(({ key }) => key)
    }
  }
}

export function releasedBy (record: SessionRecord, by: string, now: number): SessionRecord {
  const { frozen, ...rest } = record
  if (!frozen) return record
  const holds = holdsOf(record, now).filter(hold => hold.by !== by)
  return holds.length > 0 ? { ...rest, frozen: { ...frozen, holds } } : rest
}

/** Whether a save must not change the file: its session began when the document was frozen. */
export function isFrozenOut (record: SessionRecord, key: string, now: number): boolean {
  return holdsOf(record, now).length > 0 && !record.frozen!.keys.includes(key)
}
