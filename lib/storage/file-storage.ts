import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Content, StagedContent, Storage } from '../../types/storage.js'
import { InvalidOptionError } from '../errors.js'
import { isSafeFileId } from '../security/file-id.js'
import { publishNew, removeFile, syncDirectory, type TempFile, writeTempFile } from './durable-write.js'
import { fileBody } from './file-body.js'
import { fileState } from './file-state.js'
import { fileInfo, sliceOf, validExtension } from './file-info.js'
import { lookup, type StoredFile } from './lookup.js'
import { replaceBy, revoke } from './replacing.js'
import { sweepTempFiles } from './temp-files.js'

export interface FileStorageOptions {
  /** Where the files are; relative to the working directory at the time of the call. Created when missing. */
  readonly directory: string
}

const MAX_CHASES = 10

/** No document can have this name: a fileId never starts with a dot. */
const STATE_DIRECTORY = '.fastify-onlyoffice-state'

/** Without following a link and without waiting for the other end of a pipe. Windows knows neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Documents as files `<fileId>.<extension>` of one directory, which other processes may share: they see whole files
 * only, and what they put there is found. Writes are atomic and, when resolved, on the disk; permissions are kept, and the
 * owner where the process may give files away. Links, directories and devices are absent files. `ready()`, or else the first
 * operation, creates the directory, removes temp files of ended processes and rejects with `FST_EDITOR_INVALID_OPTION`
 * unless documents and records can be written.
 */
export function fileStorage (options: FileStorageOptions): Required<Omit<Storage, 'close'>> {
  if (typeof options?.directory !== 'string' || options.directory === '' || options.directory.includes('\0')) {
    throw new InvalidOptionError('directory', 'needs to be the path of a directory')
  }
  const directory = resolve(options.directory)
  const pathOf = (name: string) => join(directory, name)
  const { find: findIn, findAll } = lookup(directory)
  const { forget, prepare: prepareState, ...state } = fileState(pathOf(STATE_DIRECTORY), async () => await ready())
  const temps = new WeakMap<Content, TempFile>()
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
      return await withTempFile(content, undefined, async temp => {
        await publishNew(temp, pathOf(name))
        return fileInfo(fileId, name, temp.stats)
      })
    },

    async stage (fileId, content) {
      const [follows] = await find(fileId)
      const temp = await writeTempFile(directory, content, follows?.stats)
      const staged: StagedContent = {
        size: Number(temp.stats.size),
        discard: async () => { await removeFile(temp.path).catch(() => {}) },
        [Symbol.asyncIterator]: () => createReadStream(temp.path)[Symbol.asyncIterator]()
      }
      temps.set(staged, temp)
      return staged
    },

    async replace (fileId, content, options = {}) {
      const [current] = await find(fileId)
      if (!current) return null
      const place = { directory, fileId, findAll: async () => await findAll(fileId) }
      return await withTempFile(content, current, async temp => await replaceBy(temp, { ...place, current, options }))
    },

    async revoke (fileId, ticket) {
      if (isSafeFileId(fileId)) await revoke(ticket, { directory, findAll: async () => await findAll(fileId) })
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
    return isSafeFileId(fileId) ? await findIn(fileId) : []
  }

  /** What was staged here is not written again, and is not removed when the task fails. */
  async function withTempFile<Result> (content: Content, follows: StoredFile | undefined, task: (temp: TempFile) => Promise<Result>): Promise<Result> {
    const staged = temps.get(content)
    if (staged !== undefined) return await task(staged)
    const temp = await writeTempFile(directory, content, follows?.stats)
    try {
      return await task(temp)
    } finally {
      await removeFile(temp.path).catch(() => {})
    }
  }

  function ready (): Promise<void> {
    started ??= prepare().catch(error => {
      started = undefined // the next operation tries again: a volume may be mounted late
      throw error
    })
    return started
  }

  async function prepare (): Promise<void> {
    try {
      await mkdir(directory, { recursive: true })
      const { path, stats } = await writeTempFile(directory, new Uint8Array(0))
      await removeFile(path)
      await sweepTempFiles(directory, Number(stats.ctimeMs))
      await prepareState(async fileId => (await findIn(fileId)).length > 0)
    } catch (error) {
      throw new InvalidOptionError('storage', `needs a writable directory: ${(error as Error).message}`, { cause: error })
    }
  }
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
