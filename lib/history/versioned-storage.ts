import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../types/options.js'
import type {
  Committed, FileInfo, KeepOptions, StagedContent, StoredVersion, VersionLimits, VersionStore
} from '../../types/storage.js'
import { VersionNotKeptError } from '../errors.js'
import { type Details, detailsOf, type Made, madeAfter, type NewVersion } from '../save/version-details.js'
import type { Services } from '../services.js'
import type { StagedCommitOptions, StagedReplaceOptions, TimedStorage } from '../storage/timed-storage.js'

/** Which earlier versions of a document are kept. */
export interface Retention {
  /** Maximum number of versions. */
  readonly keep: number
  /** Milliseconds after a version was superseded. */
  readonly maxAge: number
  /** Maximum size of all versions together. */
  readonly maxBytes: number
}

/** A save's description of its content. */
interface Described {
  readonly version?: () => NewVersion
}
type CommitArguments = [
  fileId: string,
  content: StagedContent,
  options: Omit<StagedCommitOptions, 'version'> & Described
]
type ReplaceArguments = [
  fileId: string,
  content: StagedContent,
  options: Omit<StagedReplaceOptions, 'version'> & Described
]

/** Limit for pruning during a save: the lock is held, and the document server waits. */
const PRUNE_WAIT_MS = 1000

/** Thrown when the stored file has another revision, so nothing was kept. */
const CHANGED = new Error('The document was changed before its version could be kept')

/**
 * A storage whose `replace` and `commit` keep the replaced content as a version, before or when the new content is
 * published. If that fails, nothing is published. A storage that has not yet called `beforePublish` may never call it,
 * so its versions are kept before it replaces anything.
 */
