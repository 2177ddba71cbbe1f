import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FileInfo } from '../../types/storage.js'
import { BusyError } from '../errors.js'
import type { Services } from '../services.js'
import type { SessionRecord, Lock, Publishing } from './record.js'
import { type Cause, fileAt, NOT_DURABLE, type RecordSnapshot, type RecordStore } from './record-store.js'
import { deadLockRemoved } from './save-changes.js'

/** Services for sessions, saves, versions and recovery. */
export interface SessionServices extends Services {
  readonly recordStore: RecordStore
  readonly locks: Locks
}

/** The file or its record has changed: look again and decide again. */
export const CHANGED = Symbol('changed')

/** The basis of a decision: a record, and the file at that moment; `null` if it does not exist. */
export interface Look {
  readonly snapshot: RecordSnapshot
  readonly current: FileInfo | null
}

/** A lock that this instance has acquired, and the record that contains it. */
interface HeldLock {
  readonly id: string
  readonly snapshot: RecordSnapshot
}

/** Publishing takes milliseconds. A holder that resumes after this can no longer publish. */
const BROKEN_AFTER_MS = 10_000
const BUSY_AFTER_MS = 60_000
const POLL_INTERVAL_MS = 20
const RELEASE_ATTEMPTS = 3
const MAX_DECISIONS = 100

/** The locks of files, kept in their records. An instance holds the lock only while it publishes. */
export type Locks = ReturnType<typeof createLocks>

