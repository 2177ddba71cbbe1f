import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { constants, type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Storage } from '../../types/storage.js'
import { InvalidOptionError } from '../errors.js'
import { isSafeFileId } from '../security/file-id.js'
import { orRemoved, publish, removeFile, syncDirectory, writeTempFile } from './durable-write.js'
import { fileBody } from './file-body.js'
import { fileState } from './file-state.js'
import { fileInfo, sliceOf, splitName, validExtension } from './file-info.js'
import { lookup, type StoredFile } from './lookup.js'
import { removeSuperseded, whileNoted } from './superseded.js'
import { sweepTempFiles } from './temp-files.js'
import { isKnownExtension } from './unusual-names.js'

export interface FileStorageOptions {
  /** Where the files are; relative to the working directory at the time of the call. Created when missing. */
  readonly directory: string
}

const PERMISSION_BITS = 0o777n
const MAX_CHASES = 10

/** No document can have this name: a fileId never starts with a dot. */
const STATE_DIRECTORY = '.fastify-onlyoffice-state'

/** Without following a link and without waiting for the other end of a pipe. Windows knows neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Documents as files `<fileId>.<extension>` of one directory, which other processes may share: they see whole files
 * only, and what they put there is found. Writes are atomic and, when resolved, on the disk; permissions are kept.
 * Links, directories and devices are absent files. `ready()`, or else the first operation, creates the directory,
 * removes temp files of ended processes and rejects with `FST_EDITOR_INVALID_OPTION` unless it is writable.
 */
export function fileStorage (options: FileStorageOptions): Required<Pick<Storage, 'ready' | 'stat' | 'read' | 'create' | 'replace' | 'remove' | 'state'>> {
  if (typeof options?.directory !== 'string' || options.directory === '' || options.directory.includes('\0')) {
    throw new InvalidOptionError('directory', 'needs to be the path of a directory')
  }
  const directory = resolve(options.directory)
  const pathOf = (name: string) => join(directory, name)
  const filesOf = lookup(directory)
  const { forget, sweep, ...state } = fileState(pathOf(STATE_DIRECTORY), async () => await ready())
  let started: Promise<void> | undefined

  return {
    ready,

    async stat (fileId) {
      const [file] = await find(fileId)
      return file ? fileInfo(fileId, file.name, file.stats) : null
    },

    async read (fileId, range) {
      // Between the look-up and the opening a change of format may rename the file.
      for (let chase = 0; chase < MAX_CHASES; chase++) {
        const [file] = await find(fileId)
        if (!file) return null
        const opened = await openRegularFile(pathOf(file.name))
        if (!opened) continue
        const info = fileInfo(fileId, file.name, opened.stats)
        try {
          const { start, length } = sliceOf(info.size, range)
          return { info, body: fileBody(opened.handle, start, length) }
        } catch (error) {
          await opened.handle.close()
          throw error
        }
      }
      return null
    },

    async create (extension, content) {
      const fileId = randomUUID()
      const name = `${fileId}.${validExtension(extension)}`
      await ready()
      const temp = await writeTempFile(directory, content)
      await publish(temp.path, pathOf(name))
      return fileInfo(fileId, name, temp.stats)
    },

    async replace (fileId, content, { extension, beforePublish } = {}) {
      const files = await find(fileId)
      const [current] = files
      if (!current) return null

      const name = extension === undefined ? current.name : nameFor(fileId, current, validExtension(extension))
      const temp = await writeTempFile(directory, content, {
        mode: Number(current.stats.mode & PERMISSION_BITS),
        newerThan: files.find(file => file.name !== name)?.stats.mtimeNs
      })
      const info = fileInfo(fileId, name, temp.stats)
      const superseded = supersededBy(name, files)
      await whileNoted(directory, { temp, target: name, superseded }, async () => {
        if (beforePublish) await orRemoved(temp.path, beforePublish(info))
        await publish(temp.path, pathOf(name), superseded.map(file => pathOf(file.name)))
      })
      return info
    },

    async remove (fileId) {
      let removed = false
      for (let files = await find(fileId); files.length > 0; files = await find(fileId)) {
        for (const file of files) removed = await removeFile(pathOf(file.name)) || removed
      }
      if (removed) await syncDirectory(directory)
      await forget(fileId)
      return removed
    },

    state
  }

  async function find (fileId: string): Promise<StoredFile[]> {
    await ready()
    return isSafeFileId(fileId) ? filesOf(fileId) : []
  }

  function ready (): Promise<void> {
    started ??= prepare(directory, sweep).catch(error => {
      started = undefined // the next operation tries again: a volume may be mounted late
      throw error
    })
    return started
  }
}

async function prepare (directory: string, sweepState: () => Promise<void>): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    const { path } = await writeTempFile(directory, new Uint8Array(0))
    await removeFile(path)
    await sweepTempFiles(directory, note => removeSuperseded(directory, note))
    await sweepState()
  } catch (error) {
    throw new InvalidOptionError('storage', `needs a writable directory: ${(error as Error).message}`, { cause: error })
  }
}

/** The spelling on disk stays unless the format changes. */
function nameFor (fileId: string, current: StoredFile, extension: string): string {
  return splitName(current.name)?.extension.toLowerCase() === extension ? current.name : `${fileId}.${extension}`
}

/** The file a new name takes the place of, preceded by those that would be found before it. */
function supersededBy (name: string, files: readonly StoredFile[]): StoredFile[] {
  if (files[0]!.name === name) return []
  const goFirst = isUnusual(name) && !isUnusual(files[0]!.name) ? files : files.slice(0, 1)
  return goFirst.toReversed()
}

function isUnusual (name: string): boolean {
  return !isKnownExtension(splitName(name)?.extension ?? '')
}

/** `undefined` when it is not there or not a regular file. */
async function openRegularFile (path: string): Promise<{ handle: FileHandle, stats: BigIntStats } | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, OPEN_FLAGS)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}
