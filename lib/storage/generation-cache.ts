import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { BoundedMap } from '../bounded-map.js'
import { parseJson } from '../json.js'
import { type FileIdentity, type Generation, generationPath, type NewestGeneration, newestIn, versionOf } from './state-generations.js'

/** Of the records that were read or written last. */
const MAX_ENTRIES = 10_000

/** Characters. Longer records are read each time. */
const MAX_LENGTH = 8 * 1024

interface Entry {
  readonly version: string
  /** All that may exist, highest first. */
  readonly numbers: readonly number[]
  /** Of the highest. */
  readonly file: FileIdentity
  /** As JSON: whoever gets it may change it. */
  readonly generation: string
}

/**
 * Remembers the newest generation of each record for as long as it is the newest: its file is there, and there is none with the next
 * number. Only for a local file system: it asks for stats without the thread pool.
 */
export function generationCache () {
  const entries = new BoundedMap<string, Entry>(MAX_ENTRIES)

  return {
    async newest (folder: string): Promise<NewestGeneration | undefined> {
      const entry = entries.get(folder)
      if (entry !== undefined && isNewest(folder, entry)) return found(entry)
      entries.delete(folder)
      if (statSync(folder, { throwIfNoEntry: false }) === undefined) return undefined
      const newest = await newestIn(folder)
      if (newest !== undefined) remember(folder, newest)
      return newest
    },

    /** The generation with this version, if it was the newest when it was read or written. */
    latest (folder: string, version: string | null): NewestGeneration | undefined {
      const entry = entries.get(folder)
      return entry?.version === version ? found(entry) : undefined
    },

    /** Whether the generation with this version is still there. `undefined` when it is not remembered. */
    isThere (folder: string, version: string | null): boolean | undefined {
      const entry = entries.get(folder)
      return entry?.version === version ? isThere(folder, entry) : undefined
    },

    remember,

    forget: (folder: string) => { entries.delete(folder) }
  }

  function remember (folder: string, newest: NewestGeneration): void {
    const { numbers, generation, file } = newest
    const text = JSON.stringify(generation)
    if (file === undefined || text.length > MAX_LENGTH) entries.delete(folder)
    else entries.set(folder, { version: versionOf(newest), numbers, file, generation: text })
  }
}

function found ({ numbers, generation, file }: Entry): NewestGeneration {
  return { numbers, generation: parseJson(generation) as Generation, file }
}

/** In this order: as long as a generation is there, the next one has not been removed. */
function isNewest (folder: string, entry: Entry): boolean {
  return statsOf(folder, entry.numbers[0]! + 1) === undefined && isThere(folder, entry)
}

function isThere (folder: string, { numbers: [number], file }: Entry): boolean {
  const stats = statsOf(folder, number!)
  return stats?.ino === file.ino && stats.mtimeNs === file.mtimeNs
}

function statsOf (folder: string, number: number): BigIntStats | undefined {
  return lstatSync(generationPath(folder, number), { bigint: true, throwIfNoEntry: false })
}