export function createLocks ({ storage, state: { owner, hasEnded }, shutdown }: Services, recordStore: RecordStore) {
  /** Prefix of all lock ids of this instance. */
  const instance = randomUUID()
  const heldIds = new Set<string>()

  return { whenFree, lookWhenFree, decide, lockOf, breakIfDead }

  /**
   * Resolves to the record when the lock is free. A lock whose holder has died, or makes no progress for ten seconds,
   * is broken. Rejects with `BusyError` after a minute.
   */
  async function whenFree (fileId: string): Promise<RecordSnapshot> {
    const isStuck = stuckLockDetector()
    for (const started = performance.now(); ;) {
      const snapshot = await recordStore.read(fileId)
      const { lock } = snapshot.record
      if (lock === undefined) return snapshot
      if (isHolderDead(lock) || isStuck(lock)) {
        await breakLock(fileId, snapshot, lock)
      } else {
        if (performance.now() - started > BUSY_AFTER_MS) {
          throw new BusyError(`others were publishing it for more than ${BUSY_AFTER_MS} ms`)
        }
        await delay(POLL_INTERVAL_MS, undefined, { signal: shutdown.endSaves })
      }
    }
  }

  /** Like `whenFree`, but includes the file. */
  async function lookWhenFree (fileId: string): Promise<Look> {
    const snapshot = await whenFree(fileId)
    return { snapshot, current: await fileAt(snapshot, fileId, storage) }
  }

  /**
   * Looks and decides, repeatedly while the decision is `CHANGED`. `early`: the first look, taken earlier. `purpose`:
   * for the message of the final `BusyError`.
   */
  async function decide<Result> (
    fileId: string, purpose: string, decision: (look: Look) => Promise<Result | typeof CHANGED>, early?: Look
  ): Promise<Result> {
    for (let decisions = 0; decisions < MAX_DECISIONS; decisions++) {
      const decided = await decision(decisions === 0 && early ? early : await lookWhenFree(fileId))
      if (decided !== CHANGED) return decided
    }
    throw new BusyError(`it was changed ${MAX_DECISIONS} times while ${purpose}`)
  }

  /** The lock of a file, not yet acquired. */
  function lockOf (fileId: string, snapshot: RecordSnapshot) {
    let held: HeldLock | undefined

    return {
      /**
       * Acquires the lock if the record has not changed since the snapshot. Resolves to whether it is held.
       * `publishing`: what is about to be published.
       */
      async acquire (publishing?: Publishing): Promise<boolean> {
        const acquired = await acquire(fileId, snapshot, publishing)
        held = acquired ?? held // a storage may ask again after it was acquired
        return acquired !== null
      },

      /**
       * Applies a durable change to the record and releases the lock if it was acquired: a storage may publish without
       * calling `beforePublish`. Failures are retried, because the content is already stored.
       */
      async releaseWith (change: (record: SessionRecord) => SessionRecord, cause?: Cause): Promise<void> {
        const id = held?.id ?? ''
        const released = (record: SessionRecord) => change(withoutLock(record, id))
        const options = cause && { cause }
        /** Nobody changes the record of a locked file, unless the lock is broken, or both were removed. */
        const release = async () => {
          if (held) {
            const { snapshot } = held
            if (await recordStore.compareAndSet(fileId, released(snapshot.record), snapshot, options)) return
            if (await isRemoved(fileId)) return
          }
          await recordStore.update(fileId, released, options)
        }
        try {
          for (let attempt = 1; ; attempt++) {
            try {
              return await release()
            } catch (error) {
              if (attempt === RELEASE_ATTEMPTS) throw error
              await delay(POLL_INTERVAL_MS * 4 ** attempt)
            }
          }
        } finally {
          heldIds.delete(id)
        }
      },

      /**
       * Releases the lock when nothing was published, or that is unknown: afterwards, it is certain whether anything
       * was.
       */
      async abandon (): Promise<void> {
        if (!held) return
        const { id } = held
        heldIds.delete(id)
        const current = await recordStore.read(fileId)
        if (current.record.lock?.id === id) await breakLock(fileId, current, current.record.lock)
      }
    }
  }

  /** Whether somebody has removed a document and its record. */
  async function isRemoved (fileId: string): Promise<boolean> {
    return (await recordStore.read(fileId)).version === null && await storage.stat(fileId) === null
  }

  /** Breaks a lock whose holder is known to have died, and finds out what the holder published. */
  async function breakIfDead (fileId: string, snapshot: RecordSnapshot): Promise<void> {
    const { lock } = snapshot.record
    if (lock !== undefined && isHolderDead(lock)) await breakLock(fileId, snapshot, lock)
  }

  async function acquire (fileId: string, snapshot: RecordSnapshot, publishing?: Publishing): Promise<HeldLock | null> {
    const id = `${instance}.${randomUUID()}`
    heldIds.add(id)
    try {
      const lock = { id, ...(owner !== undefined && { owner }), ...(publishing && { publishing }) }
      const locked = await recordStore.compareAndSet(fileId, { ...snapshot.record, lock }, snapshot, NOT_DURABLE)
      if (locked !== null) return { id, snapshot: locked }
      // A storage may report failure although it has stored the record.
      const found = await recordStore.read(fileId)
      if (found.record.lock?.id === id) return { id, snapshot: found }
    } catch (error) {
      heldIds.delete(id)
      throw error
    }
    heldIds.delete(id)
    return null
  }

  function isHolderDead ({ id, owner }: Lock): boolean {
    return (id.startsWith(`${instance}.`) && !heldIds.has(id)) || (owner !== undefined && hasEnded?.(owner) === true)
  }

  /**
   * Takes the lock over, so that no other instance breaks it; revokes the holder's ticket, so that the holder can no
   * longer publish; then the stored revision shows whether it has published.
   */
  async function breakLock (fileId: string, snapshot: RecordSnapshot, lock: Lock): Promise<void> {
    const held = await acquire(fileId, snapshot, lock.publishing)
    if (held === null) return
    const { id } = held
    try {
      if (lock.publishing?.ticket !== undefined) await storage.revoke?.(fileId, lock.publishing.ticket)
      const revision = (await storage.stat(fileId))?.revision
      await recordStore.update(fileId, record => record.lock?.id === id ? deadLockRemoved(record, revision) : record)
    } finally {
      heldIds.delete(id)
    }
  }
}

/** Uses this machine's monotonic clock, because the clocks of two machines differ. */
function stuckLockDetector (): (lock: Lock) => boolean {
  let watched = { id: '', since: 0 }
  return function isStuck ({ id }) {
    if (watched.id !== id) watched = { id, since: performance.now() }
    return performance.now() - watched.since > BROKEN_AFTER_MS
  }
}

function withoutLock (record: SessionRecord, id: string): SessionRecord {
  if (record.lock?.id !== id) return record
  const { lock, ...rest } = record
  return rest
}
