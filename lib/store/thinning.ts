import type { VersionLimits } from './contract.js'

/** The data that decides whether a version is removed. */
export interface Thinnable {
  readonly version: number
  readonly keptAt: Date
  /** Bytes of its content and its changes. */
  readonly bytes: number
  /** Such a version is never removed, and does not count as one of `keep`. */
  readonly hasLabel: boolean
  /** The editing session that stored the content. */
  readonly session?: string | undefined
  readonly isWithinSession?: boolean | undefined
  readonly priority?: number | undefined
}

/**
 * The numbers of the versions to remove, the least important first. `versions`: oldest first; the newest stays.
 * Versions that are too old are always removed. If there are still too many, versions within a session go first, then
 * versions with the lowest priority, the oldest first: a user who saves every minute, or restores one version after
 * another, must not push out the work of others last week.
 */
export function thinnedOut (
  versions: readonly Thinnable[], { keep, maxBytes, keptSince }: VersionLimits
): number[] {
  let count = versions.filter(({ hasLabel }) => !hasLabel).length
  let bytes = versions.reduce((sum, version) => sum + version.bytes, 0)
  const rank = (version: Thinnable, index: number) => isWithinSession(versions, index) ? -1 : version.priority ?? 0
  const candidates = versions.slice(0, -1)
    .map((version, index) => ({ ...version, isOld: version.keptAt < keptSince, rank: rank(version, index) }))
    .filter(({ hasLabel }) => !hasLabel)
    .sort((a, b) => Number(b.isOld) - Number(a.isOld) || a.rank - b.rank)
  const removed: number[] = []
  for (const candidate of candidates) {
    if (!candidate.isOld && count <= keep && bytes <= maxBytes) break
    removed.push(candidate.version)
    count--
    bytes -= candidate.bytes
  }
  return removed
}

/**
 * Whether two other saves of its session follow a version. The data of a version's changes is kept beside its
 * predecessor, so the last two saves of a session stay.
 */
function isWithinSession (
  versions: ReadonlyArray<Pick<Thinnable, 'session' | 'isWithinSession'>>, index: number
): boolean {
  const { session, isWithinSession = false } = versions[index]!
  return isWithinSession || (session !== undefined && [1, 2].every(step => versions[index + step]?.session === session))
}
