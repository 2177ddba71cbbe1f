import { randomUUID } from 'node:crypto'
import type { SavedEvent } from '../../types/events.js'
import type { StateStore } from '../../types/storage.js'
import type { FileRecord, UntoldEvent } from '../sessions/record.js'
import { EPHEMERAL, type Records } from '../sessions/record-store.js'
import { told } from '../sessions/stored-saves.js'

/** Tells the host of what was stored, at least once: what a process that ended has not told is told by the next one that stores something of the file. */
export interface Announcements {
  /** To be noted together with the save; `undefined` when nobody listens. */
  due (event: SavedEvent): UntoldEvent | undefined
  tell (fileId: string, event: SavedEvent): Promise<void>
  /** Tells what is left from others. */
  makeUp (fileId: string, record: FileRecord): Promise<void>
}

interface Dependencies {
  readonly records: Records
  readonly state: Pick<StateStore, 'owner' | 'hasEnded'>
  /** Never rejects. */
  readonly onSaved: ((event: SavedEvent) => Promise<void>) | undefined
  /** Milliseconds that the host takes at most. */
  readonly hostTime: number
}

/** Added to the time that the host takes: the clocks of two machines differ. */
const CLOCK_SKEW_MS = 60_000

export function createAnnouncements ({ records, state: { owner, hasEnded }, onSaved, hostTime }: Dependencies): Announcements {
  const ours = randomUUID()
  const underWay = new Set<string>()

  async function tell (fileId: string, event: SavedEvent): Promise<void> {
    if (!onSaved) return
    underWay.add(event.id)
    try {
      await onSaved(event)
      await records.change(fileId, record => told(record, event.id), EPHEMERAL)
    } catch {
      // It is told once more.
    } finally {
      underWay.delete(event.id)
    }
  }

  function isLeft ({ event, at, teller, owner }: UntoldEvent): boolean {
    if (teller === ours) return !underWay.has(event.id)
    return (owner !== undefined && hasEnded?.(owner) === true) || Date.now() - at > hostTime + CLOCK_SKEW_MS
  }

  return {
    due: event => onSaved && { event, at: Date.now(), teller: ours, ...(owner !== undefined && { owner }) },
    tell,
    async makeUp (fileId, { untold = [] }) {
      for (const left of untold) if (isLeft(left)) await tell(fileId, left.event)
    }
  }
}
