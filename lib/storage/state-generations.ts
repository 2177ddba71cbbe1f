import { link, lstat, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../json.js'
import { ignoreMissing, isLinkUnsupported, type Modes, syncDirectory, syncFile } from './file-system.js'
import { tempName } from './temp-files.js'

/**
 * A record is a folder of generations: files named by ascending numbers, of which the highest is current. A generation is never
 * changed. Writing one means giving a complete file the next number, which only one process can do.
 */
export interface Generation {
  /** Tells whose record it is: the name of the folder is only a hash. */
  readonly fileId: string
  readonly value: unknown
  /** A random tag of this generation and those of the ones it follows, newest first. Numbers can be used again, tags cannot. */
  readonly tags: readonly string[]
}

/** The highest number of a record, and its newest readable generation; `null` when none is readable. */
export interface NewestGeneration {
  readonly number: number
  readonly generation: Generation | null
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

/** The newest generation: one that a crash left incomplete is skipped, but its number counts. `undefined` when there is no record. */
export async function newestIn (folder: string): Promise<NewestGeneration | undefined> {
  // Generations may be removed between being listed and being read, because newer ones have superseded them.
  for (let attempt = 0; attempt < MAX_READ_ATTEMPTS; attempt++) {
    const numbers = await generationsIn(folder)
    if (numbers.length === 0) return undefined
    const generation = await newestReadable(folder, numbers)
    if (generation !== undefined) return { number: numbers[0]!, generation }
  }
  throw new Error('The record of the document changes faster than it can be read')
}

/** `undefined` when a generation has been removed meanwhile, `null` when none is readable. */
async function newestReadable (folder: string, numbers: readonly number[]): Promise<Generation | undefined | null> {
  for (const number of numbers) {
    const text = await readText(generationPath(folder, number)).catch(ignoreMissing)
    if (text === undefined) return undefined
    const generation = parseGeneration(text)
    if (generation !== undefined) return generation
  }
  return null
}

async function readText (path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    return await readFile(join(path, FILE_IN_FOLDER), 'utf8')
  }
}

function parseGeneration (text: string): Generation | undefined {
  const generation = Object(parseJson(text))
  return typeof generation.fileId === 'string' && generation.value !== undefined && Array.isArray(generation.tags) ? generation : undefined
}

export interface WriteOptions {
  /** Folder for temp files. */
  readonly temps: string
  readonly modes: Modes
  /** Whether to flush the file and its name. */
  readonly durable: boolean
}

/**
 * Writes a generation. Resolves to `false` when another process has written one with this number. A durable one gets its number before
 * it is flushed, so that the file and its name are flushed at once. A crash meanwhile leaves it without a name, complete, or
 * incomplete: then readers skip it, and the durable one before it is still there.
 */
export async function writeGeneration (folder: string, number: number, generation: Generation, { temps, modes, durable }: WriteOptions): Promise<boolean> {
  const temp = await writeUnflushed(JSON.stringify(generation), temps, modes.file)
  try {
    return await linkGeneration(temp, folder, number, durable)
  } catch (error) {
    if (!isLinkUnsupported((error as NodeJS.ErrnoException).code)) throw error
    const isMoved = await moveAsFolder(temps, temp, generationPath(folder, number), modes.directory)
    if (isMoved && durable) await syncDirectory(folder)
    return isMoved
  } finally {
    await unlink(temp).catch(() => {})
  }
}

async function linkGeneration (temp: string, folder: string, number: number, durable: boolean): Promise<boolean> {
  const path = generationPath(folder, number)
  const isLinked = await link(temp, path).then(() => true, async error => {
    // A network file system may repeat a call that succeeded, and report EEXIST for the link it has made itself.
    if (error.code === 'EEXIST') return await isSameFile(temp, path)
    throw error
  })
  if (isLinked && durable) await Promise.all([syncFile(temp), syncDirectory(folder)])
  return isLinked
}

async function isSameFile (path: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([path, other].map(async path => await lstat(path, { bigint: true }).catch(ignoreMissing)))
  return a !== undefined && a.ino === b?.ino
}

/** The file is closed before it gets its name: only then does a file server have what other machines read. */
async function writeUnflushed (text: string, temps: string, mode: number): Promise<string> {
  const path = join(temps, tempName())
  try {
    await writeFile(path, text, { flag: 'wx', mode })
    return path
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

/** For file systems without hard links. Renaming a file replaces another file, but renaming a folder fails if the target is not empty. */
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
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' || await lstat(target).catch(ignoreMissing) !== undefined) return false
    throw error
  }
}

export async function removeGeneration (folder: string, number: number): Promise<void> {
  const path = generationPath(folder, number)
  await unlink(path).catch(async ({ code }) => {
    if (code !== 'ENOENT') await rm(path, { recursive: true, force: true }) // it is a folder
  })
}

function generationPath (folder: string, number: number): string {
  return join(folder, String(number))
}

/** The opaque version of a record, from its newest generation: `c4e907fa … 12`. */
export function formatVersion (number: number, tags: readonly string[]): string {
  return [...tags, number].join(' ')
}

/** The number is 0 for `null`, and `NaN` for a string that is not a version. */
export function parseVersion (version: string | null): { readonly number: number, readonly tags: readonly string[] } {
  const tags = (version ?? '0').split(' ')
  const number = tags.pop()!
  return { number: /^\d+$/.test(number) ? Number(number) : NaN, tags }
}
