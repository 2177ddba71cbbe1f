import { hash, randomInt } from 'node:crypto'
import { type BigIntStats, lstat, lstatSync, promises, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FileInfo } from '../../types/storage.js'
import { EXTENSION, knownExtensions } from '../document-server/formats.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/bounded-map.js'
import { freshStats, isLocal as isOnLocalDisk, statsAt, TIME_GRANULARITY_MS } from './file-system.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

const MAX_CACHED_NAMES = 10_000

interface LastFound {
  readonly name: string
  /** When it was the document's only file. It still is, unless others have changed the directory since. */
  readonly onlyAt: DirectoryTimes | undefined
}

/** Extensions that the document server does not open: each is one more name that every lookup has to try. */
const MAX_UNSUPPORTED_EXTENSIONS = 64

const MIN_PAUSE_MS = 1000

/**
 * Pause after a scan, as a multiple of its duration: scans take at most a fiftieth of the time, however large the
 * directory.
 */
const PAUSE_PER_SCAN = 50

const supported: ReadonlySet<string> = new Set(knownExtensions)
const upperCaseExtensions = knownExtensions.map(extension => extension.toUpperCase())

type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>

const unreferencedDelay: Pause = async (milliseconds, signal) =>
  await delay(milliseconds, undefined, { ref: false, signal })

export type FileLookup = ReturnType<typeof fileLookup>

/**
 * Finds the regular files named `<fileId>.<extension>` in a directory. If several have the same fileId, one takes
 * precedence and is the document: files whose extension the document server opens come first, then files with such an
 * extension in upper case, then all others; within each group the newest file, and among equally old files the first by
 * name.
 *
 * The cost of a lookup does not depend on the size of the directory. Files that other processes remove or rename are
 * never found under their old name. Files that they add are found at once if their extension is supported, in lower or
 * upper case, or was there at the latest scan, and otherwise after the next scan. A second file of a document is also
 * found only after the next scan if it is added at the moment in which this process saves one.
 *
 * The directory is scanned once at the start, later in the background whenever it has changed. Lookups neither start a
 * scan nor wait for one.
 */
