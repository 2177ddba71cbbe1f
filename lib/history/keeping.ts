import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../types/options.js'
import type { KeepOptions, StoredVersion, VersionStore } from '../../types/storage.js'
import { VersionNotKeptError } from '../errors.js'
import type { StagedReplaceOptions, StagingStorage } from '../save/staging.js'
import { type Details, detailsOf, type Made, madeAfter, type NewVersion } from './details.js'
import { type Retention, superfluous } from './retention.js'

interface Dependencies {
  readonly versions: VersionStore
  readonly retention: Retention
  readonly clock: Clock
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

/** The lock is held meanwhile, and the document server waits. */
const PRUNE_WAIT_MS = 1000

/** The stored file has another revision: nothing was kept. */
const CHANGED = new Error('The document was changed before its version could be kept')

/**
 * A storage whose `replace` and `commit` keep the replaced content as a version, before or when the new content is published. If that
 * fails, nothing is published. A storage that has never called `beforePublish` may never do it: its versions are kept before it
 * replaces anything.
 */
export function keepingStorage (storage: StagingStorage, { versions, retention, clock, log }: Dependencies): StagingStorage {
  let isKnownToCall = false
  return { ...storage, replace, ...(storage.commit && { commit }) }

  async function commit (...[fileId, content, { version, ...options }]: Parameters<NonNullable<StagingStorage['commit']>>): ReturnType<NonNullable<StagingStorage['commit']>> {
    return await storage.commit!(fileId, content, {
      ...options,
      keep: ({ revision }, earlier) => keepOptions(options.ifRevision, earlier.at(-1), version?.(), revision),
      prune: kept => superfluous(kept, retention, clock.now())
    })
  }

  async function replace (...[fileId, content, { version, ...options }]: Parameters<StagingStorage['replace']>): ReturnType<StagingStorage['replace']> {
    let kept: readonly StoredVersion[] | undefined
    const beforePublish: StagedReplaceOptions['beforePublish'] = async (info, ticket) => {
      isKnownToCall = true
      await options.beforePublish?.(info, ticket)
      // With the lock: another instance would note its own save beside this version.
      kept = await keep(fileId, options.ifRevision, version, info?.revision)
    }
    try {
      if (!isKnownToCall) kept = await keep(fileId, options.ifRevision, version, undefined)
      const info = await storage.replace(fileId, content, { ...options, beforePublish })
      if (info === null) return null
      if (kept === undefined) throw new VersionNotKeptError()
      await Promise.race([prune(fileId, kept), delay(PRUNE_WAIT_MS, undefined, { ref: false })])
      return info
    } catch (error) {
      if (error === CHANGED) return null
      throw error
    }
  }

  /** Resolves to all versions that are kept then. */
  async function keep (fileId: string, revision: string, describe: (() => NewVersion) | undefined, nextRevision: string | undefined): Promise<readonly StoredVersion[]> {
    const earlier = await versions.list(fileId)
    const kept = await versions.keep(fileId, revision, keepOptions(revision, earlier.at(-1), describe?.(), nextRevision))
    if (kept === null) throw CHANGED
    return [...earlier.filter(({ version }) => version !== kept.version), kept]
  }

  /** For the version with this revision, which is to be superseded. */
  function keepOptions (revision: string, last: StoredVersion | undefined, version: NewVersion | undefined, nextRevision: string | undefined): KeepOptions {
    const made = madeOf(revision, last)
    const next = version && { ...version.made, ...(nextRevision !== undefined && { revision: nextRevision }) }
    const details: Details = { ...(made && { made }), ...(next && { next }) }
    return { details, ...(version?.changes && { changes: version.changes }) }
  }

  /** `last`: the version kept last, which is the content itself if a save failed after it was kept. */
  function madeOf (revision: string, last: StoredVersion | undefined): Made | undefined {
    if (last === undefined) return undefined
    const details = detailsOf(last.details)
    return last.revision === revision ? details.made : madeAfter(details, revision)
  }

  /** The save is stored: what is left is deleted by a later save. */
  async function prune (fileId: string, kept: readonly StoredVersion[]): Promise<void> {
    try {
      const numbers = superfluous(kept, retention, clock.now())
      if (numbers.length > 0) await versions.remove(fileId, numbers)
    } catch (err) {
      log.error({ err, fileId }, 'old versions of a document could not be deleted: the next save tries again')
    }
  }
}
