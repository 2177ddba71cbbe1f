import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateStore } from '../../types/storage.js'
import { UpstreamTimeoutError } from '../errors.js'
import { finalFailure } from '../outbound/final-failure.js'
import { type FileRecord, type Lock, settled, type StoredSave } from './record.js'
import type { Records } from './records.js'

/** The right to store content of one file, which one instance has at a time. */
export interface Lease {
  /** As it was when the lease began. */
  readonly record: FileRecord
  /** The record now. Rejects when the lease was lost: someone else took this process for dead. */
  current (): Promise<FileRecord>
  /** Notes what is about to be published. Rejects when the lease was lost. */
  publishing (save: StoredSave): Promise<void>
  /** Changes the record for good and ends the lease; tries again when that fails. */
  end (change: (record: FileRecord) => FileRecord): Promise<void>
}

export type Leases = <Result>(fileId: string, task: (lease: Lease) => Promise<Result>) => Promise<Result>

interface Dependencies {
  readonly records: Records
  readonly state: Pick<StateStore, 'owner' | 'hasEnded'>
  /** Of the stored content. */
  readonly revisionOf: (fileId: string) => Promise<string | undefined>
  /** Milliseconds that another holder is waited for. */
  readonly patience: number
  /** Ends the waiting when the service stops. */
  readonly stopping: AbortSignal
}

const BEAT_MS = 2000
/** A holder that was not heard of for so long is dead. */
const DEAD_AFTER_MS = 10_000
const POLL_MS = 50
/** By then the content is stored: a failure that passes must not make that a refusal. */
const END_ATTEMPTS = 3

export function leases ({ records, state: { owner, hasEnded }, revisionOf, patience, stopping }: Dependencies): Leases {
  const ours = randomUUID()
  const held = new Set<string>()

  return async function withLease (fileId, task) {
    const id = `${ours}.${randomUUID()}`
    held.add(id)
    try {
      return await hold(fileId, id, task)
    } finally {
      held.delete(id)
    }
  }

  async function hold<Result> (fileId: string, id: string, task: (lease: Lease) => Promise<Result>): Promise<Result> {
    const { lock, ...record } = await acquire(fileId, id)
    const beating = setInterval(() => { changeOwn(fileId, id, beat).catch(() => {}) }, BEAT_MS)
    beating.unref()
    let isOver = false
    try {
      return await task({
        record: lock?.publishing === undefined ? record : await settle(fileId, id, record => ({ ...record, lock: fresh(id) })),
        async current () {
          const current = await records.read(fileId)
          if (current.lock?.id !== id) throw lost()
          return current
        },
        async publishing (save) {
          await changeOwn(fileId, id, lock => ({ ...lock, publishing: save }))
        },
        async end (change) {
          clearInterval(beating)
          for (let attempt = 1; !isOver; attempt++) {
            try {
              // What was reported as a failure may have been done: then our lock is gone.
              await records.change(fileId, current => attempt === 1 || current.lock?.id === id ? change(withoutLock(current, id)) : current)
              isOver = true
            } catch (error) {
              if (attempt === END_ATTEMPTS) throw error
              await delay(POLL_MS * 4 ** attempt)
            }
          }
        }
      })
    } finally {
      clearInterval(beating)
      // Whatever went wrong: if the new content is there, the record says so.
      if (!isOver) await settle(fileId, id, record => record).catch(() => {})
    }
  }

  /** Waits until nobody else has it, or until whoever has it is dead. What the dead one was about to publish stays noted. */
  async function acquire (fileId: string, id: string): Promise<FileRecord> {
    const isDead = deathWatch()
    const started = performance.now()
    for (;;) {
      const record = await records.change(fileId, current => {
        const { lock } = current
        if (lock !== undefined && (lock.id === id || !isDead(lock))) return current
        return { ...current, lock: { ...fresh(id), ...(lock?.publishing && { publishing: lock.publishing }) } }
      })
      if (record.lock?.id === id) return record
      if (performance.now() - started > patience) throw new UpstreamTimeoutError(`another save of the file did not end within ${patience} ms`)
      await delay(POLL_MS, undefined, { signal: stopping })
    }
  }

  /** By our own clock: those of two machines differ. */
  function deathWatch (): (lock: Lock) => boolean {
    let seen = { mark: '', since: 0 }
    return function isDead (lock) {
      // Its end could not be noted.
      if (lock.id.startsWith(`${ours}.`) && !held.has(lock.id)) return true
      if (lock.owner !== undefined && hasEnded?.(lock.owner) === true) return true
      const mark = `${lock.id}.${lock.beat}`
      if (seen.mark !== mark) seen = { mark, since: performance.now() }
      return performance.now() - seen.since > DEAD_AFTER_MS
    }
  }

  async function settle (fileId: string, id: string, change: (record: FileRecord) => FileRecord): Promise<FileRecord> {
    const revision = await revisionOf(fileId)
    return await records.change(fileId, current => current.lock?.id === id ? change(settled(current, revision)) : current)
  }

  async function changeOwn (fileId: string, id: string, change: (lock: Lock) => Lock): Promise<void> {
    await records.change(fileId, current => {
      if (current.lock?.id !== id) throw lost()
      return { ...current, lock: change(current.lock) }
    })
  }

  function fresh (id: string): Lock {
    return { id, ...(owner !== undefined && { owner }), beat: 0 }
  }
}

function lost (): Error {
  return finalFailure(new UpstreamTimeoutError('the save took so long that another instance took over'))
}

function beat (lock: Lock): Lock {
  return { ...lock, beat: lock.beat + 1 }
}

function withoutLock (record: FileRecord, id: string): FileRecord {
  if (record.lock?.id !== id) return record
  const { lock, ...rest } = record
  return rest
}
