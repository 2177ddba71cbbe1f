import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Content, StagedContent, Storage } from '../../types/storage.js'
import { InvalidOptionError, NameTakenError } from '../errors.js'
import { isSafeFileId, whyNoFileId } from '../security/names.js'
import { once } from '../util/queue.js'
import { acceptContent } from '../util/streams.js'
import { assertOptions, integerFrom, rule, type Rules, stringThat } from '../util/validate.js'
import { assertCreateOptions, assertReplaceOptions, storedExtension } from './call-options.js'
import { fileInfo, fileLookup, type StoredFile } from './file-lookup.js'
import { fileState } from './file-state.js'
import {
  assertWritable, isTempName, modesFor, readTempFile, removeFile, revokedOr, statsAt, sweepTempFiles, syncDirectory,
  type TempFile, writeTempFile
} from './file-system.js'
import { fileVersions } from './file-versions.js'
import { publishNew, replaceFile, revokeTicket } from './publishing.js'
import { contentOf, OpenFile } from './reading.js'
import { isOfKnownFormat } from './state-format.js'

export interface FileStorageOptions {
  /** Path of the directory with the files, relative to the current working directory. Created if it does not exist. */
  readonly directory: string
  /**
   * Permissions of new documents, of their records and of the lists of their versions, less the process's umask. They
   * must let the owner read and write. A new directory can be entered by everybody who may read its files, and the
   * group may write to it if it may read them; there, too, the umask applies.
   *
   * @default 0o640
   */
  readonly fileMode?: number
}

/** What `fileStorage` returns. */
export type FileStorage = Required<Omit<Storage, 'commit' | 'snapshot' | 'downloadUrl'>>

const rules: Rules<FileStorageOptions> = {
  directory: rule('must be the path of a directory', stringThat(path => path !== '' && !path.includes('\0'))),
  fileMode: rule(
    'must be from 0o600 to 0o777 and let the owner read and write, such as 0o640',
    integerFrom(0o600, 0o777)
  )
}

const MAX_READ_ATTEMPTS = 10

/** Why a storage has no document with a fileId, by storage. */
const explanations = new WeakMap<Storage, (fileId: string) => Promise<string | undefined>>()

/** Why a storage that `fileStorage` has made has no document with this fileId, if it knows. Never rejects. */
export async function explainAbsence (storage: Storage, fileId: string): Promise<string | undefined> {
  return await explanations.get(storage)?.(fileId)
}

/** These cannot be the names of documents, because a fileId never starts with a dot. */
const STATE_DIRECTORY = '.fastify-onlyoffice-state'
const VERSIONS_DIRECTORY = '.fastify-onlyoffice-versions'

/**
 * Stores documents as files `<fileId>.<extension>` in one directory, which other processes may use at the same time,
 * among them other instances of the application.
 *
 * - Writes are atomic: all readers, also in other processes, see complete files only.
 * - Writes are durable: once a method has resolved, its effect survives a power failure (but see `durable` of
 *   `StateStore.set`).
 * - A replaced document keeps its permissions, and its owner if the process may change owners. A conflict copy gets the
 *   permissions and the owner of the document that it was saved for.
 * - Symbolic links, directories, devices and files without an extension are treated as absent.
 * - Instances on several machines can share the directory through NFS 4.1 or later, with the default mount options of
 *   Linux: docs/nfs.md describes the other guarantees and the tests.
 * - Versions are hard links to documents, or copies where the file system has no links: keeping one takes as long for
 *   any size. If another program writes to a document's file instead of replacing it, a version of that content is
 *   damaged and cannot be read.
 *
 * Files that other processes add are found at once if the document server opens files with their extension, in lower or
 * upper case, or if other files in the directory had that extension at the latest scan. Others are found by the next
 * scan. Scans run in the background while the directory changes, at intervals of one second, or of 50 times the
 * duration of a scan if that is longer (5 s for 100,000 files). `close()` ends the work in the background, and does
 * nothing else.
 *
 * `ready()` creates the directory and removes temp files of processes that have ended. It rejects with
 * `InvalidOptionError` (`FST_EDITOR_INVALID_OPTION`) when documents or records cannot be written. The plugin awaits it
 * at registration; without the plugin, the first method that is called does. If it fails, the next call tries again. A
 * process warning (`FST_EDITOR_FILE_SYSTEM`) names what the file system cannot do: flush directories, or set times.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `directory` is not a path, or `fileMode` is not allowed.
 *
 * @example
 * ```js
 * import { readFile } from 'node:fs/promises'
 * import editor, { fileStorage } from 'fastify-onlyoffice'
 *
 * await app.register(editor, { ...options, storage: fileStorage({ directory: '/srv/documents' }) })
 * const { fileId } = await app.editorStorage.create('docx', await readFile('Report.docx'))
 * ```
 */
