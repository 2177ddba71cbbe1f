import { randomUUID } from 'node:crypto'
import type { SavedEvent } from '../../types/events.js'
import type { Clock } from '../../types/options.js'
import type { StateStore } from '../../types/storage.js'
import type { FileRecord, UndeliveredEvent } from '../sessions/record.js'
import { NOT_DURABLE, type RecordSnapshot, type RecordStore } from '../sessions/record-store.js'
import { eventDelivered } from '../sessions/stored-saves.js'

/**
 * Delivers `onSaved` events at least once: each is noted in the record together with its save, and removed when the hook was
 * called. An event whose process ended before that is delivered with the next save of the file.
 */
export interface Outbox {
  /** The event as it is to be noted; `undefined` without an `onSaved` hook. */
  entryFor (event: SavedEvent): UndeliveredEvent | undefined
  /** Calls the hook and removes the event from the record, as it was last known. Never rejects. */
  deliver (fileId: string, event: SavedEvent, snapshot?: RecordSnapshot): Promise<void>
  /** Delivers the events that other processes left undelivered. */
  deliverLeftovers (fileId: string, record: FileRecord): Promise<void>
}

interface Dependencies {
  readonly recordStore: RecordStore
  readonly state: Pick<StateStore, 'owner' | 'hasEnded'>
  /** Never rejects. */
  readonly onSaved: ((event: SavedEvent) => Promise<void>) | undefined
  /** Milliseconds that the hook may take. */
  readonly hookTimeout: number
  readonly clock: Clock
}

/** Added to the hook's time: the clocks of two machines differ. */
const MAX_CLOCK_SKEW_MS = 60_000

export function createOutbox ({ recordStore, state: { owner, hasEnded }, onSaved, hookTimeout, clock }: Dependencies): Outbox {
  const instance = randomUUID()

  const outbox: Outbox = {
    entryFor: event => onSaved && { event, deliverer: instance, storedAt: clock.now(), ...(owner !== undefined && { owner }) },

    async deliver (fileId, event, snapshot) {
      if (!onSaved) return
      try {
        await onSaved(event)
        await recordStore.update(fileId, record => eventDelivered(record, event.id), { ...NOT_DURABLE, ...(snapshot && { snapshot }) })
      } catch {
        // It stays noted and is delivered again.
      }
    },

    async deliverLeftovers (fileId, { undelivered = [] }) {
      for (const entry of undelivered) if (isLeftOver(entry)) await outbox.deliver(fileId, entry.event)
    }
  }
  return outbox

  function isLeftOver ({ deliverer, owner, storedAt }: UndeliveredEvent): boolean {
    if (deliverer === instance) return true // the saves of a file are stored one after the other: none is being delivered now
    return (owner !== undefined && hasEnded?.(owner) === true) || clock.now() - storedAt > hookTimeout + MAX_CLOCK_SKEW_MS
  }
}
