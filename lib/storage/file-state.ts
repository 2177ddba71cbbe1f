import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateRecord, StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'
import { syncDirectory } from './durable-names.js'
import { writeTempFile } from './durable-write.js'
import { orMissing, putOnce, textOf } from './put-once.js'
import { hasEnded, processName, sweepTempFiles } from './temp-files.js'

const MAX_CHASES = 20

/** All temp files are in one folder, so that a start need not walk through those of all records. */
const TEMP_FOLDER = 'temp'

/** With more versions that a crash may take back the next one is made durable, so that they can go. */
const MOST_VERSIONS = 16

/** Between two records that are looked at to see whether their documents are gone. */
const PAUSE_MS = 5

const DAY_MS = 24 * 60 * 60 * 1000

/** What a version holds. The id tells, in a later life of the directory, whose record it is. */
interface Version {
  readonly fileId: string
  readonly value: unknown
}

export interface FileState extends Required<StateStore> {
  forget (fileId: string): Promise<void>
  /**
   * Removes what ended processes left half-written, and later, while others go on, the records of documents that are gone.
   * Rejects when no record can be written.
   */
  prepare (isStored: (fileId: string) => Promise<boolean>): Promise<void>
}

/**
 * Records as files: a folder for each document, in it one file for each version, named by its number. A version is taken
 * by giving a finished file its name, which only one can do; readers take the highest. The one before it stays until the
 * next durable one. `ready` is awaited before a write.
 * A `set` that rejects may have been seen by others already: then it stays, because they may have built on it.
 */
export function fileState (root: string, ready: () => Promise<void>): FileState {
  const temps = join(root, TEMP_FOLDER)
  const folderOf = (fileId: string) => {
    const name = createHash('sha256').update(fileId).digest('hex').slice(0, 40)
    return join(root, name.slice(0, 2), name)
  }

  return {
    owner: processName(),
    hasEnded,

    async get (fileId) {
      if (!isSafeFileId(fileId)) return null
      return await latestIn(folderOf(fileId))
    },

    async set (fileId, value, version, options = {}) {
      if (!isSafeFileId(fileId)) return null
      await ready()
      const folder = folderOf(fileId)
      const next = Number(version ?? 0) + 1
      const before = await versionsIn(folder)
      if ((before[0] ?? 0) !== next - 1) return null
      const durable = options.durable !== false || before.length >= MOST_VERSIONS
      const made = before.length === 0 ? await mkdir(folder, { recursive: true }) : undefined
      if (!await putOnce(JSON.stringify({ fileId, value } satisfies Version), versionPath(folder, next), { temps, durable })) return null
      // A number becomes free when its file is removed, which takes two later ones: whoever took such a one was too slow and has lost.
      const [newest = next] = await versionsIn(folder)
      if (newest - next > 1) {
        await removeVersion(folder, next)
        return null
      }
      if (made !== undefined) await syncAbove(folder, dirname(made))
      if (!durable) return String(next)
      await syncDirectory(folder)
      for (const old of before.slice(1)) await removeVersion(folder, old).catch(() => {})
      return String(next)
    },

    async forget (fileId) {
      if (isSafeFileId(fileId)) await rm(folderOf(fileId), { recursive: true, force: true })
    },

    async prepare (isStored) {
      await mkdir(temps, { recursive: true })
      const { path, stats } = await writeTempFile(temps, new Uint8Array(0))
      await unlink(path)
      await sweepTempFiles(temps, Number(stats.ctimeMs))
      removeOrphans(root, Number(stats.ctimeMs), isStored).catch(() => {})
    }
  }
}

async function latestIn (folder: string): Promise<StateRecord | null> {
  // A version may be superseded between finding and reading it.
  for (let chase = 0; chase < MAX_CHASES; chase++) {
    const versions = await versionsIn(folder)
    if (versions.length === 0) return null
    const found = await newestReadable(folder, versions)
    if (found !== undefined) return { value: found?.value ?? null, version: String(versions[0]) }
  }
  throw new Error('The record of a document changes faster than it can be read')
}

/** One after the other, in no hurry, and only as long as the process has something else to do. */
async function removeOrphans (root: string, now: number, isStored: (fileId: string) => Promise<boolean>): Promise<void> {
  for (const shard of await readdir(root)) {
    if (shard === TEMP_FOLDER) continue
    for (const name of await readdir(join(root, shard)).catch(() => [])) {
      await delay(PAUSE_MS, undefined, { ref: false })
      await removeOrphan(join(root, shard, name), now, isStored).catch(() => {})
    }
  }
}

/** A document that comes back within the day finds its record. */
async function removeOrphan (folder: string, now: number, isStored: (fileId: string) => Promise<boolean>): Promise<void> {
  if (now - (await lstat(folder)).mtimeMs <= DAY_MS) return
  const found = await newestReadable(folder, await versionsIn(folder))
  if (found !== undefined && found !== null && !await isStored(found.fileId)) await rm(folder, { recursive: true, force: true })
}

/** Highest first. */
async function versionsIn (folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder)
    return names.filter(name => /^\d{1,15}$/.test(name)).map(Number).sort((a, b) => b - a)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * `undefined` when they are gone by now, `null` when none can be read. A record that was torn by a crash is passed over: its
 * number counts, not its value.
 */
async function newestReadable (folder: string, versions: readonly number[]): Promise<Version | undefined | null> {
  for (const number of versions) {
    const text = await textOf(versionPath(folder, number)).catch(orMissing)
    if (text === undefined) return undefined
    const version = parsed(text)
    if (version !== undefined) return version
  }
  return null
}

function versionPath (folder: string, number: number): string {
  return join(folder, String(number))
}

async function removeVersion (folder: string, number: number): Promise<void> {
  await rm(versionPath(folder, number), { recursive: true, force: true })
}

/** The folders that had to be made are found after a crash, too. */
async function syncAbove (folder: string, top: string): Promise<void> {
  for (let path = folder; path !== top;) {
    path = dirname(path)
    await syncDirectory(path)
  }
}

function parsed (text: string): Version | undefined {
  try {
    const version = Object(JSON.parse(text))
    return typeof version.fileId === 'string' && version.value !== undefined ? version : undefined
  } catch {
    return undefined
  }
}
