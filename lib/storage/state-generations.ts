import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { link, lstat, mkdir, open, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BoundedMap } from '../util/bounded-map.js'
import { parseJson } from '../util/text.js'
import { ignoreMissing, isLinkUnsupported, type Modes, syncDirectory, syncFile, tempName } from './file-system.js'

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
export interface NewestGeneration {
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
export async function generationsIn (folder: string): Promise<number[]> {
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
export async function newestIn (folder: string): Promise<NewestGeneration | undefined> {
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
export async function writeGeneration (
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

export async function removeGeneration (folder: string, number: number): Promise<void> {
  const path = generationPath(folder, number)
  await unlink(path).catch(async ({ code }) => {
    if (code !== 'ENOENT') await rm(path, { recursive: true, force: true }) // it is a folder
  })
}

/**
 * Removes generations, the lowest number first: as long as one exists, the next one has not been removed. Resolves to
 * whether all were removed.
 */
export async function removeGenerations (folder: string, numbers: readonly number[]): Promise<boolean> {
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
export function versionOf ({ numbers: [number = 0], generation }: NewestGeneration): string {
  return [...generation?.tags ?? [], number].join(' ')
}

export function tagsOf (version: string | null): readonly string[] {
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
export function generationCache () {
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
