import { hash, randomUUID } from 'node:crypto'
import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ListedStateRecord, StateStore } from '../../types/storage.js'
import { UnknownRecordError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/bounded-map.js'
import { isJsonObject, parseJson } from '../util/text.js'
import type { FileLookup } from './file-lookup.js'
import {
  assertWritable, ignoreMissing, inTemps, isLocal, linkFile, type Modes, sweepTempFiles, syncAncestors, syncDirectory,
  syncFile, tempName
} from './file-system.js'
import { hasEnded, processName } from './process-identity.js'

const MAX_ATTEMPTS = 20

/** One folder contains all temp files, so that cleaning up at the start does not list the folders of all records. */
const TEMP_FOLDER = 'temp'

/** More than others write while a `set` checks whether its generation has been superseded. */
const MAX_TAGS = 64

/** With more records than this, some folders are flushed once more than necessary. */
const MAX_DURABLE_TAGS = 10_000

/** The records read or written last are remembered. */
const MAX_REMEMBERED = 10_000

/** Maximum length of such a record in characters. Longer records are read each time. */
const MAX_REMEMBERED_LENGTH = 8 * 1024

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

/** Name of the file in a generation that is a folder. */
const FILE_IN_FOLDER = 'value'

/** What the parts of a file storage share. */
export interface FileServices {
  /** Path of the directory with the documents. */
  readonly directory: string
  readonly modes: Modes
  readonly lookup: FileLookup
  /** Awaited before anything is written. */
  readonly ready: () => Promise<void>
  /** Ends the work in the background. */
  readonly closing: AbortSignal
}

/**
 * A record is a folder of generations: files named by ascending numbers, of which the highest is current. A generation
 * never changes. Writing one means giving a complete file the next number, which only one process can do.
 */
interface Generation {
  readonly format: 1
  /** Identifies the document, because the name of the folder is only a hash. */
  readonly fileId: string
  readonly value: unknown
  /**
   * The random tags of this generation and of the generations it follows, newest first. Numbers can be reused, tags
   * cannot.
   */
  readonly tags: readonly string[]
}

/** The newest readable generation of a record. */
interface Newest {
  /** Numbers of all generations, highest first. */
  readonly numbers: readonly number[]
  /** The opaque version of the record: the tags of the generation, and the highest number. */
  readonly version: string
  /** JSON text of the generation, because callers may change the parsed value; `null` if none is readable. */
  readonly text: string | null
  /** Identity of the generation's file, if it has the highest number and is not a folder. */
  readonly file?: string | undefined
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
 * slow process could reuse the number of a removed generation; the tags show whether it did. A `set` that rejects
 * leaves the generation it has written, because other processes may have read it and continued from it.
 *
 * A generation that is not JSON was left by a crash. One that is JSON of another shape was written by a newer version
 * of this library: it is refused, and the record stays as it is. `isKnown`: whether this version knows a value; a
 * record with another one is not removed with its document.
 */
export function fileState (
  root: string, { modes, lookup, ready, closing }: FileServices, isKnown: (value: unknown) => boolean
) {
  const { temps, folderOf } = recordPaths(root)
  /** Tag of the latest generation that this process has made durable, by folder. */
  const durableTags = new BoundedMap<string, string>(MAX_DURABLE_TAGS)
  /** The newest generations, by folder. Empty unless the file system is local. */
  const remembered = new BoundedMap<string, Newest>(MAX_REMEMBERED)
  /** Whether stats can be read without the thread pool. */
  let isOnLocalDisk = false

  const store: Required<StateStore> = {
    owner: processName(),
    hasEnded,

    async get (fileId) {
      const found = isSafeFileId(fileId) ? await newestOf(fileId) : undefined
      if (found === undefined) return null
      const { value, version } = recordOf(found)
      return { value, version }
    },

    async set (fileId, value, version, options = {}) {
      if (!isSafeFileId(fileId)) return null
      await ready()
      for (let attempt = 1; ; attempt++) {
        try {
          return await trySet(fileId, value, version, options.durable)
        } catch (error) {
          remembered.delete(folderOf(fileId))
          // The record's folder may have been removed meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
        }
      }
    },

    async * list () {
      await ready()
      for await (const folder of foldersIn(root)) {
        // A record may be removed, one may be unreadable after a crash, and one may have an unknown format.
        const found = await newestIn(folder).catch(unlessMissingOrUnknown)
        if (typeof found?.text === 'string') yield recordOf(found)
      }
    }
  }

  return {
    store,

    /** Rejects with `UnknownRecordError` if the document has a record that this version does not know. */
    async assertKnown (fileId: string): Promise<void> {
      const record = await store.get(fileId)
      if (record !== null && record.value !== null && !isKnown(record.value)) {
        throw new UnknownRecordError('record', fileId)
      }
    },

    async remove (fileId: string): Promise<void> {
      if (!isSafeFileId(fileId)) return
      remembered.delete(folderOf(fileId))
      await removeFolder(folderOf(fileId))
    },

    /**
     * Removes temp files of ended processes and, a minute later in the background, records of documents that have been
     * missing at each start for 30 days. Rejects if records cannot be written.
     */
    async prepare (): Promise<void> {
      const { now } = await assertWritable(temps, modes)
      isOnLocalDisk = await isLocal(root)
      if (isOnLocalDisk) await syncAncestors(temps, dirname(root))
      await sweepTempFiles(temps, await readdir(temps), now)
      const timer = setTimeout(() => { removeOrphans(now).catch(() => {}) }, ORPHANS_AFTER_MS)
      timer.unref()
      closing.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }
  }

  async function trySet (
    fileId: string, value: unknown, version: string | null, isWantedDurable = true
  ): Promise<string | null> {
    const folder = folderOf(fileId)
    const known = remembered.get(folder)
    let found = known?.version === version ? known : undefined
    if (found === undefined && version !== null) found = await newestOf(fileId)
    if ((found?.version ?? null) !== version) return null
    // If a record exists after all, its first number is taken, or `isTooLate` detects it.
    const older = found?.numbers ?? []
    const number = (older[0] ?? 0) + 1
    const durable = isWantedDurable || older.length >= MAX_GENERATIONS
    if (number === 1) await mkdir(folder, { recursive: true, mode: modes.directory })
    const tag = randomUUID().slice(0, 8)
    const generation: Generation = { format: 1, fileId, value, tags: [tag, ...tagsOf(found)].slice(0, MAX_TAGS) }
    const text = JSON.stringify(generation)
    const durableFolder = durable ? flushFolder(folder, tagsOf(found)) : undefined
    const written = await writeGeneration(folder, number, text, durable)
    if (written === undefined || await isTooLate(fileId, number, found, tag)) {
      remembered.delete(folder)
      if (written !== undefined) await removeGeneration(folder, number)
      return null
    }
    await durableFolder
    if (durable) durableTags.set(folder, tag)
    const isCleared = durable && await removeGenerations(folder, older.slice(1))
    const newest: Newest = {
      numbers: [number, ...isCleared ? older.slice(0, 1) : older],
      version: versionOf(generation.tags, number),
      text,
      ...written
    }
    remember(folder, newest)
    return newest.version
  }

  async function newestOf (fileId: string): Promise<Newest | undefined> {
    const folder = folderOf(fileId)
    const known = remembered.get(folder)
    if (known !== undefined && isNewest(folder, known)) return known
    remembered.delete(folder)
    if (isOnLocalDisk && statSync(folder, { throwIfNoEntry: false }) === undefined) return undefined
    const newest = await newestIn(folder, fileId)
    if (newest !== undefined) remember(folder, newest)
    return newest
  }

  /** Valid for as long as the generation's file exists and no file has the next number. */
  function remember (folder: string, newest: Newest): void {
    const { file, text } = newest
    const isShort = text !== null && text.length <= MAX_REMEMBERED_LENGTH
    if (isOnLocalDisk && file !== undefined && isShort) remembered.set(folder, newest)
    else remembered.delete(folder)
  }

  /**
   * Whether a `set` took a number that was free again, because its file was removed after two later generations or with
   * the whole record. As long as a generation exists, the next one has not been removed.
   */
  async function isTooLate (fileId: string, number: number, older: Newest | undefined, tag: string): Promise<boolean> {
    const folder = folderOf(fileId)
    const isOlderThere = isOnLocalDisk && older?.file !== undefined ? isThere(folder, older) : undefined
    if (isOlderThere) return false
    const [highest = number, ...lower] = await generationsIn(folder)
    if (highest === number) return number > 1 && (isOlderThere === false || !lower.includes(number - 1))
    return highest - number > 1 && !tagsOf(await newestIn(folder, fileId)).includes(tag)
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
    const flushed = syncAncestors(folder, dirname(isOnLocalDisk ? folder : root))
    flushed.catch(() => {}) // whoever awaits it may find another error first
    return flushed
  }

  /**
   * Writes a generation. Resolves to its file, or to `undefined` if another process has written a generation with this
   * number. A durable generation gets its number before it is flushed, so that the file and its name are flushed
   * together. A crash meanwhile leaves it without a name, complete, or incomplete. Readers skip an incomplete one, and
   * the durable generation before it still exists.
   */
  async function writeGeneration (
    folder: string, number: number, text: string, durable: boolean
  ): Promise<Pick<Newest, 'file'> | undefined> {
    const path = join(folder, String(number))
    const temp = join(temps, tempName())
    try {
      // It is closed before it gets its name: only then does a file server have the content for other machines.
      await inTemps(temps, modes, async () => await writeFile(temp, text, { flag: 'wx', mode: modes.file }))
      const file = identityOf(await lstat(temp, { bigint: true }))
      const isLinked = await linkFile(temp, path)
      if (isLinked && durable) await Promise.all([syncFile(temp), syncDirectory(folder)])
      if (isLinked !== undefined) return isLinked ? { file } : undefined
      const isMoved = await moveAsFolder(temp, path)
      if (isMoved && durable) await syncDirectory(folder)
      return isMoved ? {} : undefined
    } finally {
      await unlink(temp).catch(() => {})
    }
  }

  /**
   * For file systems without hard links. Renaming a file replaces another file, but renaming a folder fails if the
   * target is not empty.
   */
  async function moveAsFolder (temp: string, target: string): Promise<boolean> {
    const folder = join(temps, tempName())
    await mkdir(folder, { mode: modes.directory })
    try {
      await syncFile(temp)
      await rename(temp, join(folder, FILE_IN_FOLDER))
      await syncDirectory(folder)
      await rename(folder, target)
      return true
    } catch (error) {
      await rm(folder, { recursive: true, force: true }).catch(() => {})
      // On Windows the code is EPERM.
      const isTaken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ||
        await lstat(target).catch(ignoreMissing) !== undefined
      if (isTaken) return false
      throw error
    }
  }

  /** Works slowly, one record after the other, and does not keep the process running. */
  async function removeOrphans (now: number): Promise<void> {
    for await (const folder of foldersIn(root)) {
      await delay(ORPHAN_PAUSE_MS, undefined, { ref: false, signal: closing })
      await removeOrphan(folder, now).catch(() => {})
    }
  }

  /** Only time shows whether a missing document was deleted, or is being moved or restored from a backup. */
  async function removeOrphan (folder: string, now: number): Promise<void> {
    const newest = await newestIn(folder)
    if (typeof newest?.text !== 'string' || !isKnown(recordOf(newest).value)) return
    const note = join(folder, MISSING)
    if ((await lookup.find(recordOf(newest).fileId)).length > 0) {
      await unlink(note).catch(ignoreMissing)
      return
    }
    const noted = await stat(note).catch(ignoreMissing)
    const isRecent = noted !== undefined && now - noted.mtimeMs < KEPT_MS // otherwise it may have been there since
    const since = (isRecent ? Number(await readFile(note, 'utf8')) : 0) || now
    if (now - since > KEPT_MS) await removeFolder(folder)
    else await writeFile(note, String(since))
  }

  /** Moves the folder away first: removed file by file, it would temporarily look like an older record. */
  async function removeFolder (folder: string): Promise<void> {
    const temp = join(temps, tempName())
    await rename(folder, temp).catch(ignoreMissing)
    await rm(temp, { recursive: true, force: true })
  }
}

/** The folders of all records. */
async function * foldersIn (root: string): AsyncGenerator<string> {
  for (const shard of await readdir(root)) {
    if (shard === TEMP_FOLDER) continue
    for (const name of await readdir(join(root, shard)).catch(() => [])) yield join(root, shard, name)
  }
}

/** The numbers of a record's generations, highest first. */
async function generationsIn (folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(ignoreMissing) ?? []
  return names.filter(name => /^\d{1,15}$/.test(name)).map(Number).sort((a, b) => b - a)
}

/**
 * The newest generation. A generation that a crash left incomplete is skipped, but its number counts. Resolves to
 * `undefined` if there is no record. `fileId`: for the error if a generation is of a newer version of this library.
 */
async function newestIn (folder: string, fileId = ''): Promise<Newest | undefined> {
  // Generations may be removed between being listed and being read, because newer ones have superseded them.
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const numbers = await generationsIn(folder)
    if (numbers.length === 0) return undefined
    const found = await newestReadable(folder, numbers, fileId)
    if (found !== undefined) return found
  }
  throw new Error('The record of the document changes faster than it can be read')
}

/** Resolves to `undefined` if a generation has been removed meanwhile. */
async function newestReadable (
  folder: string, numbers: readonly number[], fileId: string
): Promise<Newest | undefined> {
  const highest = numbers[0]!
  for (const number of numbers) {
    const read = await readGeneration(join(folder, String(number))).catch(ignoreMissing)
    if (read === undefined) return undefined
    const parsed = parseJson(read.text)
    if (parsed === undefined) continue
    if (!isGeneration(parsed)) throw new UnknownRecordError('record', fileId)
    const file = number === highest ? read.file : undefined
    return { numbers, version: versionOf(parsed.tags, highest), text: read.text, file }
  }
  return { numbers, version: versionOf([], highest), text: null }
}

function isGeneration (parsed: unknown): parsed is Generation {
  if (!isJsonObject(parsed)) return false
  const { format, fileId, value, tags, ...unknown } = parsed
  return format === 1 && typeof fileId === 'string' && value !== undefined && Array.isArray(tags) &&
    Object.keys(unknown).length === 0
}

function unlessMissingOrUnknown (error: NodeJS.ErrnoException): undefined {
  return error instanceof UnknownRecordError ? undefined : ignoreMissing(error)
}

async function readGeneration (path: string): Promise<{ readonly text: string, readonly file?: string }> {
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

/** A record of which no generation is readable has the value `null`. */
function recordOf ({ text, version }: Newest): ListedStateRecord {
  const { fileId = '', value = null }: Partial<Generation> = text === null ? {} : JSON.parse(text)
  return { fileId, value, version }
}

async function removeGeneration (folder: string, number: number): Promise<void> {
  const path = join(folder, String(number))
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

/** Such as `c4e907fa … 12`. */
function versionOf (tags: readonly string[], number: number): string {
  return [...tags, number].join(' ')
}

function tagsOf (newest: Newest | undefined): readonly string[] {
  return newest === undefined ? [] : newest.version.split(' ').slice(0, -1)
}

export function numberOf (version: string): number {
  return Number(version.split(' ').at(-1))
}

/** The order matters: as long as a generation exists, the next one has not been removed. */
function isNewest (folder: string, newest: Newest): boolean {
  return statsOf(folder, newest.numbers[0]! + 1) === undefined && isThere(folder, newest)
}

function isThere (folder: string, { numbers: [number], file }: Newest): boolean {
  const stats = statsOf(folder, number!)
  return stats !== undefined && identityOf(stats) === file
}

function statsOf (folder: string, number: number): BigIntStats | undefined {
  return lstatSync(join(folder, String(number)), { bigint: true, throwIfNoEntry: false })
}

/** Distinguishes a file from all others, including one that reuses the number of a removed file. */
function identityOf ({ ino, mtimeNs }: BigIntStats): string {
  return `${ino}.${mtimeNs}`
}
