import { randomInt } from 'node:crypto'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { knownExtensions } from '../document-server/formats.js'
import { splitName } from './file-info.js'
import { TIME_GRANULARITY_MS } from './file-system.js'
import type { DirectoryStats } from './network-directory.js'

const supported: ReadonlySet<string> = new Set(knownExtensions)

/** Extensions that the document server does not open: each is one more name that every lookup has to try. */
const MAX_UNSUPPORTED_EXTENSIONS = 64

const MIN_PAUSE_MS = 1000

/**
 * Pause after a scan, as a multiple of its duration: scans take at most a fiftieth of the time, however large the
 * directory.
 */
const PAUSE_PER_SCAN = 50

/** When a directory last changed, that is, when a name was added to it or removed from it. */
export interface DirectoryTimes {
  readonly mtimeNs: bigint
  /**
   * Changes with `mtimeNs`, and whenever a program sets that: `tar` and `rsync` set a directory's modification time
   * when they finish.
   */
  readonly ctimeNs: bigint
  /** Whether any later change is certain to result in other times. */
  readonly isStable: boolean
  /** How many changes by others have been seen. A change that coincides with one by this process is not seen. */
  readonly othersChanges: number
  /** Whether any later change by others is certain to be counted, unless it coincides with a change by this process. */
  readonly isQuiet: boolean
}

/**
 * Reads the times of a directory, and distinguishes changes by this process from changes by others. `read` rejects if
 * the directory is gone. Times are stable once they have been the same for longer than the granularity of file times.
 * That is measured with this process's monotonic clock, because the clock of a file server may differ from this
 * machine's.
 */
export function directoryClock (stats: DirectoryStats) {
  let last = { mtimeNs: -1n, ctimeNs: -1n, firstReadAt: 0 }
  let others = { changes: 0, seenAt: 0 }
  let ownChanges = 0

  return {
    async read (): Promise<DirectoryTimes> {
      const startedAt = performance.now()
      const { mtimeNs, ctimeNs } = await stats.read()
      note(mtimeNs, ctimeNs)
      return {
        mtimeNs,
        ctimeNs,
        isStable: startedAt - last.firstReadAt > TIME_GRANULARITY_MS,
        othersChanges: others.changes,
        isQuiet: startedAt - others.seenAt > TIME_GRANULARITY_MS
      }
    },

    /** Runs a change that replaces a file of the directory or adds a temp file, and renames no document. */
    async changing<Result> (change: () => Promise<Result>): Promise<Result> {
      if (!stats.isLocal()) return await change()
      noteNow()
      ownChanges++
      try {
        return await change()
      } finally {
        noteNow()
        ownChanges--
      }
    }
  }

  function note (mtimeNs: bigint, ctimeNs: bigint): void {
    if (mtimeNs === last.mtimeNs && ctimeNs === last.ctimeNs) return
    last = { mtimeNs, ctimeNs, firstReadAt: performance.now() }
    if (ownChanges === 0) others = { changes: others.changes + 1, seenAt: last.firstReadAt }
  }

  function noteNow (): void {
    try {
      const { mtimeNs, ctimeNs } = stats.readNow()
      note(mtimeNs, ctimeNs)
    } catch {} // the next lookup reports the error, or sees a change by others
  }
}

/** Whether no name has been added to the directory or removed from it between the two reads. */
export function isUnchanged (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isStable && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
}

/** Whether no change by others has been seen between the two reads. */
export function isUnchangedByOthers (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isQuiet && before.othersChanges === after.othersChanges
}

/**
 * The precedence of a name among names with the same fileId, lowest first: 0 for an extension that the document server
 * opens, in lower case; 1 for such an extension in upper case; 2 for any other.
 */
export function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (supported.has(extension)) return 0
  return extension === extension.toUpperCase() && supported.has(extension.toLowerCase()) ? 1 : 2
}

export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>

/**
 * The names found by one scan, in a form whose size does not depend on the number of documents with usual extensions.
 */
