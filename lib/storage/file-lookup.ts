import { type BigIntStats, lstat, lstatSync } from 'node:fs'
import { sep } from 'node:path'
import { knownExtensions } from '../document-server/formats.js'
import { BoundedMap } from '../util/bounded-map.js'
import {
  directoryClock, directoryIndex, type DirectoryTimes, isUnchanged, isUnchangedByOthers, type Pause, rankOf
} from './directory-index.js'
import { splitName } from './file-info.js'
import { directoryStats } from './network-directory.js'

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
