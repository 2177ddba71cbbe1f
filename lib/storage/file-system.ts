import { open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidOptionError } from '../errors.js'

/** Longer than the granularity of file times in any kernel: the period of its timer, 1 to 16 ms. */
export const TIME_GRANULARITY_MS = 50

/** Permissions of new files and directories, before the process's umask is applied. */
export interface Modes {
  readonly file: number
  readonly directory: number
}

/** Throws `InvalidOptionError` for a mode with which no document could be replaced. */
export function modesFor (fileMode: number = 0o640): Modes {
  if (!Number.isInteger(fileMode) || fileMode < 0 || fileMode > 0o777 || (fileMode & 0o600) !== 0o600) {
    throw new InvalidOptionError(
      'fileMode',
      'must be from 0o600 to 0o777 and let the owner read and write, such as 0o640'
    )
  }
  // Everybody who may read the files must be able to enter the directory. The group may contain another instance, which
  // must be able to write there.
  return { file: fileMode, directory: 0o700 | fileMode | (fileMode & 0o444) >> 2 | (fileMode & 0o040) >> 1 }
}

/** Handles a rejection: resolves to `undefined` for ENOENT, rethrows any other error. */
export function ignoreMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Resolves to whether the file existed. */
export async function removeFile (path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Flushes a directory, so that names added to it or removed from it survive a power failure. */
export async function syncDirectory (directory: string): Promise<void> {
  if (process.platform === 'win32') return // there is no such call: the file system journals names
  await syncOpened(directory, 'r')
}

export async function syncFile (path: string): Promise<void> {
  await syncOpened(path, 'r+') // Windows flushes only what is open for writing
}

async function syncOpened (path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Flushes the parents of a new folder, up to `top`, so that the folder is found after a crash. */
export async function syncAncestors (folder: string, top: string): Promise<void> {
  await Promise.all(ancestorsOf(folder, top).map(syncDirectory))
}

function ancestorsOf (path: string, top: string): string[] {
  const parent = dirname(path)
  return parent === top ? [parent] : [parent, ...ancestorsOf(parent, top)]
}

/** Whether `link` failed with this code because the file system has no hard links. */
export function isLinkUnsupported (code: string | undefined): boolean {
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS'
}