export function fileLookup (directory: string, pause: Pause = unreferencedDelay) {
  const { read: readTimes, isLocal, changing } = directoryClock(directory)
  let latest = new ScannedNames()
  /** Kept in use, because the latest scan may have happened while a volume was briefly unmounted. */
  let previous = latest
  let scanning = latest
  /** When the latest scan began. */
  let scannedAt: DirectoryTimes | undefined
  /** Whether names that differ only in case are different names. */
  let isCaseSensitive = false
  /** The files that documents had when they were last found since the latest scan. */
  const lastFound = new BoundedMap<string, LastFound>(MAX_CACHED_NAMES)

  return {
    /** Whether the stats of open files in the directory are in the memory of this machine. */
    isLocal,
    /** Runs a change of the directory that renames no document, so that remembered names stay valid. */
    changing,
    /** Lists the directory. Without a scan only files with supported extensions are found. */
    scan,

    /** Scans in the background until aborted, without keeping the process running. Never rejects. */
    async keepScanning (signal: AbortSignal): Promise<void> {
      for (let duration = 0; !signal.aborted;) {
        await pause(Math.max(MIN_PAUSE_MS, duration * PAUSE_PER_SCAN), signal).catch(() => {})
        const startedAt = performance.now()
        await scanIfChanged(signal).catch(() => {}) // lookups report errors of the directory
        duration = performance.now() - startedAt
      }
    },

    /** Adds a name that this process has created, without a scan. */
    addName (name: string): void {
      learn(name)
      lastFound.delete(splitName(name)?.stem ?? '')
    },

    /**
     * Finds the file of a document, followed by the files that would take its place if it were removed. Only the first
     * is returned if nothing has changed in the directory since it was found to be the only one.
     */
    async find (fileId: string): Promise<StoredFile[]> {
      if (!isSafeFileId(fileId)) return []
      const times = await readTimes() // before the file, because this makes the NFS client ask the server
      const onlyName = onlyNameOf(fileId, times)
      const file = onlyName === undefined ? undefined : await regularFile(directory, onlyName)
      return file ? [file] : await searchAndRemember(fileId, times)
    },

    /**
     * The name of the file that `find` would return first. The name may be remembered: the file may have been replaced
     * or removed, which opening it will show.
     */
    async nameOf (fileId: string): Promise<string | undefined> {
      if (!isSafeFileId(fileId)) return undefined
      const times = await readTimes()
      return onlyNameOf(fileId, times) ?? (await searchAndRemember(fileId, times))[0]?.name
    },

    /**
     * Stats the file that `find` last returned for the document, in one system call. It may no longer be the document's
     * file.
     */
    async statLastFound (fileId: string): Promise<StoredFile | undefined> {
      const last = lastFound.get(fileId)
      return last && await regularFile(directory, last.name)
    },

    findAll: async (fileId: string): Promise<StoredFile[]> => await search(fileId, await readTimes())
  }

  function onlyNameOf (fileId: string, times: DirectoryTimes): string | undefined {
    const last = lastFound.get(fileId)
    return last?.onlyAt && isUnchangedByOthers(last.onlyAt, times) ? last.name : undefined
  }

  async function searchAndRemember (fileId: string, times: DirectoryTimes): Promise<StoredFile[]> {
    const files = await search(fileId, times)
    const [first, ...others] = files
    if (first) lastFound.set(fileId, { name: first.name, onlyAt: others.length > 0 ? undefined : times })
    return files
  }

  async function search (fileId: string, before: DirectoryTimes): Promise<StoredFile[]> {
    const known = isLocal() ? allNamesOf(fileId, before) : undefined
    if (known !== undefined) {
      const files = await regularFiles(directory, known)
      if (files.length === known.length) return files // otherwise the directory has just been changed
    }

    const files = await tryNames(fileId)
    if (files.length > 0) return files
    const upperCase = await tryAll(upperCaseExtensions.map(extension => `${fileId}.${extension}`))
    for (const { name } of upperCase) learn(name)
    if (upperCase.length > 0 || isUnchanged(before, await readTimes())) return upperCase

    // A change of format may have renamed the file from a name that was still to be tried to a name that had already
    // been tried.
    return await tryNames(fileId)
  }

  function tryNames (fileId: string): Promise<StoredFile[]> {
    const names = knownExtensions.map(extension => `${fileId}.${extension}`)
    return tryAll(new Set([...names, ...latest.candidatesFor(fileId), ...previous.candidatesFor(fileId)]))
  }

  /**
   * Most of these names do not exist. On a local file system, the latest scan has already brought the directory into
   * memory.
   */
  async function tryAll (names: Iterable<string>): Promise<StoredFile[]> {
    return isLocal()
      ? inOrder(Array.from(names, name => regularFileNow(directory, name)))
      : await regularFiles(directory, names)
  }

  /**
   * All names of the document's files, which may include names that are not regular files. Returns `undefined` if they
   * are uncertain, for instance because others have changed the directory since the latest scan, or because that scan
   * found none and the directory has changed since.
   */
  function allNamesOf (fileId: string, times: DirectoryTimes): string[] | undefined {
    if (scannedAt === undefined || !isUnchangedByOthers(scannedAt, times)) return undefined
    if (!isCaseSensitive || !IS_ASCII.test(fileId)) return undefined
    const names = latest.namesOf(fileId)
    return names !== undefined && (names.length > 0 || isUnchanged(scannedAt, times)) ? names : undefined
  }

  /** A scan in progress may already be past the name's position in the directory. */
  function learn (name: string): void {
    latest.add(name)
    if (scanning !== latest) scanning.add(name)
  }

  async function scanIfChanged (signal: AbortSignal): Promise<void> {
    if (signal.aborted || (scannedAt !== undefined && isUnchanged(scannedAt, await readTimes()))) return
    await scan(() => signal.throwIfAborted())
  }

  async function scan (onName: (name: string) => void): Promise<void> {
    const times = await readTimes()
    scanning = new ScannedNames()
    let sample: string | undefined
    for await (const { name } of await promises.opendir(directory, { bufferSize: 1024 })) {
      onName(name)
      scanning.add(name)
      if (sample === undefined && IS_ASCII.test(name) && name.toUpperCase() !== name.toLowerCase()) sample = name
    }
    isCaseSensitive = sample === undefined || await isDistinctFromOtherCase(directory, sample)
    previous = latest
    latest = scanning
    scannedAt = times
    lastFound.clear()
  }
}

