import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'
import { syncDirectory } from './durable-names.js'
import { writeTempFile } from './durable-write.js'
import type { Modes } from './modes.js'
import { orMissing, putOnce } from './put-once.js'
import { newestIn, partsOf, type Version, versionOf, versionPath, versionsIn } from './state-versions.js'
import { hasEnded, processName, sweepTempFiles, tempName } from './temp-files.js'

const MAX_CHASES = 20

/** All temp files are in one folder, so that a start need not walk through those of all records. */
const TEMP_FOLDER = 'temp'

/** More sets than others get done while one of them looks whether it was in time. */
const MOST_TAGS = 16

/** With more versions that a crash may take back the next one is made durable, so that they can go. */
const MOST_VERSIONS = 16

/** Between two records that are looked at to see whether their documents are gone. */
const PAUSE_MS = 5

const DAY_MS = 24 * 60 * 60 * 1000

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
 * next durable one; then its number could be taken again, and the tags tell whether it was. `ready` is awaited before a write.
 * A `set` that rejects may have been seen by others already: then it stays, because they may have built on it.
 */
export function fileState (root: string, modes: Modes, ready: () => Promise<void>): FileState {
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
      const newest = await newestIn(folderOf(fileId))
      return newest === undefined ? null : { value: newest.version?.value ?? null, version: versionOf(newest.number, newest.version?.tags ?? []) }
    },

    async set (fileId, value, version, options = {}) {
      if (!isSafeFileId(fileId)) return null
      await ready()
      for (let chase = 1; ; chase++) {
        try {
          return await setOnce(fileId, value, version, options)
        } catch (error) {
          // Its folder may have been removed meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || chase === MAX_CHASES) throw error
        }
      }
    },

    async forget (fileId) {
      if (isSafeFileId(fileId)) await removeFolder(folderOf(fileId), temps)
    },

    async prepare (isStored) {
      await mkdir(temps, { recursive: true, mode: modes.directory })
      const { path, stats } = await writeTempFile(temps, new Uint8Array(0), modes.file)
      await unlink(path)
      await sweepTempFiles(temps, await readdir(temps), Number(stats.ctimeMs))
      removeOrphans(root, Number(stats.ctimeMs), isStored).catch(() => {})
    }
  }

  async function setOnce (fileId: string, value: unknown, version: string | null, options: { readonly durable?: boolean }): Promise<string | null> {
    const folder = folderOf(fileId)
    const seen = partsOf(version)
    const next = seen.number + 1
    const before = await versionsIn(folder)
    if ((before[0] ?? 0) !== next - 1) return null
    const durable = options.durable !== false || before.length >= MOST_VERSIONS
    const made = before.length === 0 ? await mkdir(folder, { recursive: true, mode: modes.directory }) : undefined
    const tags = [randomUUID().slice(0, 8), ...seen.tags].slice(0, MOST_TAGS)
    if (!await putOnce(JSON.stringify({ fileId, value, tags } satisfies Version), versionPath(folder, next), { temps, modes, durable })) return null
    // A number becomes free when its file is removed, which takes two later ones: whoever took such a one was too slow and has lost.
    const [newest = next] = await versionsIn(folder)
    if (newest - next > 1 && (await newestIn(folder))?.version?.tags.includes(tags[0]!) !== true) {
      await removeVersion(folder, next)
      return null
    }
    if (made !== undefined) await syncAbove(folder, dirname(made))
    if (durable) await syncDirectory(folder)
    for (const old of durable ? before.slice(1) : []) await removeVersion(folder, old).catch(() => {})
    return versionOf(next, tags)
  }
}

/** One after the other, in no hurry, and only as long as the process has something else to do. */
async function removeOrphans (root: string, now: number, isStored: (fileId: string) => Promise<boolean>): Promise<void> {
  for (const shard of await readdir(root)) {
    if (shard === TEMP_FOLDER) continue
    for (const name of await readdir(join(root, shard)).catch(() => [])) {
      await delay(PAUSE_MS, undefined, { ref: false })
      await removeOrphan(join(root, shard, name), root, now, isStored).catch(() => {})
    }
  }
}

/** A document that comes back within the day finds its record. */
async function removeOrphan (folder: string, root: string, now: number, isStored: (fileId: string) => Promise<boolean>): Promise<void> {
  if (now - (await lstat(folder)).mtimeMs <= DAY_MS) return
  const version = (await newestIn(folder))?.version
  if (version && !await isStored(version.fileId)) await removeFolder(folder, join(root, TEMP_FOLDER))
}

/** At once: what is half removed would look like an older record. */
async function removeFolder (folder: string, temps: string): Promise<void> {
  const temp = join(temps, tempName())
  await rename(folder, temp).catch(orMissing)
  await rm(temp, { recursive: true, force: true })
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
