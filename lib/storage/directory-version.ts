import { lstat } from 'node:fs/promises'

/** Longer than the granularity of any kernel's file times, which is that of its timer: 1 to 16 ms. */
const GRANULARITY_MS = 50

/** Identifies the set of names in a directory. */
export interface DirectoryVersion {
  readonly mtimeNs: bigint
  /** Whether a later change is certain to have another `mtimeNs`. */
  readonly settled: boolean
}

/**
 * Tells whether names came or went since an earlier call. Rejects when the directory is gone.
 * A time counts as settled once it was seen unchanged for longer than the granularity, by our own monotonic clock:
 * the clock of a file server may differ from the system's.
 */
export function directoryVersions (directory: string): () => Promise<DirectoryVersion> {
  let seen = { mtimeNs: -1n, since: 0 }

  return async function current () {
    const asked = performance.now()
    const { mtimeNs } = await lstat(directory, { bigint: true })
    if (mtimeNs !== seen.mtimeNs) seen = { mtimeNs, since: performance.now() }
    return { mtimeNs, settled: asked - seen.since > GRANULARITY_MS }
  }
}

export function isUnchanged (before: DirectoryVersion, after: DirectoryVersion): boolean {
  return before.settled && before.mtimeNs === after.mtimeNs
}