/**
 * The names found by one scan, in a form whose size does not depend on the number of documents with usual extensions.
 */
class ScannedNames {
  /** Extensions that lookups try for any fileId, numbered in this order. */
  readonly #extensions = new Map<string, number>()
  /** How many of them the document server does not open. */
  #unsupported = 0
  /** The extensions of each stem's files, by number. */
  readonly #table = new NameTable()
  /** Names with extensions beyond the maximum, by fileId. */
  readonly #others = new Map<string, Set<string>>()

  add (name: string): void {
    // Names that start with a dot are not documents. Copying programs use such names, with arbitrary endings, for their
    // temp files.
    if (name.startsWith('.')) return
    const dot = name.lastIndexOf('.')
    const extension = name.slice(dot + 1)
    const number = this.#extensions.get(extension)
    if (number !== undefined && dot !== -1) {
      this.#table.add(name, dot, number)
      return
    }
    const stem = splitName(name)?.stem
    if (stem === undefined) return
    const isUnsupported = rankOf(name) === 2
    if (isUnsupported && this.#unsupported === MAX_UNSUPPORTED_EXTENSIONS) {
      this.#others.set(stem, new Set([...this.#others.get(stem) ?? [], name]))
    } else {
      this.#table.add(name, dot, this.#extensions.size)
      this.#extensions.set(extension, this.#extensions.size)
      if (isUnsupported) this.#unsupported++
    }
  }

  /** Names that the document may have, besides those with supported extensions. Not all of them exist. */
  candidatesFor (fileId: string): string[] {
    return this.#named(fileId, this.#extensions.keys())
  }

  /** All names with this stem; `undefined` if there were too many names. */
  namesOf (stem: string): string[] | undefined {
    if (!this.#table.isComplete) return undefined
    const numbers = this.#table.numbersOf(stem)
    return this.#named(stem, [...this.#extensions.keys()].filter((_extension, number) => numbers.has(number)))
  }

  #named (stem: string, extensions: Iterable<string>): string[] {
    return [...Array.from(extensions, extension => `${stem}.${extension}`), ...this.#others.get(stem) ?? []]
  }
}

async function regularFiles (directory: string, names: Iterable<string>): Promise<StoredFile[]> {
  return inOrder(await Promise.all(Array.from(names, name => regularFile(directory, name))))
}

/** The existing files in order of precedence. */
function inOrder (files: ReadonlyArray<StoredFile | undefined>): StoredFile[] {
  return files.filter(file => file !== undefined).sort((a, b) => takesPrecedence(a, b) ? -1 : 1)
}

/** Whether the first of two files with the same fileId is the document's. */
export function takesPrecedence (a: StoredFile, b: StoredFile): boolean {
  const ranks = rankOf(a.name) - rankOf(b.name)
  if (ranks !== 0) return ranks < 0
  return a.stats.mtimeNs === b.stats.mtimeNs ? a.name < b.name : a.stats.mtimeNs > b.stats.mtimeNs
}

/**
 * Uses the callback API: most of the names tried do not exist, and `node:fs/promises` is three times as slow for them.
 */
export function regularFile (directory: string, name: string): Promise<StoredFile | undefined> {
  return new Promise((resolve, reject) => {
    lstat(directory + sep + name, { bigint: true }, (error, stats) => {
      if (!error) resolve(stats.isFile() ? { name, stats } : undefined)
      else if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') resolve(undefined)
      else reject(error)
    })
  })
}

/**
 * Does not use the thread pool: for a name that does not exist, the detour costs the event loop ten times as much time
 * as the call itself.
 */
function regularFileNow (directory: string, name: string): StoredFile | undefined {
  try {
    const stats = lstatSync(directory + sep + name, { bigint: true, throwIfNoEntry: false })
    return stats?.isFile() ? { name, stats } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined
    throw error
  }
}

/** Splits a name at its last dot. Returns `undefined` if no valid extension follows the dot or nothing precedes it. */
export function splitName (name: string): { stem: string, extension: string } | undefined {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  return dot > 0 && EXTENSION.test(extension) ? { stem: name.slice(0, dot), extension } : undefined
}

export function fileInfo (fileId: string, name: string, stats: BigIntStats): FileInfo {
  return {
    fileId,
    extension: name.slice(name.lastIndexOf('.') + 1).toLowerCase(),
    size: Number(stats.size),
    modifiedAt: stats.mtime,
    revision: revisionOf(stats)
  }
}

export function revisionOf ({ ino, size, mtimeNs }: BigIntStats): string {
  return hash('sha256', `${ino}.${size}.${mtimeNs}`, 'base64url').slice(0, 22)
}

/**
 * The precedence of a name among names with the same fileId, lowest first: 0 for an extension that the document server
 * opens, in lower case; 1 for such an extension in upper case; 2 for any other.
 */
function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (supported.has(extension)) return 0
  return extension === extension.toUpperCase() && supported.has(extension.toLowerCase()) ? 1 : 2
}