interface ScannedNames {
  /** Extensions that lookups try for any fileId, numbered in this order. */
  readonly extensions: Map<string, number>
  /** The extensions of each stem's files, by number. */
  readonly table: NameTable
  /** How many of `extensions` the document server does not open. */
  unsupported: number
  /** Names with extensions beyond the maximum, by fileId. */
  readonly others: Map<string, Set<string>>
}

/**
 * Knows which extensions the files in a directory have. It learns them by scanning the directory: once at the start,
 * later in the background whenever the directory has changed. Lookups neither start a scan nor wait for one.
 */
export function directoryIndex (
  directory: string,
  readTimes: () => Promise<DirectoryTimes>,
  pause: Pause = unrefDelay
) {
  let latest = noNames()
  /** Kept in use, because the latest scan may have happened while a volume was briefly unmounted. */
  let previous = latest
  let scanning = latest
  let scannedAt: DirectoryTimes | undefined
  /** Whether names that differ only in case are different names. */
  let isCaseSensitive = false

  return {
    /** Names that the document may have, besides those with supported extensions. Not all of them exist. */
    namesOf: (fileId: string): string[] =>
      [latest, previous].flatMap((
        { extensions, others }
      ) => [...Array.from(extensions.keys(), extension => `${fileId}.${extension}`), ...others.get(fileId) ?? []]),

    /** When the latest scan began. */
    scannedAt: () => scannedAt,

    /**
     * All names of the document's files, which may include names that are not regular files. Returns `undefined` if
     * they are uncertain, for instance because others have changed the directory since the latest scan, or because that
     * scan found none and the directory has changed since.
     */
    allNamesOf (fileId: string, times: DirectoryTimes): string[] | undefined {
      const { extensions, table, others } = latest
      if (!isCaseSensitive || !table.isComplete || !IS_ASCII.test(fileId)) return undefined
      if (scannedAt === undefined || !isUnchangedByOthers(scannedAt, times)) return undefined
      const numbers = table.numbersOf(fileId)
      const found = numbers.size === 0 ? [] : [...extensions].filter(([, number]) => numbers.has(number))
      const names = [...found.map(([extension]) => `${fileId}.${extension}`), ...others.get(fileId) ?? []]
      return names.length > 0 || isScanned(times) ? names : undefined
    },

    /**
     * Adds a name that this process has created. A scan in progress may already be past its position in the directory.
     */
    add (name: string): void {
      addName(latest, name)
      if (scanning !== latest) addName(scanning, name)
    },

    scan,

    /** Scans in the background until aborted, without keeping the process running. Never rejects. */
    async keepScanning (signal: AbortSignal): Promise<void> {
      for (let duration = 0; !signal.aborted;) {
        await pause(Math.max(MIN_PAUSE_MS, duration * PAUSE_PER_SCAN), signal).catch(() => {})
        const startedAt = performance.now()
        await scanIfChanged(signal).catch(() => {}) // lookups report errors of the directory
        duration = performance.now() - startedAt
      }
    }
  }

  /** Whether the latest scan has seen the directory as it was at these times. */
  function isScanned (times: DirectoryTimes): boolean {
    return scannedAt !== undefined && isUnchanged(scannedAt, times)
  }

  async function scanIfChanged (signal: AbortSignal): Promise<void> {
    if (signal.aborted || (scannedAt !== undefined && isScanned(await readTimes()))) return
    await scan(() => signal.throwIfAborted())
  }

  async function scan (onName: (name: string) => void): Promise<void> {
    const times = await readTimes()
    scanning = noNames()
    let sample: string | undefined
    for await (const { name } of await opendir(directory, { bufferSize: 1024 })) {
      onName(name)
      addName(scanning, name)
      if (sample === undefined && isAsciiWithLetter(name)) sample = name
    }
    isCaseSensitive = sample === undefined || await isDistinctFromOtherCase(directory, sample)
    previous = latest
    latest = scanning
    scannedAt = times
  }
}

