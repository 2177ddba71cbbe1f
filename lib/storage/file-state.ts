import { createHash } from 'node:crypto'
import { link, mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StateRecord, StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'
import { removeFile, syncDirectory, writeTempFile } from './durable-write.js'
import { hasEnded, processName } from './temp-files.js'

const MAX_CHASES = 20

/** The latest ones stay, so that nobody takes a number that has been used a moment ago. */
const KEPT_VERSIONS = 4

/**
 * Records as files: a folder for each document, in it one file for each version, named by its number. A version is taken
 * by giving a finished file its name, which only one can do; readers take the highest. `ready` is awaited before a write.
 */
export function fileState (root: string, ready: () => Promise<void>): Required<StateStore> & { forget (fileId: string): Promise<void> } {
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
      await mkdir(folder, { recursive: true })
      const before = await versionsIn(folder)
      if ((before[0] ?? 0) !== next - 1) return null
      const temp = await writeTempFile(folder, Buffer.from(JSON.stringify(value)))
      try {
        if (!await taken(temp.path, join(folder, String(next)))) return null
      } finally {
        await unlink(temp.path).catch(() => {})
      }
      // A number becomes free when its file is removed: whoever took such a one was much too slow and has lost.
      const [newest = next] = await versionsIn(folder)
      if (newest - next >= KEPT_VERSIONS) {
        await removeFile(join(folder, String(next)))
        return null
      }
      await syncDirectory(folder)
      for (const old of before.slice(KEPT_VERSIONS - 1)) await unlink(join(folder, String(old))).catch(() => {})
      return String(next)
    },

    async forget (fileId) {
      if (isSafeFileId(fileId)) await rm(folderOf(fileId), { recursive: true, force: true })
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
    const text = await readFile(join(folder, String(number)), 'utf8').catch(orMissing)
    if (text === undefined) return undefined
    const value = parsed(text)
    if (value !== undefined) return { value, version: String(versions[0]) }
  }
  return { value: null, version: String(versions[0]) }
}

/** Gives the file its name unless someone else has it. */
async function taken (temp: string, target: string): Promise<boolean> {
  try {
    await link(temp, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
  }
  // A file system without links.
  try {
    await writeFile(target, await readFile(temp), { flag: 'wx', flush: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
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
