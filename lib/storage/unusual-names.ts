import { opendir } from 'node:fs/promises'
import { knownExtensions } from '../document-server/formats.js'
import { type DirectoryVersion, isUnchanged } from './directory-version.js'
import { splitName } from './file-info.js'

const known: ReadonlySet<string> = new Set(knownExtensions)

/**
 * Which names of one fileId count before which: 0 for an extension the document server opens, in lower case; 1 for one in
 * capitals; 2 for all others, which a look-up does not try by itself.
 */
export function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (known.has(extension)) return 0
  return extension === extension.toUpperCase() && known.has(extension.toLowerCase()) ? 1 : 2
}

type NamesByStem = ReadonlyMap<string, readonly string[]>

/**
 * Finds the names of a stem that end in an extension nobody could guess. That takes a walk through the directory, so
 * its outcome is kept (in memory only the unusual names) until names come or go, and concurrent look-ups share a walk.
 */
export function unusualNames (directory: string, currentVersion: () => Promise<DirectoryVersion>) {
  let kept: { version: DirectoryVersion, names: NamesByStem } | undefined
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<NamesByStem> | undefined

  return async function namesOf (stem: string): Promise<readonly string[]> {
    const names = kept && isUnchanged(kept.version, await currentVersion()) ? kept.names : await nextWalk()
    return names.get(stem) ?? []
  }

  /** A walk that is under way may have passed the place where a name has just appeared: only the next one will do. */
  function nextWalk (): Promise<NamesByStem> {
    if (!next) {
      next = running.then(() => {
        next = undefined
        return walk()
      })
      running = next.catch(() => {})
    }
    return next
  }

  async function walk (): Promise<NamesByStem> {
    const version = await currentVersion()
    const names = new Map<string, string[]>()
    for await (const { name } of await opendir(directory, { bufferSize: 256 })) {
      const parts = splitName(name)
      if (!parts || rankOf(name) < 2) continue
      const sameStem = names.get(parts.stem)
      if (sameStem) sameStem.push(name)
      else names.set(parts.stem, [name])
    }
    kept = { version, names }
    return names
  }
}
