import type { StoredVersion } from '../../types/storage.js'

/** What is kept of the earlier versions of a document. */
export interface Retention {
  readonly keep: number
  /** Milliseconds after a version was superseded. */
  readonly maxAge: number
  /** Of all versions together. */
  readonly maxBytes: number
}

/** The numbers of the versions that need not be kept. `versions`: oldest first. The newest one is always kept. */
export function superfluous (versions: readonly StoredVersion[], { keep, maxAge, maxBytes }: Retention, now: number): number[] {
  let bytes = 0
  const firstKept = versions.findLastIndex(({ size, changesSize, keptAt }, index) => {
    bytes += size + (changesSize ?? 0)
    const isNewest = index === versions.length - 1
    return !isNewest && (versions.length - index > keep || now - keptAt.getTime() > maxAge || bytes > maxBytes)
  }) + 1
  return versions.slice(0, firstKept).map(({ version }) => version)
}
