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
   * Finds the file of a document, followed by files that would take its place if it were removed. Only the first is
   * returned when nothing has changed in the directory since it was found to be the only one.
   */
  find (fileId: string): Promise<StoredFile[]>
  /**
   * The name of the file that `find` would find first. The file may have become another one, or be gone, if the name is
   * remembered: who opens it will see.
   */
  nameOf (fileId: string): Promise<string | undefined>
  /** Whether the stats of open files in the directory are in the memory of this machine. */
  isLocal (): boolean
  /**
   * Stats the file that `find` returned last for the document, in one system call. It may not be the document's file
   * any more.
   */
  statLastFound (fileId: string): Promise<StoredFile | undefined>
  /** Finds all files of a document. */
  findAll (fileId: string): Promise<StoredFile[]>
  /** Runs what changes the directory but gives no document another name: what was found there stays known. */
  changing<Result> (change: () => Promise<Result>): Promise<Result>
  /** Makes a name that this process has created known without a scan. */
  addName (name: string): void
  /** Lists the directory. Without a scan only files with supported extensions are found. */
  scan (onName: (name: string) => void): Promise<void>
  /** Scans in the background until aborted, whenever the directory has changed. Never rejects. */
  keepScanning (signal: AbortSignal): Promise<void>
}

/**
 * Finds the regular files named `<fileId>.<extension>` in a directory. When several have the same fileId the document
 * is the one that takes precedence: the newest of those whose extension the document server opens, then of those with
 * such an extension in upper case, then of all others; of equally old ones the first by name.
 *
 * The cost of a lookup does not depend on the size of the directory. Files that other processes remove or rename are
 * never found under their old name. Files that they add are found at once if their extension is supported, in lower or
 * upper case, or was there at the latest scan, and otherwise after the next scan. So is a second file of a document
 * that is added at the same moment as this process saves one.
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
      const times = await readTimes() // before the file: it makes the NFS client ask the server
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

    // The file may have been renamed by a change of format, from a name that was still to be tried to one that had been
    // tried.
    return await tryNames(fileId)
  }

  function tryNames (fileId: string): Promise<StoredFile[]> {
    return tryAll(new Set([...knownExtensions.map(extension => `${fileId}.${extension}`), ...index.namesOf(fileId)]))
  }

  /**
   * Most of these names do not exist, and on a local file system the latest scan has read the directory that tells so.
   */
  async function tryAll (names: Iterable<string>): Promise<StoredFile[]> {
    return stats.isLocal()
      ? inOrder(Array.from(names, name => regularFileNow(directory, name)))
      : await regularFiles(directory, names)
  }
}

/** Names of documents that had a single file in the directory, valid until others change it or it is scanned. */
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

/** The files that were found; first the one that takes precedence. */
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
 * Uses the callback API: most of the names that are tried do not exist, and for them `node:fs/promises` is three times
 * as slow.
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
 * Without the thread pool: for a name that does not exist, the way through it takes the event loop ten times as long as
 * the answer.
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
