import { hash, randomInt } from 'node:crypto'
import { type BigIntStats, lstat, lstatSync, promises } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FileInfo } from '../../types/storage.js'
import { EXTENSION, knownExtensions } from '../document-server/formats.js'
import { BoundedMap } from '../util/bounded-map.js'
import { directoryClock, directoryStats, type DirectoryTimes, isUnchanged, isUnchangedByOthers } from './directory.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

const MAX_CACHED_NAMES = 10_000

const upperCaseExtensions = knownExtensions.map(extension => extension.toUpperCase())

export interface FileLookup {
  /**
   * Finds the file of a document, followed by the files that would take its place if it were removed. Only the first is
   * returned if nothing has changed in the directory since it was found to be the only one.
   */
  find (fileId: string): Promise<StoredFile[]>
  /**
   * The name of the file that `find` would return first. The name may be remembered: the file may have been replaced or
   * removed, which opening it will show.
   */
  nameOf (fileId: string): Promise<string | undefined>
  /** Whether the stats of open files in the directory are in the memory of this machine. */
  isLocal (): boolean
  /**
   * Stats the file that `find` last returned for the document, in one system call. It may no longer be the document's
   * file.
   */
  statLastFound (fileId: string): Promise<StoredFile | undefined>
  findAll (fileId: string): Promise<StoredFile[]>
  /** Runs a change of the directory that renames no document, so that remembered names stay valid. */
  changing<Result> (change: () => Promise<Result>): Promise<Result>
  /** Adds a name that this process has created, without a scan. */
  addName (name: string): void
  /** Lists the directory. Without a scan only files with supported extensions are found. */
  scan (onName: (name: string) => void): Promise<void>
  /** Scans in the background until aborted, whenever the directory has changed. Never rejects. */
  keepScanning (signal: AbortSignal): Promise<void>
}

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
 */
export function fileLookup (directory: string, pause?: Pause): FileLookup {
  const stats = directoryStats(directory)
  const { read: readTimes, changing } = directoryClock(stats)
  const index = directoryIndex(directory, readTimes, pause)
  const onlyNames = onlyNamesCache(index.scannedAt)
  const lastFound = new BoundedMap<string, string>(MAX_CACHED_NAMES)

  return {
    addName (name) {
      index.add(name)
      onlyNames.forget(splitName(name)?.stem ?? '')
    },

    changing,
    scan: index.scan,
    keepScanning: index.keepScanning,

    isLocal: stats.isLocal,

    async find (fileId) {
      const times = await readTimes() // before the file, because this makes the NFS client ask the server
      const onlyName = onlyNames.get(fileId, times)
      const file = onlyName === undefined ? undefined : await regularFile(directory, onlyName)
      return file ? [file] : await searchAndRemember(fileId, times)
    },

    async nameOf (fileId) {
      const times = await readTimes()
      return onlyNames.get(fileId, times) ?? (await searchAndRemember(fileId, times))[0]?.name
    },

    async statLastFound (fileId) {
      const name = lastFound.get(fileId)
      return name === undefined ? undefined : await regularFile(directory, name)
    },

    findAll: async fileId => await search(fileId, await readTimes())
  }

  async function searchAndRemember (fileId: string, times: DirectoryTimes): Promise<StoredFile[]> {
    const files = await search(fileId, times)
    if (files.length > 0) lastFound.set(fileId, files[0]!.name)
    if (files.length === 1 && times.isQuiet) onlyNames.set(fileId, files[0]!.name, times)
    return files
  }

  async function search (fileId: string, before: DirectoryTimes): Promise<StoredFile[]> {
    const known = stats.isLocal() ? index.allNamesOf(fileId, before) : undefined
    if (known !== undefined) {
      const files = await regularFiles(directory, known)
      if (files.length === known.length) return files // otherwise the directory has just been changed
    }

    const files = await tryNames(fileId)
    if (files.length > 0) return files
    const upperCase = await tryAll(upperCaseExtensions.map(extension => `${fileId}.${extension}`))
    for (const { name } of upperCase) index.add(name)
    if (upperCase.length > 0 || isUnchanged(before, await readTimes())) return upperCase

    // A change of format may have renamed the file from a name that was still to be tried to a name that had already
    // been tried.
    return await tryNames(fileId)
  }

  function tryNames (fileId: string): Promise<StoredFile[]> {
    return tryAll(new Set([...knownExtensions.map(extension => `${fileId}.${extension}`), ...index.namesOf(fileId)]))
  }

  /**
   * Most of these names do not exist. On a local file system, the latest scan has already brought the directory into
   * memory.
   */
  async function tryAll (names: Iterable<string>): Promise<StoredFile[]> {
    return stats.isLocal()
      ? inOrder(Array.from(names, name => regularFileNow(directory, name)))
      : await regularFiles(directory, names)
  }
}

/** Names of documents with a single file in the directory, valid until others change the directory or it is scanned. */
function onlyNamesCache (scannedAt: () => DirectoryTimes | undefined) {
  let names = new BoundedMap<string, string>(MAX_CACHED_NAMES)
  let foundAt: DirectoryTimes | undefined
  let scannedBefore: DirectoryTimes | undefined

  function isValid (times: DirectoryTimes): boolean {
    return foundAt !== undefined && isUnchangedByOthers(foundAt, times) && scannedBefore === scannedAt()
  }

  return {
    get: (fileId: string, times: DirectoryTimes) => isValid(times) ? names.get(fileId) : undefined,
    set (fileId: string, name: string, times: DirectoryTimes) {
      if (!isValid(times)) {
        foundAt = times
        scannedBefore = scannedAt()
        names = new BoundedMap(MAX_CACHED_NAMES)
      }
      names.set(fileId, name)
    },
    forget: (fileId: string) => names.delete(fileId)
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

const supported: ReadonlySet<string> = new Set(knownExtensions)

/** Extensions that the document server does not open: each is one more name that every lookup has to try. */
const MAX_UNSUPPORTED_EXTENSIONS = 64

const MIN_PAUSE_MS = 1000

/**
 * Pause after a scan, as a multiple of its duration: scans take at most a fiftieth of the time, however large the
 * directory.
 */
const PAUSE_PER_SCAN = 50

/**
 * The precedence of a name among names with the same fileId, lowest first: 0 for an extension that the document server
 * opens, in lower case; 1 for such an extension in upper case; 2 for any other.
 */
function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (supported.has(extension)) return 0
  return extension === extension.toUpperCase() && supported.has(extension.toLowerCase()) ? 1 : 2
}

type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>

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
function directoryIndex (
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
    for await (const { name } of await promises.opendir(directory, { bufferSize: 1024 })) {
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
    return (await promises.lstat(join(directory, other), { bigint: true })).ino !==
      (await promises.lstat(join(directory, name), { bigint: true })).ino
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
