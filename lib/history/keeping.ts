import { setTimeout as delay } from 'node:timers/promises'
import type { Committed, FileInfo, KeepOptions, StagedContent, StoredVersion, VersionLimits, VersionStore } from '../../types/storage.js'
import { VersionNotKeptError } from '../errors.js'
import type { StagedCommitOptions, StagedReplaceOptions, TimedStorage } from '../storage/timed-storage.js'
import type { Services } from '../services.js'
import { type Details, detailsOf, type Made, madeAfter, type NewVersion } from './details.js'
import { priorityOf, type Retention, sessionOf, superfluous } from './retention.js'

/** What saves say about the content that they store. */
interface Described { readonly version?: () => NewVersion }
type CommitArguments = [fileId: string, content: StagedContent, options: Omit<StagedCommitOptions, 'version'> & Described]
type ReplaceArguments = [fileId: string, content: StagedContent, options: Omit<StagedReplaceOptions, 'version'> & Described]

/** The lock is held meanwhile, and the document server waits. */
const PRUNE_WAIT_MS = 1000

/** The stored file has another revision: nothing was kept. */
const CHANGED = new Error('The document was changed before its version could be kept')

/**
 * A storage whose `replace` and `commit` keep the replaced content as a version, before or when the new content is published. If that
 * fails, nothing is published. A storage that has never called `beforePublish` may never do it: its versions are kept before it
 * replaces anything.
 */
export function keepingStorage (storage: TimedStorage, versions: VersionStore, retention: Retention, { settings: { clock }, log }: Pick<Services, 'settings' | 'log'>): TimedStorage {
  let isKnownToCall = false
  return { ...storage, replace, ...(storage.commit && { commit }) }

  async function commit (...[fileId, content, { version, ...options }]: CommitArguments): Promise<Committed | null> {
    const committed = await storage.commit!(fileId, content, {
      ...options,
      keep: ({ revision }, newest) => keepOptions(options.ifRevision, newest, version?.(), revision),
      ...(versions.prune && { prune: limits() })
    })
    if (committed && !versions.prune) await pruneForAWhile(fileId)
    return committed
  }

  async function replace (...[fileId, content, { version, ...options }]: ReplaceArguments): Promise<FileInfo | null> {
    let isKept = false
    const beforePublish: StagedReplaceOptions['beforePublish'] = async (info, ticket) => {
      isKnownToCall = true
      await options.beforePublish?.(info, ticket)
      // With the lock: another instance would note its own save beside this version.
      await keep(fileId, options.ifRevision, version, info?.revision)
      isKept = true
    }
    try {
      if (!isKnownToCall) {
        await keep(fileId, options.ifRevision, version, undefined)
        isKept = true
      }
      const info = await storage.replace(fileId, content, { ...options, beforePublish })
      if (info === null) return null
      if (!isKept) throw new VersionNotKeptError()
      await pruneForAWhile(fileId)
      return info
    } catch (error) {
      if (error === CHANGED) return null
      throw error
    }
  }

  async function keep (fileId: string, revision: string, describe: (() => NewVersion) | undefined, nextRevision: string | undefined): Promise<void> {
    const newest = (await versions.list(fileId, { newest: 1 })).at(-1) ?? null
    if (await versions.keep(fileId, revision, keepOptions(revision, newest, describe?.(), nextRevision)) === null) throw CHANGED
  }

  /** For the version with this revision, which is to be superseded. */
  function keepOptions (revision: string, newest: StoredVersion | null, version: NewVersion | undefined, nextRevision: string | undefined): KeepOptions {
    const made = madeOf(revision, newest)
    const { priority: known = 0, made: previous } = detailsOf(newest?.details)
    const isKept = newest?.revision === revision // then it was compared with the version before it already
    const priority = Math.max(priorityOf(made, previous, clock.now()), isKept ? known : 0)
    const session = sessionOf(made)
    const next = version && { ...version.made, ...(nextRevision !== undefined && { revision: nextRevision }) }
    const details: Details = { priority, ...(made && { made }), ...(next && { next }) }
    return { details, priority, ...(version?.changes && { changes: version.changes }), ...(session !== undefined && { session }) }
  }

  /** `newest`: of the kept versions, which is the content itself if a save failed after it was kept. */
  function madeOf (revision: string, newest: StoredVersion | null): Made | undefined {
    if (newest === null) return undefined
    const details = detailsOf(newest.details)
    return newest.revision === revision ? details.made : madeAfter(details, revision)
  }

  function limits (): VersionLimits {
    const { keep, maxBytes, maxAge } = retention
    return { keep, maxBytes, keptSince: new Date(Math.max(0, clock.now() - maxAge)) }
  }

  async function pruneForAWhile (fileId: string): Promise<void> {
    await Promise.race([prune(fileId), delay(PRUNE_WAIT_MS, undefined, { ref: false })])
  }

  /** The save is stored: what is left is deleted by a later save. */
  async function prune (fileId: string): Promise<void> {
    try {
      if (versions.prune) {
        await versions.prune(fileId, limits())
        return
      }
      const numbers = superfluous(await versions.list(fileId), retention, clock.now())
      if (numbers.length > 0) await versions.remove(fileId, numbers)
    } catch (err) {
      log.error({ err, fileId }, 'old versions of a document could not be deleted: the next save tries again')
    }
  }
}