export function fileStorage (options: FileStorageOptions): FileStorage {
  assertOptions(rules, options, { required: new Set(['directory']) })
  const modes = modesFor(options.fileMode)
  const directory = resolve(options.directory)
  const pathOf = (name: string) => join(directory, name)
  const lookup = fileLookup(directory)
  const closing = new AbortController()
  /** A volume may be mounted late. */
  const ready = once(start)
  const services = { directory, modes, lookup, ready, closing: closing.signal }
  const state = fileState(pathOf(STATE_DIRECTORY), services, isOfKnownFormat)
  const versions = fileVersions(pathOf(VERSIONS_DIRECTORY), services)
  const stagedFiles = new WeakMap<Content, TempFile>()

  const storage: FileStorage = {
    ready,

    async stat (fileId) {
      const [file] = await find(fileId)
      return file ? fileInfo(fileId, file.name, file.stats) : null
    },

    async read (fileId, range) {
      await ready()
      // A change of format may rename the file between lookup and open, and another program may write to the file while
      // it is read.
      for (let attempt = 0; attempt < MAX_READ_ATTEMPTS; attempt++) {
        const name = attempt === 0 ? await lookup.nameOf(fileId) : (await lookup.find(fileId))[0]?.name
        if (name === undefined) return null
        const file = await OpenFile.open(pathOf(name), lookup.isLocal())
        const body = file && await contentOf(file, range)
        if (body) return { info: fileInfo(fileId, name, file.stats), body }
      }
      throw new Error('The file changes faster than it can be read')
    },

    async create (extension, content, options = {}) {
      content = acceptContent(content)
      assertCreateOptions(options)
      const { fileId = randomUUID() } = options
      const name = `${fileId}.${storedExtension(extension)}`
      await ready()
      return await withTempFile(content, undefined, async temp => {
        if (options.fileId !== undefined && (await lookup.find(fileId)).length > 0) throw new NameTakenError()
        await publishNew(temp, pathOf(name), undefined, () => lookup.addName(name))
        return fileInfo(fileId, name, temp.stats)
      })
    },

    async stage (fileId, content) {
      content = acceptContent(content)
      await ready()
      // This is a guess, which `replace` corrects.
      const replaced = await lookup.statLastFound(fileId) ?? (await find(fileId))[0]
      const temp = await tempFileFor(content, replaced?.stats)
      const staged: StagedContent = {
        size: Number(temp.stats.size),
        discard: async () => { if (stagedFiles.delete(staged)) await removeFile(temp.path).catch(() => {}) },
        [Symbol.asyncIterator]: () => readTempFile(temp)
      }
      stagedFiles.set(staged, temp)
      return staged
    },

    async replace (fileId, content, options = {}) {
      content = acceptContent(content)
      assertReplaceOptions(options)
      if (options.extension !== undefined) storedExtension(options.extension)
      const [file] = await find(fileId)
      if (!file) return null
      return await withTempFile(content, file.stats, async (temp, isStaged) => {
        const [current] = isStaged ? [file] : await find(fileId) // writing the content may have taken long
        if (!current) return null
        return await replaceFile(temp, fileId, current, options, services)
      })
    },

    async revoke (fileId, ticket) {
      if (isSafeFileId(fileId)) await revokeTicket(ticket, directory, fileId)
    },

    async remove (fileId) {
      await ready()
      await state.assertKnown(fileId)
      await versions.assertKnown(fileId)
      let isRemoved = false
      for (let files = await find(fileId); files.length > 0; files = await find(fileId)) {
        for (const file of files) isRemoved = await removeFile(pathOf(file.name)) || isRemoved
      }
      if (isRemoved) await syncDirectory(directory)
      await state.remove(fileId)
      await versions.removeAll(fileId)
      return isRemoved
    },

    async close () {
      closing.abort()
    },

    state: state.store,
    versions: versions.store
  }
  explanations.set(storage, whyAbsent)
  return storage

  async function find (fileId: string): Promise<StoredFile[]> {
    await ready()
    return await lookup.find(fileId)
  }

  async function whyAbsent (fileId: string): Promise<string | undefined> {
    const reason = whyNoFileId(fileId)
    if (reason !== undefined || fileId.includes('.')) return reason
    const stats = await statsAt(pathOf(fileId)).catch(() => undefined)
    return stats?.isFile() ? 'the file with this name has no extension' : undefined
  }

  async function tempFileFor (content: Content, replaced: BigIntStats | undefined): Promise<TempFile> {
    return await writeTempFile(directory, content, modes.file, { replaced, adding: lookup.changing })
  }

  /**
   * Publishes content. Staged content already has a temp file, which stays if publishing fails. A new temp file is
   * removed unless it was published.
   */
  async function withTempFile<Result> (
    content: Content, replaced: BigIntStats | undefined, publish: (temp: TempFile, isStaged: boolean) => Promise<Result>
  ): Promise<Result> {
    const staged = stagedFiles.get(content)
    const temp = staged ?? await tempFileFor(content, replaced)
    let result: Result | null = null
    try {
      result = await publish(temp, staged !== undefined)
      return result
    } catch (error) {
      throw staged === undefined ? error : await revokedOr(error, staged)
    } finally {
      if (result !== null) stagedFiles.delete(content)
      else if (staged === undefined) await removeFile(temp.path).catch(() => {})
    }
  }

  async function start (): Promise<void> {
    try {
      const { now, limits } = await assertWritable(directory, modes)
      const tempNames: string[] = []
      await lookup.scan(name => { if (isTempName(name)) tempNames.push(name) })
      await sweepTempFiles(directory, tempNames, now)
      await state.prepare()
      await versions.prepare()
      if (limits.length > 0) {
        process.emitWarning(`The file system of ${directory} ${limits.join(', and ')}`, { code: 'FST_EDITOR_FILE_SYSTEM' })
      }
    } catch (error) {
      const reason = `needs a writable directory: ${(error as Error).message}`
      throw new InvalidOptionError('storage', reason, { cause: error })
    }
    lookup.keepScanning(closing.signal).catch(() => {})
  }
}
