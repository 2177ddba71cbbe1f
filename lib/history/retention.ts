import type { StoredVersion } from '../../types/storage.js'
import { detailsOf } from './details.js'

/** What is kept of the earlier versions of a document. */
export interface Retention {
  readonly keep: number
  /** Milliseconds after a version was superseded. */
  readonly maxAge: number
  /** Of all versions together. */
  readonly maxBytes: number
}

/**
 * The numbers of the versions that need not be kept. `versions`: oldest first. The newest one is always kept. Too old ones go in any
 * case. If there are still too many, the force saves within a session go first, and then the oldest: whoever saves every minute
 * must not lose last week's versions.
 */
export function superfluous (versions: readonly StoredVersion[], { keep, maxAge, maxBytes }: Retention, now: number): number[] {
  const isTooOld = ({ keptAt }: StoredVersion) => now - keptAt.getTime() > maxAge
  const candidates = versions.slice(0, -1)
  let count = versions.length
  let bytes = versions.reduce((sum, { size, changesSize }) => sum + size + (changesSize ?? 0), 0)
  const removed = new Set<StoredVersion>()
  const remove = (version: StoredVersion) => {
    if (removed.has(version)) return
    removed.add(version)
    count--
    bytes -= version.size + (version.changesSize ?? 0)
  }
  for (const version of candidates) if (isTooOld(version)) remove(version)
  const isTooMuch = () => count > keep || bytes > maxBytes
  if (isTooMuch()) for (const version of withinSessions(versions)) if (isTooMuch()) remove(version)
  for (const version of candidates) if (isTooMuch()) remove(version)
  return versions.filter(version => removed.has(version)).map(({ version }) => version)
}

/** Force saves that two other saves of their session follow. The data of a version's changes are kept beside its predecessor, so the last two saves of a session stay. */
function withinSessions (versions: readonly StoredVersion[]): StoredVersion[] {
  const keys = versions.map(({ details }) => detailsOf(details).made?.key)
  return versions.filter((_version, index) => keys[index] !== undefined && keys[index] === keys[index + 1] && keys[index] === keys[index + 2])
}
