import { hash, randomUUID } from 'node:crypto'
import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { link, lstat, mkdir, open, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateRecord, StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/bounded-map.js'
import { parseJson } from '../util/text.js'
import {
  ignoreMissing, isLinkUnsupported, type Modes, sweepTempFiles, syncAncestors, syncDirectory, syncFile, tempName,
  writeTempFile
} from './file-system.js'
import { isLocal } from './directory.js'
import { hasEnded, processName } from './process-identity.js'

const MAX_SET_ATTEMPTS = 20

/** One folder contains all temp files, so that cleaning up at the start does not list the folders of all records. */
const TEMP_FOLDER = 'temp'

/** More than others write while a `set` checks whether its generation has been superseded. */
const MAX_TAGS = 64

/** With more records than this, some folders are flushed once more than necessary. */
const MAX_DURABLE_TAGS = 10_000

/** After this many generations, the next one is made durable, so that the older ones can be removed. */
const MAX_GENERATIONS = 16

/**
 * Delay between the start and the search for records of missing documents: many instances may be starting, or documents
 * may be put back.
 */
const ORPHANS_AFTER_MS = 60_000

/** Pause between two records in the search for missing documents. */
const ORPHAN_PAUSE_MS = 5

/** How long the record of a missing document is kept, in case the document is put back. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Name of a file in the folder of a record whose document is missing. It contains since when, in milliseconds since
 * 1970. Its modification time is the time of the latest start that did not find the document.
 */
const MISSING = 'missing'

interface FileState extends Required<StateStore> {
  remove (fileId: string): Promise<void>
  /**
   * Removes temp files of ended processes and, a minute later in the background, records of documents that have been
   * missing at each start for 30 days. Rejects if records cannot be written.
   */
  prepare (isStored: (fileId: string) => Promise<boolean>): Promise<void>
}

/** The paths of the folder for temp files and of the records' folders. */
export function recordPaths (root: string) {
  return {
    temps: join(root, TEMP_FOLDER),
    folderOf (fileId: string): string {
      const name = hash('sha256', fileId, 'hex').slice(0, 40)
      return join(root, name.slice(0, 2), name)
    }
  }
}

/**
 * Stores each record as a folder of generations. A durable `set` removes all older generations but the one before it. A
 * slow process could reuse the number of a removed generation; the tags show whether it did. Writes await `ready`. A
 * `set` that rejects leaves the generation it has written, because other processes may have read it and continued from
 * it. `closing`: ends the work in the background.
 */
export function fileState (root: string, modes: Modes, ready: () => Promise<void>, closing: AbortSignal): FileState {
  const { temps, folderOf } = recordPaths(root)
  /** Tag of the latest generation that this process has made durable, by folder. */
  const durableTags = new BoundedMap<string, string>(MAX_DURABLE_TAGS)
  /** Set if the file system is local. */
  let cache: ReturnType<typeof generationCache> | undefined

  return {
    owner: processName(),
    hasEnded,

    async get (fileId) {
      if (!isSafeFileId(fileId)) return null
      const found = await newestOf(folderOf(fileId))
      return found === undefined ? null : recordOf(found)
    },

    async set (fileId, value, version, options = {}) {
      if (!isSafeFileId(fileId)) return null
      await ready()
      for (let attempt = 1; ; attempt++) {
        try {
          return await trySet(fileId, value, version, options)
        } catch (error) {
          cache?.forget(folderOf(fileId))
          // The record's folder may have been removed meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MAX_SET_ATTEMPTS) throw error
        }
      }
    },

    async * list () {
      await ready()
      for await (const folder of foldersIn(root)) {
        // A record may be removed, and one may be unreadable after a crash.
        const found = await newestIn(folder).catch(ignoreMissing)
        if (found?.generation) yield { fileId: found.generation.fileId, ...recordOf(found) }
      }
    },

    async remove (fileId) {
      if (!isSafeFileId(fileId)) return
      cache?.forget(folderOf(fileId))
      await removeFolder(folderOf(fileId), temps)
    },

    async prepare (isStored) {
      await mkdir(temps, { recursive: true, mode: modes.directory })
      if (await isLocal(root)) {
        cache = generationCache()
        await syncAncestors(temps, dirname(root))
      }
      const { path, stats } = await writeTempFile(temps, new Uint8Array(0), modes.file)
      await unlink(path)
      await sweepTempFiles(temps, await readdir(temps), Number(stats.ctimeMs))
      const timer = setTimeout(() => {
        removeOrphans(Number(stats.ctimeMs), isStored).catch(() => {})
      }, ORPHANS_AFTER_MS)
      timer.unref()
      closing.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }
  }

  async function trySet (
    fileId: string,
    value: unknown,
    version: string | null,
    options: { readonly durable?: boolean }
  ): Promise<string | null> {
    const folder = folderOf(fileId)
    const found = cache?.latest(folder, version) ?? (version === null ? undefined : await newestOf(folder))
    if ((found === undefined ? null : versionOf(found)) !== version) return null
    // If a record exists after all, its first number is taken, or `isTooLate` detects it.
    const older = found?.numbers ?? []
    const number = (older[0] ?? 0) + 1
    const durable = options.durable !== false || older.length >= MAX_GENERATIONS
    if (number === 1) await mkdir(folder, { recursive: true, mode: modes.directory })
    const tag = randomUUID().slice(0, 8)
    const followed = tagsOf(version)
    const generation = { fileId, value, tags: [tag, ...followed].slice(0, MAX_TAGS) }
    const durableFolder = durable ? flushFolder(folder, followed) : undefined
    const written = await writeGeneration(folder, number, generation, { temps, modes, durable })
    if (written === undefined || await isTooLate(folder, number, version, tag)) {
      cache?.forget(folder)
      if (written !== undefined) await removeGeneration(folder, number)
      return null
    }
    await durableFolder
    if (durable) durableTags.set(folder, tag)
    const isCleared = durable && await removeGenerations(folder, older.slice(1))
    const newest = { ...written, numbers: [number, ...isCleared ? older.slice(0, 1) : older], generation }
    cache?.remember(folder, newest)
    return versionOf(newest)
  }

  async function newestOf (folder: string): Promise<NewestGeneration | undefined> {
    return await (cache?.newest(folder) ?? newestIn(folder))
  }

  /**
   * Whether a `set` took a number that was free again, because its file was removed after two later generations or with
   * the whole record. As long as a generation exists, the next one has not been removed.
   */
  async function isTooLate (folder: string, number: number, version: string | null, tag: string): Promise<boolean> {
    const isFollowedThere = cache?.isThere(folder, version)
    if (isFollowedThere) return false
    const [highest = number, ...lower] = await generationsIn(folder)
    if (highest === number) return number > 1 && (isFollowedThere === false || !lower.includes(number - 1))
    return highest - number > 1 && (await newestIn(folder))?.generation?.tags.includes(tag) !== true
  }

  /**
   * Makes a record's folder durable, unless this process has already done so: another process may have created it for a
   * record that is not durable. The folder is still the same if the record follows what was written to it then. A local
   * file system keeps the order of writes: once the name of this folder is written, the names of the folders above are,
   * too.
   */
  function flushFolder (folder: string, tags: readonly string[]): Promise<void> {
    const known = durableTags.get(folder)
    if (known !== undefined && tags.includes(known)) return Promise.resolve()
    const flushed = syncAncestors(folder, dirname(cache ? folder : root))
    flushed.catch(() => {}) // whoever awaits it may find another error first
    return flushed
  }

  /** Works slowly, one record after the other, and does not keep the process running. */
  async function removeOrphans (now: number, isStored: (fileId: string) => Promise<boolean>): Promise<void> {
    for await (const folder of foldersIn(root)) {
      await delay(ORPHAN_PAUSE_MS, undefined, { ref: false, signal: closing })
      await removeOrphan(folder, root, now, isStored).catch(() => {})
    }
  }
}

function recordOf (found: NewestGeneration): StateRecord {
  return { value: found.generation?.value ?? null, version: versionOf(found) }
}

/** The folders of all records. */
async function * foldersIn (root: string): AsyncGenerator<string> {
  for (const shard of await readdir(root)) {
    if (shard === TEMP_FOLDER) continue
    for (const name of await readdir(join(root, shard)).catch(() => [])) yield join(root, shard, name)
  }
}

/** Only time shows whether a missing document was deleted, or is being moved or restored from a backup. */
async function removeOrphan (
  folder: string,
  root: string,
  now: number,
  isStored: (fileId: string) => Promise<boolean>
): Promise<void> {
  const generation = (await newestIn(folder))?.generation
  if (!generation) return
  const note = join(folder, MISSING)
  if (await isStored(generation.fileId)) {
    await unlink(note).catch(ignoreMissing)
    return
  }
  const noted = await stat(note).catch(ignoreMissing)
  const isRecent = noted !== undefined && now - noted.mtimeMs < KEPT_MS // otherwise it may have been there since
  const since = (isRecent ? Number(await readFile(note, 'utf8')) : 0) || now
  if (now - since > KEPT_MS) await removeFolder(folder, join(root, TEMP_FOLDER))
  else await writeFile(note, String(since))
}

/** Moves the folder away first: removed file by file, it would temporarily look like an older record. */
async function removeFolder (folder: string, temps: string): Promise<void> {
  const temp = join(temps, tempName())
  await rename(folder, temp).catch(ignoreMissing)
  await rm(temp, { recursive: true, force: true })
}

/**
 * A record is a folder of generations: files named by ascending numbers, of which the highest is current. A generation
 * never changes. Writing one means giving a complete file the next number, which only one process can do.
 */
interface Generation {
  /** Identifies the document, because the name of the folder is only a hash. */
  readonly fileId: string
  readonly value: unknown
  /**
   * The random tags of this generation and of the generations it follows, newest first. Numbers can be reused, tags
   * cannot.
   */
  readonly tags: readonly string[]
}

/** The newest readable generation of a record; `null` if none is readable. */
interface NewestGeneration {
  /** Numbers of all generations, highest first. */
  readonly numbers: readonly number[]
  readonly generation: Generation | null
  /** The file of the generation, if it has the highest number and is not a folder. */
  readonly file?: FileIdentity | undefined
}

/** Distinguishes a file from all others, including one that reuses the number of a removed file. */
type FileIdentity = Pick<BigIntStats, 'ino' | 'mtimeNs'>

/** Drops the rest of the stats, which takes more memory than most records. */
function identityOf ({ ino, mtimeNs }: BigIntStats): FileIdentity {
  return { ino, mtimeNs }
}

const MAX_READ_ATTEMPTS = 20

/** Name of the file in a generation that is a folder. */
const FILE_IN_FOLDER = 'value'

/** The numbers of a record's generations, highest first. */
async function generationsIn (folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder)
    return names.filter(name => /^\d{1,15}$/.test(name)).map(Number).sort((a, b) => b - a)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * The newest generation. A generation that a crash left incomplete is skipped, but its number counts. Resolves to
 * `undefined` if there is no record.
 */
async function newestIn (folder: string): Promise<NewestGeneration | undefined> {
  // Generations may be removed between being listed and being read, because newer ones have superseded them.
  for (let attempt = 0; attempt < MAX_READ_ATTEMPTS; attempt++) {
    const numbers = await generationsIn(folder)
    if (numbers.length === 0) return undefined
    const found = await newestReadable(folder, numbers)
    if (found !== undefined) return found
  }
  throw new Error('The record of the document changes faster than it can be read')
}

/** Resolves to `undefined` if a generation has been removed meanwhile. */
async function newestReadable (folder: string, numbers: readonly number[]): Promise<NewestGeneration | undefined> {
  for (const number of numbers) {
    const read = await readGeneration(generationPath(folder, number)).catch(ignoreMissing)
    if (read === undefined) return undefined
    const generation = parseGeneration(read.text)
    if (generation !== undefined) return { numbers, generation, file: number === numbers[0] ? read.file : undefined }
  }
  return { numbers, generation: null }
}

async function readGeneration (path: string): Promise<{ readonly text: string, readonly file?: FileIdentity }> {
  const handle = await open(path)
  try {
    return { file: identityOf(await handle.stat({ bigint: true })), text: await handle.readFile('utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    return { text: await readFile(join(path, FILE_IN_FOLDER), 'utf8') }
  } finally {
    await handle.close()
  }
}

function parseGeneration (text: string): Generation | undefined {
  const generation = Object(parseJson(text))
  return typeof generation.fileId === 'string' && generation.value !== undefined && Array.isArray(generation.tags)
    ? generation
    : undefined
}

interface WriteOptions {
  /** Folder for temp files. */
  readonly temps: string
  readonly modes: Modes
  /** Whether to flush the file and its name. */
  readonly durable: boolean
}

/**
 * Writes a generation. Resolves to its file, or to `undefined` if another process has written a generation with this
 * number. A durable generation gets its number before it is flushed, so that the file and its name are flushed
 * together. A crash meanwhile leaves it without a name, complete, or incomplete. Readers skip an incomplete one, and
 * the durable generation before it still exists.
 */
async function writeGeneration (
  folder: string,
  number: number,
  generation: Generation,
  { temps, modes, durable }: WriteOptions
): Promise<Pick<NewestGeneration, 'file'> | undefined> {
  const { path: temp, file } = await writeUnflushed(JSON.stringify(generation), temps, modes.file)
  try {
    return await linkGeneration(temp, folder, number, durable) ? { file } : undefined
  } catch (error) {
    if (!isLinkUnsupported((error as NodeJS.ErrnoException).code)) throw error
    const isMoved = await moveAsFolder(temps, temp, generationPath(folder, number), modes.directory)
    if (isMoved && durable) await syncDirectory(folder)
    return isMoved ? {} : undefined
  } finally {
    await unlink(temp).catch(() => {})
  }
}

async function linkGeneration (temp: string, folder: string, number: number, durable: boolean): Promise<boolean> {
  const path = generationPath(folder, number)
  const isLinked = await link(temp, path).then(() => true, async error => {
    // A network file system may repeat a call that succeeded and report EEXIST for its own link.
    if (error.code === 'EEXIST') return await isSameFile(temp, path)
    throw error
  })
  if (isLinked && durable) await Promise.all([syncFile(temp), syncDirectory(folder)])
  return isLinked
}

async function isSameFile (path: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all(
    [path, other].map(async path => await lstat(path, { bigint: true }).catch(ignoreMissing))
  )
  return a !== undefined && a.ino === b?.ino
}

/**
 * The file is closed before it gets its name, because only then does a file server have the content for other machines.
 */
async function writeUnflushed (
  text: string,
  temps: string,
  mode: number
): Promise<{ readonly path: string, readonly file: FileIdentity }> {
  const path = join(temps, tempName())
  try {
    await writeFile(path, text, { flag: 'wx', mode })
    return { path, file: identityOf(await lstat(path, { bigint: true })) }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

/**
 * For file systems without hard links. Renaming a file replaces another file, but renaming a folder fails if the target
 * is not empty.
 */
async function moveAsFolder (temps: string, temp: string, target: string, mode: number): Promise<boolean> {
  const folder = join(temps, tempName())
  await mkdir(folder, { mode })
  try {
    await syncFile(temp)
    await rename(temp, join(folder, FILE_IN_FOLDER))
    await syncDirectory(folder)
    await rename(folder, target)
    return true
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    const { code } = error as NodeJS.ErrnoException
    // On Windows the code is EPERM.
    if (
      code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' ||
      await lstat(target).catch(ignoreMissing) !== undefined
    ) return false
    throw error
  }
}

async function removeGeneration (folder: string, number: number): Promise<void> {
  const path = generationPath(folder, number)
  await unlink(path).catch(async ({ code }) => {
    if (code !== 'ENOENT') await rm(path, { recursive: true, force: true }) // it is a folder
  })
}

/**
 * Removes generations, the lowest number first: as long as one exists, the next one has not been removed. Resolves to
 * whether all were removed.
 */
async function removeGenerations (folder: string, numbers: readonly number[]): Promise<boolean> {
  try {
    for (const number of numbers.toReversed()) await removeGeneration(folder, number)
    return true
  } catch {
    return false
  }
}

function generationPath (folder: string, number: number): string {
  return join(folder, String(number))
}

/** The opaque version of a record, from its newest generation: `c4e907fa … 12`. */
function versionOf ({ numbers: [number = 0], generation }: NewestGeneration): string {
  return [...generation?.tags ?? [], number].join(' ')
}

function tagsOf (version: string | null): readonly string[] {
  return version === null ? [] : version.split(' ').slice(0, -1)
}

export function numberOf (version: string): number {
  return Number(version.split(' ').at(-1))
}

/** The records read or written last are kept. */
const MAX_ENTRIES = 10_000

/** Maximum length of a record in characters. Longer records are read each time. */
const MAX_LENGTH = 8 * 1024

interface Entry {
  readonly version: string
  /** Numbers of all generations that may exist, highest first. */
  readonly numbers: readonly number[]
  /** File of the highest generation. */
  readonly file: FileIdentity
  /** JSON text, because callers may change the parsed value. */
  readonly generation: string
}

/**
 * Remembers the newest generation of each record for as long as its file exists and no file has the next number. Only
 * for local file systems, because it reads stats without the thread pool.
 */
function generationCache () {
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

    /** Whether the generation with this version still exists; `undefined` if it is not remembered. */
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

/** The order matters: as long as a generation exists, the next one has not been removed. */
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
