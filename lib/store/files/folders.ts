import { hash, randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BoundedMap } from '../../util/limits.js'
import { parseJson } from '../../util/text.js'
import {
  freshStats, ignoreMissing, linkFile, type Modes, removeFile, statsAt, syncDirectory, writeText
} from './file-system.js'

/** Own folder of the storage. A fileId never starts with a dot. */
export const OWN_FOLDER = '.fastify-onlyoffice'

/** The folder of a document's record and blobs. */
export type Folders = ReturnType<typeof createFolders>

/** A generation of a record, as it is on disk. */
export interface Generation {
  readonly number: number
  /** Any JSON; `undefined` if it is damaged. */
  readonly value: unknown
  /** They say when it was made, by the clock of the file system. */
  readonly stats: BigIntStats
}

/**
 * Superseded generations that stay, because somebody may be about to read them. A process that was suspended may make
 * the number of a removed one again: nobody reads it, because only the highest number counts.
 */
const MAX_SUPERSEDED = 8
const MAX_REMEMBERED = 100
/** Characters: of a longer one, the file is read again. */
const MAX_REMEMBERED_LENGTH = 512 * 1024
/** Marks names that only their writer uses. */
const TEMP = '~'

/**
 * The folders of the documents in a directory. In each of them, the generations of the document's record are numbered:
 * the highest number counts.
 */
export function createFolders (directory: string, modes: Modes) {
  const own = join(directory, OWN_FOLDER)
  /** Folders with a generation whose name could not be flushed. */
  const unflushed = new Set<string>()
  /** The latest generation that was read or made, by folder. */
  const remembered = new BoundedMap<string, Generation>(MAX_REMEMBERED)
  /** Folders of folders, at most 256, that are known to be on the disk. */
  const flushedParents = new Set<string>()

  function folderOf (fileId: string): string {
    const name = hash('sha256', fileId, 'hex')
    return join(own, name.slice(0, 2), name.slice(2, 34))
  }

  /** Adds something to a folder, which is made if it is missing: programs that clean up remove empty folders. */
  async function inFolder<Result> (folder: string, add: () => Promise<Result>): Promise<Result> {
    try {
      return await add()
    } catch (error) {
      ignoreMissing(error as NodeJS.ErrnoException)
    }
    await stat(directory) // rejects if the disk is gone
    const parent = dirname(folder)
    for (const path of [own, parent, folder]) await mkdir(path, modes.directory).catch(ignoreExisting)
    for (const path of flushedParents.has(parent) ? [parent] : [parent, own, directory]) await syncDirectory(path)
    flushedParents.add(parent)
    return await add()
  }

  /** Where there are no hard links: a folder with something in it is not replaced by a rename. */
  async function makeByFolder (temp: string, path: string): Promise<boolean> {
    const folder = `${temp}.new`
    await mkdir(folder, { mode: modes.directory })
    await rename(temp, join(folder, RECORD))
    await syncDirectory(folder)
    try {
      await rename(folder, path)
      return true
    } catch (error) {
      await rm(folder, { recursive: true })
      if (!await statsAt(path)) throw error
      return false
    }
  }

  function remember (folder: string, generation: Generation, text: string): Generation {
    if (text.length <= MAX_REMEMBERED_LENGTH) remembered.set(folder, generation)
    return generation
  }

  return {
    folderOf,
    inFolder,

    /** `undefined` if there is no such generation. */
    async read (folder: string, number: number): Promise<Generation | undefined> {
      if (number === 0) return undefined
      const path = join(folder, String(number))
      const stats = await statsAt(path)
      if (!stats) return undefined
      const known = remembered.get(folder)
      if (known?.number === number && known.stats.ino === stats.ino && known.stats.mtimeNs === stats.mtimeNs) {
        return known
      }
      const text = await readFile(stats.isDirectory() ? join(path, RECORD) : path, 'utf8').catch(ignoreMissing)
      return text === undefined ? undefined : remember(folder, { number, value: parseJson(text), stats }, text)
    },

    /** What is in a folder, as it is at the file server; nothing if there is no such folder. */
    async namesIn (folder: string): Promise<string[]> {
      if (unflushed.has(folder)) await syncDirectory(folder)
      unflushed.delete(folder)
      return await namesInFolder(folder)
    },

    /**
     * Makes the generation after `base`, durably; `base` is 0 if there is none. Resolves to `false` if another process
     * has made it, or has removed `base`.
     */
    async makeNext (folder: string, base: number, value: object): Promise<boolean> {
      const temp = join(folder, tempName())
      const text = JSON.stringify(value)
      const stats = await inFolder(folder, async () => await writeText(temp, text, modes.file))
      try {
        // Nobody removes the last generation of a folder with a temp file.
        if (base > 0 && !await statsAt(join(folder, String(base)))) return false
        const number = base + 1
        const path = join(folder, String(number))
        unflushed.add(folder)
        const isMade = await linkFile(temp, path) ?? await makeByFolder(temp, path)
        if (isMade) await syncDirectory(folder)
        unflushed.delete(folder)
        if (isMade) remember(folder, { number, value, stats }, text)
        return isMade
      } finally {
        await removeFile(temp)
      }
    },

    async removeSuperseded (folder: string, names: readonly string[]): Promise<void> {
      const newest = newestOf(names)
      const superseded = names.map(numberOf).filter(number => number > 0 && number < newest - MAX_SUPERSEDED)
      for (const number of superseded) await removeGeneration(folder, number)
    },

    /**
     * Removes the folder of a removed document. The folder stays if somebody is adding something to it. A process that
     * has seen the newest generation reads again before it makes the next one.
     */
    async removeAll (folder: string): Promise<void> {
      const names = await namesInFolder(folder)
      if (names.some(name => numberOf(name) === 0)) return
      for (const number of names.map(numberOf).sort((a, b) => a - b)) await removeGeneration(folder, number)
      await rmdir(folder)
    },

    /** The folders of all documents. */
    async * all (): AsyncGenerator<string> {
      for (const part of (await namesInFolder(own)).filter(name => /^[0-9a-f]{2}$/.test(name))) {
        const names = await namesInFolder(join(own, part))
        for (const name of names.filter(name => /^[0-9a-f]{32}$/.test(name))) yield join(own, part, name)
      }
    }
  }
}

function ignoreNoFolder (error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTDIR') return ignoreMissing(error)
}

function ignoreExisting (error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** The record in a generation that is a folder. */
const RECORD = 'record'

async function removeGeneration (folder: string, number: number): Promise<void> {
  const path = join(folder, String(number))
  await unlink(path).catch(async () => await rm(path, { recursive: true, force: true }))
}

async function namesInFolder (folder: string): Promise<string[]> {
  if (!await freshStats(folder).catch(ignoreMissing)) return []
  return await readdir(folder).catch(ignoreNoFolder) ?? []
}

/** The number of the newest generation; 0 if there is none. */
export function newestOf (names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf))
}

/** 0 if it is not the name of a generation. */
export function numberOf (name: string): number {
  return /^[1-9][0-9]{0,14}$/.test(name) ? Number(name) : 0
}

export function tempName (): string {
  return TEMP + randomUUID()
}
