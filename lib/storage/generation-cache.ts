import { type BigIntStats, statSync } from 'node:fs'
import { BoundedMap } from '../bounded-map.js'
import { parseJson } from '../json.js'
import { TIME_GRANULARITY_MS } from './file-system.js'
import { type NewestGeneration, newestIn } from './state-generations.js'

/** Of the records that were read last. */
const MAX_ENTRIES = 10_000

/** Characters. Longer records are read each time. */
const MAX_LENGTH = 8 * 1024

interface Entry {
  /** Which folder it was, and when that was last changed, before it was read. */
  readonly folder: FolderState
  /** As JSON: whoever gets it may change it. */
  readonly newest: string
}

/** Every change of a folder changes its ctime, which no program can set. */
type FolderState = Pick<BigIntStats, 'dev' | 'ino' | 'ctimeNs'>

/**
 * As `newestIn`, but remembers what it has read for as long as the record's folder stays the same: generations never change
 * themselves. Only for a local file system: it asks for the stats of the folder without the thread pool.
 */
export function rememberingNewest (): typeof newestIn {
  const entries = new BoundedMap<string, Entry>(MAX_ENTRIES)

  return async function newest (folder) {
    const stats = statSync(folder, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const entry = entries.get(folder)
    if (entry !== undefined && isSame(entry.folder, stats)) return parseJson(entry.newest) as NewestGeneration
    entries.delete(folder)
    const found = await newestIn(folder)
    const text = JSON.stringify(found)
    if (found !== undefined && text.length <= MAX_LENGTH && isSettled(stats)) entries.set(folder, { folder: stateOf(stats), newest: text })
    return found
  }
}

/** Without the rest of the stats, which takes more memory than most records. */
function stateOf ({ dev, ino, ctimeNs }: BigIntStats): FolderState {
  return { dev, ino, ctimeNs }
}

function isSame (a: FolderState, b: FolderState): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.ctimeNs === b.ctimeNs
}

/** Whether a change from now on gives the folder another time. */
function isSettled ({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) > TIME_GRANULARITY_MS
}
