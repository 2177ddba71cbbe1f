import { createHash } from 'node:crypto'
import { link, lstat, mkdir, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StateRecord, StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'
import { syncDirectory, writeTempFile } from './durable-write.js'
import { hasEnded, processName, sweepTempFiles, tempName } from './temp-files.js'

const MAX_CHASES = 20

/** The latest ones stay, so that nobody takes a number that has been used a moment ago. */
const KEPT_VERSIONS = 4

/** All temp files are in one folder, so that a start need not walk through those of all records. */
const TEMP_FOLDER = 'temp'

/** Name of the value in a version that is a folder. */
const VALUE = 'value'

export interface FileState extends Required<StateStore> {
  forget (fileId: string): Promise<void>
  /** Removes what ended processes left half-written. */
  sweep (): Promise<void>
}

/**
 * Records as files: a folder for each document, in it one file for each version, named by its number. A version is taken
 * by giving a finished file its name, which only one can do; readers take the highest. `ready` is awaited before a write.
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
      const folder = folderOf(fileId)
      // A version may be superseded between finding and reading it.
      for (let chase = 0; chase < MAX_CHASES; chase++) {
        const versions = await versionsIn(folder)
        if (versions.length === 0) return null
        const record = await newestReadable(folder, versions)
        if (record !== undefined) return record
      }
      throw new Error('The record of a document changes faster than it can be read')
    },

    async set (fileId, value, version) {
      if (!isSafeFileId(fileId)) return null
      await ready()
      const folder = folderOf(fileId)
      const next = Number(version ?? 0) + 1
      const made = await mkdir(folder, { recursive: true })
      const before = await versionsIn(folder)
      if ((before[0] ?? 0) !== next - 1) return null
      if (!await taken(temps, JSON.stringify(value), versionPath(folder, next))) return null
      // A number becomes free when its file is removed: whoever took such a one was much too slow and has lost.
      const [newest = next] = await versionsIn(folder)
      if (newest - next >= KEPT_VERSIONS) {
        await removeVersion(folder, next)
        return null
      }
      await syncDirectory(folder)
      if (made !== undefined) await syncAbove(folder, dirname(made))
      for (const old of before.slice(KEPT_VERSIONS - 1)) await removeVersion(folder, old).catch(() => {})
      return String(next)
    },

    async forget (fileId) {
      if (isSafeFileId(fileId)) await rm(folderOf(fileId), { recursive: true, force: true })
    },

    async sweep () {
      await sweepTempFiles(temps).catch(orMissing)
    }
  }
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

/** `undefined` when they are gone by now. A record that was torn by a crash is passed over: its number counts, not its value. */
async function newestReadable (folder: string, versions: readonly number[]): Promise<StateRecord | undefined> {
  for (const number of versions) {
    const text = await textOf(versionPath(folder, number)).catch(orMissing)
    if (text === undefined) return undefined
    const value = parsed(text)
    if (value !== undefined) return { value, version: String(versions[0]) }
  }
  return { value: null, version: String(versions[0]) }
}

function versionPath (folder: string, number: number): string {
  return join(folder, String(number))
}

async function textOf (path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    return await readFile(join(path, VALUE), 'utf8')
  }
}

async function removeVersion (folder: string, number: number): Promise<void> {
  await rm(versionPath(folder, number), { recursive: true, force: true })
}

/** Puts a finished file with this text at `target`, unless someone else has put one there. */
async function taken (temps: string, text: string, target: string): Promise<boolean> {
  await mkdir(temps, { recursive: true })
  const temp = await writeTempFile(temps, Buffer.from(text))
  try {
    await link(temp.path, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return await takenByFolder(temps, temp.path, target)
  } finally {
    await unlink(temp.path).catch(() => {})
  }
}

/** Where the file system has no links: a folder never takes the place of one that has something in it. */
async function takenByFolder (temps: string, temp: string, target: string): Promise<boolean> {
  const folder = join(temps, tempName())
  await mkdir(folder)
  try {
    await rename(temp, join(folder, VALUE))
    await syncDirectory(folder)
    await rename(folder, target)
    return true
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    const { code } = error as NodeJS.ErrnoException
    // Windows says EPERM.
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' || await lstat(target).catch(orMissing) !== undefined) return false
    throw error
  }
}

/** The folders that had to be made are found after a crash, too. */
async function syncAbove (folder: string, top: string): Promise<void> {
  for (let path = folder; path !== top;) {
    path = dirname(path)
    await syncDirectory(path)
  }
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function orMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
