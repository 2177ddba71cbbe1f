import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Content, StagedContent, Storage } from '../../types/storage.js'
import { InvalidOptionError, RevokedError } from '../errors.js'
import { heard } from '../readable.js'
import { isSafeFileId } from '../security/file-id.js'
import { publishNew, removeFile, syncDirectory } from './durable-names.js'
import { type TempFile, writeTempFile } from './durable-write.js'
import { fileBody } from './file-body.js'
import { fileState } from './file-state.js'
import { fileInfo, sliceOf, validExtension } from './file-info.js'
import { lookup, type StoredFile } from './lookup.js'
import { modesFor } from './modes.js'
import { openRegularFile } from './open-file.js'
import { replaceBy, revoke } from './replacing.js'
import { chunksOf, isRevoked } from './staged-file.js'
import { isTempName, sweepTempFiles } from './temp-files.js'

export interface FileStorageOptions {
  /** Where the files are; relative to the working directory at the time of the call. Created when missing. */
  readonly directory: string
  /**
   * Permissions of new documents and of the records beside them, from which the process's umask is taken as from any `mode` in
   * Node.js. A new directory lets in whom it lets read, and the group write as far as the umask does. Default: `0o640`.
   */
  readonly fileMode?: number
}

const MAX_CHASES = 10

/** No document can have this name: a fileId never starts with a dot. */
const STATE_DIRECTORY = '.fastify-onlyoffice-state'

/**
 * Documents as files `<fileId>.<extension>` of one directory, which other processes may share: they see whole files
 * only, and what they put there is found. Writes are atomic and, when resolved, on the disk; permissions are kept, and the
 * owner where the process may give files away: also by a copy that is stored beside a document, for it holds what was to go
 * into that. Links, directories and devices are absent files. `ready()`, or else the first operation, creates the directory,
 * removes temp files of ended processes and rejects with `FST_EDITOR_INVALID_OPTION` unless documents and records can be
 * written.
 *
 * What others put there, other instances among them, is found at once when the document server opens files with that extension,
 * in small letters or in capitals, or when other files there had it at the latest walk through the directory. Any other is
 * found by the next walk, in the background: a second later, in a directory of more than some ten thousand files after fifty
 * times what a walk takes (5 s among 100,000 files). `close()` ends these walks; nothing else.
 */
export function fileStorage (options: FileStorageOptions): Required<Storage> {
  if (typeof options?.directory !== 'string' || options.directory === '' || options.directory.includes('\0')) {
    throw new InvalidOptionError('directory', 'needs to be the path of a directory')
  }
  const modes = modesFor(options.fileMode)
  const directory = resolve(options.directory)
  const pathOf = (name: string) => join(directory, name)
  const { find: findIn, glance, findAll, note, walk, keepWalking } = lookup(directory)
  const { forget, prepare: prepareState, ...state } = fileState(pathOf(STATE_DIRECTORY), modes, async () => await ready())
  const temps = new WeakMap<Content, TempFile>()
  const closed = new AbortController()
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
      heard(content)
      const fileId = randomUUID()
      const name = `${fileId}.${validExtension(extension)}`
      await ready()
      return await withTempFile(content, undefined, async temp => {
        await publishNew(temp, pathOf(name), undefined, () => note(name))
        return fileInfo(fileId, name, temp.stats)
      })
    },

    async stage (fileId, content) {
      heard(content)
      await ready()
      const follows = await glance(fileId) ?? (await find(fileId))[0] // only a guess: replace makes sure
      const temp = await writeTempFile(directory, content, modes.file, follows?.stats)
      const staged: StagedContent = {
        size: Number(temp.stats.size),
        discard: async () => { if (temps.delete(staged)) await removeFile(temp.path).catch(() => {}) },
        [Symbol.asyncIterator]: () => chunksOf(temp)
      }
      temps.set(staged, temp)
      return staged
    },

    async replace (fileId, content, options = {}) {
      heard(content)
      if (options.extension !== undefined) validExtension(options.extension)
      const [file] = await find(fileId)
      if (!file) return null
      return await withTempFile(content, file.stats, async (temp, isStaged) => {
        // Content that had to be read first may have taken its time.
        const [current] = isStaged ? [file] : await find(fileId)
        return current ? await replaceBy(temp, { directory, fileId, findAll: async () => await findAll(fileId), onNamed: note, current, options }) : null
      })
    },

    async revoke (fileId, ticket) {
      if (isSafeFileId(fileId)) await revoke(ticket, { directory, fileId })
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

    async close () {
      closed.abort()
    },

    state
  }

  async function find (fileId: string): Promise<StoredFile[]> {
    await ready()
    return isSafeFileId(fileId) ? await findIn(fileId) : []
  }

  /** Publishes what was staged here, which stays when that fails, or content that has yet to be written, of which nothing stays. */
  async function withTempFile<Result> (content: Content, follows: BigIntStats | undefined, publish: (temp: TempFile, isStaged: boolean) => Promise<Result>): Promise<Result> {
    const staged = temps.get(content)
    const temp = staged ?? await writeTempFile(directory, content, modes.file, follows)
    let published: Result | null = null
    try {
      published = await publish(temp, staged !== undefined)
      return published
    } catch (error) {
      throw staged !== undefined && await isRevoked(staged, error) ? new RevokedError({ cause: error }) : error
    } finally {
      if (published !== null) temps.delete(content)
      else if (staged === undefined) await removeFile(temp.path).catch(() => {})
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
      await mkdir(directory, { recursive: true, mode: modes.directory })
      const { path, stats } = await writeTempFile(directory, new Uint8Array(0), modes.file)
      await removeFile(path)
      const found: string[] = []
      await walk(name => { if (isTempName(name)) found.push(name) })
      await sweepTempFiles(directory, found, Number(stats.ctimeMs))
      await prepareState(async fileId => isSafeFileId(fileId) && (await findIn(fileId)).length > 0)
    } catch (error) {
      throw new InvalidOptionError('storage', `needs a writable directory: ${(error as Error).message}`, { cause: error })
    }
    keepWalking(closed.signal).catch(() => {})
  }
}