export function withVersions (
  storage: TimedStorage, versions: VersionStore, retention: () => Retention,
  { settings: { clock }, log }: Pick<Services, 'settings' | 'log'>
): TimedStorage {
  let isKnownToCall = false
  return { ...storage, replace, ...(storage.commit && { commit }) }

  async function commit (...[fileId, content, { version, ...options }]: CommitArguments): Promise<Committed | null> {
    const committed = await storage.commit!(fileId, content, {
      ...options,
      keep: ({ revision }, newest) => keepOptions(clock.now(), options.ifRevision, newest, version?.(), revision),
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
      // Holding the lock keeps another instance from noting its own save beside this version.
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

  async function keep (
    fileId: string,
    revision: string,
    describe: (() => NewVersion) | undefined,
    nextRevision: string | undefined
  ): Promise<void> {
    const newest = (await versions.list(fileId, { newest: 1 })).at(-1) ?? null
    const options = keepOptions(clock.now(), revision, newest, describe?.(), nextRevision)
    if (await versions.keep(fileId, revision, options) === null) throw CHANGED
  }

  function limits (): VersionLimits {
    const { keep, maxBytes, maxAge } = retention()
    return { keep, maxBytes, keptSince: new Date(Math.max(0, clock.now() - maxAge)) }
  }

  async function pruneForAWhile (fileId: string): Promise<void> {
    await Promise.race([prune(fileId), delay(PRUNE_WAIT_MS, undefined, { ref: false })])
  }

  /** Never rejects, because the save is already stored. A later save deletes what is left. */
  async function prune (fileId: string): Promise<void> {
    try {
      if (versions.prune) {
        await versions.prune(fileId, limits())
        return
      }
      const numbers = expiredVersions(await versions.list(fileId), retention(), clock.now())
      if (numbers.length > 0) await versions.remove(fileId, numbers)
    } catch (err) {
      log.error({ err, fileId }, 'old versions of a document could not be deleted: the next save tries again')
    }
  }
}

const DAY_MS = 24 * 60 * 60_000

/**
 * What is kept at present. No version is too old for a day after the clock has jumped ahead by more than a day: a wrong
 * clock must not empty all histories. Afterwards it is believed.
 */
export function steadyRetention (retention: Retention, clock: Clock): () => Retention {
  const look = () => ({ time: clock.now(), ticks: performance.now() })
  let last = look()
  let jumpedAt = -Infinity
  return () => {
    const present = look()
    if (present.time - last.time - (present.ticks - last.ticks) > DAY_MS) jumpedAt = present.ticks
    last = present
    return present.ticks - jumpedAt > DAY_MS ? retention : { ...retention, maxAge: Infinity }
  }
}

/** Options for keeping the content with this revision, which is about to be superseded. */
export function keepOptions (
  now: number,
  revision: string,
  newest: StoredVersion | null,
  version?: NewVersion,
  nextRevision?: string
): KeepOptions {
  const made = madeOf(revision, newest)
  const { priority: known = 0, made: previous } = detailsOf(newest?.details)
  const isKept = newest?.revision === revision // it was already compared with the version before it
  const priority = Math.max(priorityOf(made, previous, now), isKept ? known : 0)
  const session = sessionOf(made)
  const next = version && { ...version.made, ...(nextRevision !== undefined && { revision: nextRevision }) }
  const details: Details = { priority, ...(made && { made }), ...(next && { next }) }
  return {
    details,
    priority,
    ...(version?.changes && { changes: version.changes }),
    ...(session !== undefined && { session })
  }
}

/** `newest`: the newest kept version, which is this content itself if a save failed after keeping it. */
function madeOf (revision: string, newest: StoredVersion | null): Made | undefined {
  if (newest === null) return undefined
  const details = detailsOf(newest.details)
  return newest.revision === revision ? details.made : madeAfter(details, revision)
}

const HOUR_MS = 60 * 60_000
/**
 * The priority of a version is the number of these durations for which it was the present one. This spreads the
 * remaining versions over time.
 */
const STAGES_MS = [60_000, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]
const MAX_PRIORITY = STAGES_MS.length
/** Minimum priority of the first version of an author's work. */
const PRIORITY_OF_FIRST = 2

/**
 * The priority of a version that is superseded `now`. Versions with a higher priority stay longer when there are too
 * many. `previous`: how the version before came about. Content that the plugin did not store, such as an upload, has
 * the highest.
 */
function priorityOf (made: Made | undefined, previous: Made | undefined, now: number): number {
  if (made === undefined) return MAX_PRIORITY
  const stages = STAGES_MS.filter(ms => now - Date.parse(made.savedAt) >= ms).length
  return made.user?.id === previous?.user?.id ? stages : Math.max(stages, PRIORITY_OF_FIRST)
}

/** The session that stored content. Consecutive restores by one user count as one session: nobody needs to see each. */
function sessionOf (made: Made | undefined): string | undefined {
  return made?.restored === undefined ? made?.key : `restored by ${made.user?.id ?? ''}`
}

/**
 * The numbers of the versions to remove. `versions`: oldest first. The newest version and those with a label are always
 * kept; labelled ones do not count. Expired versions are removed in any case. If there are still too many, versions
 * within a session go first, then versions with the lowest priority, the oldest first: a user who saves every minute,
 * or restores one version after another, must not displace what others did last week.
 */
export function expiredVersions (
  versions: readonly StoredVersion[], { keep, maxAge, maxBytes }: Retention, now: number
): number[] {
  let count = versions.filter(({ label }) => label === undefined).length
  let bytes = versions.reduce((sum, version) => sum + bytesOf(version), 0)
  const isTooMuch = () => count > keep || bytes > maxBytes
  const removed = new Set<StoredVersion>()
  const remove = (version: StoredVersion) => {
    removed.add(version)
    count--
    bytes -= bytesOf(version)
  }
  const older = versions.slice(0, -1).filter(({ label }) => label === undefined)
  for (const version of older) if (now - version.keptAt.getTime() > maxAge) remove(version)
  const ranks = ranksOf(versions)
  for (const version of older.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!)) {
    if (isTooMuch() && !removed.has(version)) remove(version)
  }
  return versions.filter(version => removed.has(version)).map(({ version }) => version)
}

/**
 * Versions with a lower rank are removed first. A version is within a session if two other saves of the session follow.
 * The data of a version's changes is kept beside its predecessor, so the last two saves of a session stay.
 */
function ranksOf (versions: readonly StoredVersion[]): ReadonlyMap<StoredVersion, number> {
  const details = versions.map(({ details }) => detailsOf(details))
  const sessions = details.map(({ made }) => sessionOf(made))
  return new Map(versions.map((version, index) => {
    const isWithinSession = sessions[index] !== undefined &&
      [1, 2].every(step => sessions[index + step] === sessions[index])
    return [version, isWithinSession ? -1 : details[index]!.priority ?? 0]
  }))
}

function bytesOf ({ size, changesSize }: StoredVersion): number {
  return size + (changesSize ?? 0)
}
