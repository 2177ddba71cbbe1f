import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateStore, Storage } from '../../types/storage.js'
import { BusyError } from '../errors.js'
import type { FileRecord, Lock, Publishing } from './record.js'
import { EPHEMERAL, type Records, type Seen } from './record-store.js'
import { settled } from './stored-saves.js'

/** The right to publish content of a file, which one instance has at a time, for the moment that takes. */
export interface Locks {
  /** The record when nobody is publishing. Whoever ended in the middle, or does not go on for ten seconds, loses the right. */
  whenFree (fileId: string): Promise<Seen>
  /** Takes the right if the record is still the one that was seen. Resolves to its id, or to `null`. */
  take (fileId: string, seen: Seen, publishing?: Publishing): Promise<string | null>
  /** Gives it back with a change of the record, which is durable; tries again when that fails. */
  end (fileId: string, id: string, change: (record: FileRecord) => FileRecord): Promise<FileRecord>
  /** Gives it back: nothing was published. */
  release (fileId: string, id: string): Promise<void>
  /** Gives it back: nobody knows whether anything was published. Then it is, or never will be. */
  abandon (fileId: string, id: string): Promise<void>
  /** Finds out what was published by a holder that is known to have ended. */
  settle (fileId: string, seen: Seen): Promise<void>
}

interface Dependencies {
  readonly records: Records
  readonly state: Pick<StateStore, 'owner' | 'hasEnded'>
  readonly storage: Pick<Storage, 'stat' | 'revoke'>
  /** Ends the waiting when the service stops. */
  readonly stopping: AbortSignal
}

/** Publishing takes milliseconds. Whoever wakes later can't publish any more. */
const DEAD_AFTER_MS = 10_000
const PATIENCE_MS = 60_000
const POLL_MS = 20
/** By then the content is stored: a failure that passes must not make that a refusal. */
const END_ATTEMPTS = 3

export function createLocks ({ records, state: { owner, hasEnded }, storage, stopping }: Dependencies): Locks {
  const ours = randomUUID()
  const held = new Set<string>()

  const locks: Locks = {
    async whenFree (fileId) {
      const isDead = deathWatch()
      for (const started = performance.now(); ;) {
        const seen = await records.read(fileId)
        const { lock } = seen.record
        if (lock === undefined) return seen
        if (isDead(lock)) {
          await takeOver(fileId, seen, lock)
        } else {
          if (performance.now() - started > PATIENCE_MS) throw new BusyError(PATIENCE_MS)
          await delay(POLL_MS, undefined, { signal: stopping })
        }
      }
    },

    async take (fileId, seen, publishing) {
      const id = `${ours}.${randomUUID()}`
      held.add(id)
      try {
        const lock = { id, ...(owner !== undefined && { owner }), ...(publishing && { publishing }) }
        if (await records.set(fileId, { ...seen.record, lock }, seen, EPHEMERAL)) return id
        // What was reported as a failure may have been done.
        if ((await records.read(fileId)).record.lock?.id === id) return id
      } catch (error) {
        held.delete(id)
        throw error
      }
      held.delete(id)
      return null
    },

    async end (fileId, id, change) {
      try {
        for (let attempt = 1; ; attempt++) {
          try {
            return await records.change(fileId, record => change(withoutLock(record, id)))
          } catch (error) {
            if (attempt === END_ATTEMPTS) throw error
            await delay(POLL_MS * 4 ** attempt)
          }
        }
      } finally {
        held.delete(id)
      }
    },

    async release (fileId, id) {
      held.delete(id)
      await records.change(fileId, record => withoutLock(record, id), EPHEMERAL)
    },

    async abandon (fileId, id) {
      held.delete(id)
      const seen = await records.read(fileId)
      if (seen.record.lock?.id === id) await takeOver(fileId, seen, seen.record.lock)
    },

    async settle (fileId, seen) {
      const { lock } = seen.record
      if (lock !== undefined && hasSurelyEnded(lock)) await takeOver(fileId, seen, lock)
    }
  }
  return locks

  /** By our own clock: those of two machines differ. */
  function deathWatch (): (lock: Lock) => boolean {
    let watched = { id: '', since: 0 }
    return function isDead (lock) {
      if (watched.id !== lock.id) watched = { id: lock.id, since: performance.now() }
      return hasSurelyEnded(lock) || performance.now() - watched.since > DEAD_AFTER_MS
    }
  }

  function hasSurelyEnded ({ id, owner }: Lock): boolean {
    return (id.startsWith(`${ours}.`) && !held.has(id)) || (owner !== undefined && hasEnded?.(owner) === true)
  }

  /** First nobody else may try, then its holder can't publish any more, then the stored revision tells whether it has. */
  async function takeOver (fileId: string, seen: Seen, lock: Lock): Promise<void> {
    const id = await locks.take(fileId, seen, lock.publishing)
    if (id === null) return
    try {
      if (lock.publishing?.ticket !== undefined) await storage.revoke?.(fileId, lock.publishing.ticket)
      const revision = (await storage.stat(fileId))?.revision
      await records.change(fileId, record => record.lock?.id === id ? settled(record, revision) : record)
    } finally {
      held.delete(id)
    }
  }
}

function withoutLock (record: FileRecord, id: string): FileRecord {
  if (record.lock?.id !== id) return record
  const { lock, ...rest } = record
  return rest
}
