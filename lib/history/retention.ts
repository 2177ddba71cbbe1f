import type { StoredVersion } from '../../types/storage.js'
import { detailsOf, type Made } from './details.js'

/** What is kept of the earlier versions of a document. */
export interface Retention {
  readonly keep: number
  /** Milliseconds after a version was superseded. */
  readonly maxAge: number
  /** Of all versions together. */
  readonly maxBytes: number
}

const HOUR_MS = 60 * 60_000
/** The priority of a version is how many of these times it was the present one: so what is left is spread over time. */
const STAGES_MS = [60_000, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]
const MAX_PRIORITY = STAGES_MS.length
/** At least, of the first version of an author's work. */
const PRIORITY_OF_FIRST = 2

/**
 * How long a version that is superseded `now` stays when there are too many. `previous`: how the one before it came about. A content that
 * the plugin did not store, such as an upload, stays longest.
 */
export function priorityOf (made: Made | undefined, previous: Made | undefined, now: number): number {
  if (made === undefined) return MAX_PRIORITY
  const stages = STAGES_MS.filter(ms => now - Date.parse(made.savedAt) >= ms).length
  return made.user?.id === previous?.user?.id ? stages : Math.max(stages, PRIORITY_OF_FIRST)
}

/** The session that stored a content. The restores of one user, one after the other, are one: nobody needs to see each. */
export function sessionOf (made: Made | undefined): string | undefined {
  return made?.restored === undefined ? made?.key : `restored by ${made.user?.id ?? ''}`
}

/**
 * The numbers of the versions that need not be kept. `versions`: oldest first. The newest one is always kept. Too old ones go in any
 * case. If there are still too many, those within a session go first, then those with the lowest priority, of these the oldest: who
 * saves every minute, or restores one version after the other, must not push out what others did last week.
 */
export function superfluous (versions: readonly StoredVersion[], { keep, maxAge, maxBytes }: Retention, now: number): number[] {
  let count = versions.length
  let bytes = versions.reduce((sum, version) => sum + bytesOf(version), 0)
  const isTooMuch = () => count > keep || bytes > maxBytes
  const removed = new Set<StoredVersion>()
  const remove = (version: StoredVersion) => {
    removed.add(version)
    count--
    bytes -= bytesOf(version)
  }
  const older = versions.slice(0, -1)
  for (const version of older) if (now - version.keptAt.getTime() > maxAge) remove(version)
  const ranks = ranksOf(versions)
  for (const version of older.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!)) if (isTooMuch() && !removed.has(version)) remove(version)
  return versions.filter(version => removed.has(version)).map(({ version }) => version)
}

/**
 * Versions with a lower rank are removed first. Within a session are those that two other saves of it follow: the data of a version's
 * changes are kept beside its predecessor, so the last two saves of a session stay.
 */
function ranksOf (versions: readonly StoredVersion[]): ReadonlyMap<StoredVersion, number> {
  const details = versions.map(({ details }) => detailsOf(details))
  const sessions = details.map(({ made }) => sessionOf(made))
  return new Map(versions.map((version, index) => {
    const isWithinSession = sessions[index] !== undefined && [1, 2].every(step => sessions[index + step] === sessions[index])
    return [version, isWithinSession ? -1 : details[index]!.priority ?? 0]
  }))
}

function bytesOf ({ size, changesSize }: StoredVersion): number {
  return size + (changesSize ?? 0)
}