/** Some file systems do not distinguish names that are equivalent in Unicode. */
const IS_ASCII = /^[\x20-\x7e]+$/

function isAsciiWithLetter (name: string): boolean {
  return IS_ASCII.test(name) && name.toUpperCase() !== name.toLowerCase()
}

async function isDistinctFromOtherCase (directory: string, name: string): Promise<boolean> {
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  try {
    return (await lstat(join(directory, other), { bigint: true })).ino !==
      (await lstat(join(directory, name), { bigint: true })).ino
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function noNames (): ScannedNames {
  return { extensions: new Map(), table: new NameTable(), unsupported: 0, others: new Map() }
}

function addName (names: ScannedNames, name: string): void {
  // Names that start with a dot are not documents. Copying programs use such names, with arbitrary endings, for their
  // temp files.
  if (name.startsWith('.')) return
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  const number = names.extensions.get(extension)
  if (number !== undefined && dot !== -1) {
    names.table.add(name, dot, number)
    return
  }
  const parts = splitName(name)
  if (parts === undefined) return
  const isUnsupported = rankOf(name) === 2
  if (isUnsupported && names.unsupported === MAX_UNSUPPORTED_EXTENSIONS) {
    const others = names.others.get(parts.stem)
    if (others) others.add(name)
    else names.others.set(parts.stem, new Set([name]))
  } else {
    names.table.add(name, dot, names.extensions.size)
    names.extensions.set(extension, names.extensions.size)
    if (isUnsupported) names.unsupported++
  }
}

async function unrefDelay (milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { ref: false, signal })
}

const BUCKETS = 1024
/**
 * Mask for the extension number in an entry. The other bits are from the stem's hash, whose lower bits select the
 * bucket.
 */
const NUMBER_BITS = BUCKETS - 1

/** More names would take too much memory. */
const MAX_NAMES = 2_000_000

/**
 * The extensions of the files in a directory, by stem, in four to eight bytes per file. Only a hash of the stem is
 * kept, so that very rarely an extension is returned that only another stem has.
 */
class NameTable {
  readonly #seed = randomInt(2 ** 32)
  readonly #buckets = Array.from({ length: BUCKETS }, () => new Uint32Array(4))
  readonly #sizes = new Uint32Array(BUCKETS)
  #size = 0

  /** Whether the table contains all names that were added. */
  get isComplete (): boolean {
    return this.#size <= MAX_NAMES
  }

  /** Adds the number of an extension, at most 1023, for the stem of a name that ends before `end`. */
  add (name: string, end: number, extension: number): void {
    if (++this.#size > MAX_NAMES) return
    const hash = this.#hashOf(name, end)
    const bucket = hash & NUMBER_BITS
    const size = this.#sizes[bucket]!++
    if (size === this.#buckets[bucket]!.length) {
      const larger = new Uint32Array(2 * size)
      larger.set(this.#buckets[bucket]!)
      this.#buckets[bucket] = larger
    }
    this.#buckets[bucket]![size] = (hash & ~NUMBER_BITS) | extension
  }

  /** The numbers of all extensions of a stem. */
  numbersOf (stem: string): Set<number> {
    const hash = this.#hashOf(stem, stem.length)
    const bucket = hash & NUMBER_BITS
    const entries = this.#buckets[bucket]!
    const found = new Set<number>()
    for (let index = 0; index < this.#sizes[bucket]!; index++) {
      if (((entries[index]! ^ hash) & ~NUMBER_BITS) === 0) found.add(entries[index]! & NUMBER_BITS)
    }
    return found
  }

  /**
   * FNV-1a with a final step that spreads every bit. The seed prevents anybody from constructing names with the same
   * hash.
   */
  #hashOf (text: string, end: number): number {
    let hash = this.#seed
    for (let index = 0; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    return hash ^ (hash >>> 13)
  }
}
