import { hash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateRecord, StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/bounded-map.js'
import { ignoreMissing, type Modes, sweepTempFiles, syncAncestors, tempName, writeTempFile } from './file-system.js'
import { isLocal } from './network-directory.js'
import { hasEnded, processName } from './process-identity.js'
import { generationCache, generationsIn, type NewestGeneration, newestIn, removeGeneration, removeGenerations, tagsOf, versionOf, writeGeneration } from './state-generations.js'

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
