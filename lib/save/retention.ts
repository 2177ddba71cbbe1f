import type { EditorClock } from '../../types/options.js'
import type { VersionKeepOptions, StoredVersion } from '../../types/storage.js'
import type { StagedContent, VersionLimits } from '../store/contract.js'
import { type Thinnable, thinnedOut } from '../store/thinning.js'
import { isDetails } from './save.compiled.js'
import type { Details, Made } from './save.schema.js'

export type { Made } from './save.schema.js'

/** Limits of the earlier versions of a document. */
export interface Retention {
  /** Maximum number of versions. */
  readonly keep: number
  /** Milliseconds after a version was superseded. */
  readonly maxAge: number
  /** Maximum size of all versions together. */
  readonly maxBytes: number
}

const DAY_MS = 24 * 60 * 60_000

/**
 * The limits at present. If the clock jumps ahead by more than a day, no version counts as too old for a day, so that a
 * wrong clock does not empty all histories. After that day the clock is trusted.
 */
export function steadyRetention (retention: Retention, clock: EditorClock): () => Retention {
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
): VersionKeepOptions {
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
 * A version's priority is the number of these durations for which it was the present one. So the remaining versions are
 * spread over time.
 */
const STAGES_MS = [60_000, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]
const MAX_PRIORITY = STAGES_MS.length
/** Minimum priority of the first version of an author's work. */
const PRIORITY_OF_FIRST = 2

/**
 * The priority of a version that is superseded `now`. Versions with a higher priority stay longer. `previous`: the
 * origin of the version before. Content that the plugin did not store, such as an upload, has the highest priority.
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

/** The numbers of the versions to remove. `versions`: oldest first. */
export function expiredVersions (versions: readonly StoredVersion[], retention: Retention, now: number): number[] {
  const thinnable = versions.map(({ version, keptAt, size, changesSize, label, details }): Thinnable => {
    const { made, priority } = detailsOf(details)
    return {
      version,
      keptAt,
      bytes: size + (changesSize ?? 0),
      hasLabel: label !== undefined,
      session: sessionOf(made),
      priority
    }
  })
  return thinnedOut(thinnable, limitsOf(retention, now))
}

export function limitsOf ({ keep, maxBytes, maxAge }: Retention, now: number): VersionLimits {
  return { keep, maxBytes, keptSince: new Date(Math.max(0, now - maxAge)) }
}

/** Describes content that is about to replace the stored content. */
export interface NewVersion {
  readonly made: Made
  /** The document server's data about the changes. */
  readonly changes?: StagedContent | undefined
}

/** Ignores details that the plugin did not write. */
export function detailsOf (value: unknown): Details {
  return isDetails(value) ? value : {}
}

/** Longer texts have no legitimate use, and details must fit the limit of storages. */
export const MAX_TEXT_LENGTH = 255

/** The author of a version, cut to what can be kept. */
export function madeBy ({ id, name }: { readonly id?: unknown, readonly name?: unknown } = {}): Pick<Made, 'user'> {
  if (typeof id !== 'string') return {}
  return {
    user: { id: id.slice(0, MAX_TEXT_LENGTH), name: typeof name === 'string' ? name.slice(0, MAX_TEXT_LENGTH) : '' }
  }
}

/** The origin of the content with this revision, from the details of the version that it superseded. */
export function madeAfter (previous: Details, revision: string): Made | undefined {
  if (previous.next === undefined) return undefined
  const { revision: published, ...made } = previous.next
  return published === undefined || published === revision ? made : undefined
}