/** Some file systems do not distinguish names that are equivalent in Unicode. */
const IS_ASCII = /^[\x20-\x7e]+$/

async function isDistinctFromOtherCase (directory: string, name: string): Promise<boolean> {
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  const found = await Promise.all([name, other].map(async name => await statsAt(join(directory, name)))).catch(() => [])
  return found[0]?.ino !== found[1]?.ino
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

/** When a directory last changed, that is, when a name was added to it or removed from it. */
interface DirectoryTimes {
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
function directoryClock (directory: string) {
  let localDevice: bigint | undefined
  let last = { mtimeNs: -1n, ctimeNs: -1n, firstReadAt: 0 }
  let others = { changes: 0, seenAt: 0 }
  let ownChanges = 0

  return {
    async read (): Promise<DirectoryTimes> {
      const startedAt = performance.now()
      const { mtimeNs, ctimeNs } = localStats() ?? await anyStats()
      note(mtimeNs, ctimeNs)
      return {
        mtimeNs,
        ctimeNs,
        isStable: startedAt - last.firstReadAt > TIME_GRANULARITY_MS,
        othersChanges: others.changes,
        isQuiet: startedAt - others.seenAt > TIME_GRANULARITY_MS
      }
    },

    /**
     * Whether the stats of the directory, and of open files in it, are certain to be in the memory of this machine, so
     * that reading them waits neither for a disk nor for a server.
     */
    isLocal: () => localDevice !== undefined,

    /**
     * Runs a change that replaces a file of the directory or adds a temp file, and renames no document, so that
     * remembered names stay valid.
     */
    async changing<Result> (change: () => Promise<Result>): Promise<Result> {
      if (localDevice === undefined) return await change()
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

  /** Without the thread pool, which saves 10 µs. */
  function localStats (): BigIntStats | undefined {
    if (localDevice === undefined) return undefined
    const stats = statSync(directory, { bigint: true })
    if (stats.dev === localDevice) return stats
    localDevice = undefined // another file system has been mounted here
    return undefined
  }

  async function anyStats (): Promise<BigIntStats> {
    const stats = await freshStats(directory)
    if (await isOnLocalDisk(directory, stats)) localDevice = stats.dev
    return stats
  }

  function note (mtimeNs: bigint, ctimeNs: bigint): void {
    if (mtimeNs === last.mtimeNs && ctimeNs === last.ctimeNs) return
    last = { mtimeNs, ctimeNs, firstReadAt: performance.now() }
    if (ownChanges === 0) others = { changes: others.changes + 1, seenAt: last.firstReadAt }
  }

  function noteNow (): void {
    try {
      const { mtimeNs, ctimeNs } = statSync(directory, { bigint: true })
      note(mtimeNs, ctimeNs)
    } catch {} // the next lookup reports the error, or sees a change by others
  }
}

/** Whether no name has been added to the directory or removed from it between the two reads. */
function isUnchanged (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isStable && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
}

/** Whether no change by others has been seen between the two reads. */
function isUnchangedByOthers (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isQuiet && before.othersChanges === after.othersChanges
}
