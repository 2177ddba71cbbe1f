import { link, lstat, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasNoLinks, syncDirectory } from './durable-names.js'
import { writeTempFile } from './durable-write.js'
import type { Modes } from './modes.js'
import { tempName } from './temp-files.js'

/** Name of the text in a file that is a folder. */
const TEXT = 'value'

export interface PutOptions {
  /** A folder for temp files. */
  readonly temps: string
  readonly modes: Modes
  /** Whether the text is on the disk before it has its name. */
  readonly durable: boolean
}

/** Puts a finished file with this text at `target`. Resolves to `false` when someone else has put one there. */
export async function putOnce (text: string, target: string, { temps, modes, durable }: PutOptions): Promise<boolean> {
  const temp = durable ? (await writeTempFile(temps, Buffer.from(text), modes.file)).path : await written(text, temps, modes.file)
  try {
    await link(temp, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!hasNoLinks(code)) throw error
    return await takenByFolder(temps, temp, target, modes.directory)
  } finally {
    await unlink(temp).catch(() => {})
  }
}

async function written (text: string, temps: string, mode: number): Promise<string> {
  const path = join(temps, tempName())
  try {
    await writeFile(path, text, { flag: 'wx', mode })
    return path
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

/** Where the file system has no links: a folder never takes the place of one that has something in it. */
async function takenByFolder (temps: string, temp: string, target: string, mode: number): Promise<boolean> {
  const folder = join(temps, tempName())
  await mkdir(folder, { mode })
  try {
    await rename(temp, join(folder, TEXT))
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

/** What `putOnce` has put there. */
export async function textOf (path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    return await readFile(join(path, TEXT), 'utf8')
  }
}

export function orMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
