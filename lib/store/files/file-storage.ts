import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { EditorStorage, StorageSweepOptions } from '../../../types/storage.js'
import { InvalidOptionError } from '../../errors.js'
import { whyNoFileId } from '../../security/names.js'
import { once } from '../../util/queue.js'
import { assertOptions, integerFrom, isNumber, rule, type Rules, Signal, stringThat } from '../../util/validate.js'
import type { DocumentStore } from '../contract.js'
import { createDocumentStore } from '../document-store.js'
import { filesDriver } from './driver.js'
import { modesFor, statsAt, tryFile } from './file-system.js'
import { createFolders, OWN_FOLDER, tempName } from './folders.js'
import { fileLookup } from './lookup.js'
import { sweepMethods } from '../sweep.js'
import { createSweep } from './sweep.js'

export interface FileStorageOptions {
  /** Path of the directory with the files, relative to the current working directory. Created if it does not exist. */
  readonly directory: string
  /**
   * Permissions of new documents, of their records and of the lists of their versions, less the process's umask. The
   * owner must be able to read and write. New directories can be entered by everybody who may read their files, and the
   * group may write to them if it may read the files; the umask applies there, too.
   *
   * @default 0o640
   */
  readonly fileMode?: number | undefined
}

export interface FileSweepOptions extends StorageSweepOptions {
  /**
   * Milliseconds after which the record and the versions of a missing document are removed.
   *
   * @default 2_592_000_000, 30 days
   */
  readonly missingFor?: number | undefined
}

/** The result of a sweep. */
export interface FileSweepResult {
  /** Number of removed files that no record named. */
  readonly files: number
  /** Number of missing documents whose records and versions were removed. */
  readonly documents: number
}

/** The storage that `fileStorage` returns. */
export interface FileStorage extends Omit<DocumentStore, 'downloadUrl'> {
  /** Runs a sweep at once, like the sweeps in the background. */
  sweep (options?: FileSweepOptions): Promise<FileSweepResult>
  /** Ends the sweeps in the background. */
  close (): Promise<void>
}

const rules: Rules<FileStorageOptions> = {
  directory: rule('must be the path of a directory', stringThat(path => path !== '' && !path.includes('\0'))),
  fileMode: rule(
    'must be from 0o600 to 0o777 and let the owner read and write, such as 0o640',
    integerFrom(0o600, 0o777)
  )
}

const sweepRules: Rules<FileSweepOptions> = {
  olderThan: rule('must be a number of milliseconds', isNumber),
  missingFor: rule('must be a number of milliseconds', isNumber),
  signal: Signal
}

/** Functions that explain why a storage has no document with a fileId, by storage. */
const explanations = new WeakMap<EditorStorage, (fileId: string) => Promise<string | undefined>>()

/** Explains why a storage of `fileStorage` has no document with this fileId, if it knows. Never rejects. */
export async function explainAbsence (storage: EditorStorage, fileId: string): Promise<string | undefined> {
  return await explanations.get(storage)?.(fileId)
}

/**
 * Stores documents as files `<fileId>.<extension>` in one directory. Other processes, such as other instances of the
 * application, may use the directory at the same time.
 *
 * - Writes are atomic: all readers, in other processes too, see only complete files.
 * - Writes are durable: once a method has resolved, its effect survives a power failure.
 * - A replaced document keeps its permissions, and its owner if the process may change owners. A conflict copy gets the
 *   permissions and the owner of the original document.
 * - Symbolic links, directories, devices and files without an extension are treated as absent.
 * - Instances on several machines can share the directory through NFS 4.1 or later, with the default mount options of
 *   Linux: see docs/storage.md#nfs.
 * - Versions are hard links to documents, so keeping one takes the same time for any size; where the file system has no
 *   hard links, they are copies. If another program writes into a document's file instead of replacing it, the version
 *   of that content is damaged and cannot be read.
 *
 * The storage sees at once when other processes add, replace, rename or remove files. If a document has several files,
 * it may notice another one only after ten times as long as it takes to list the directory. A look-up lists a directory
 * that has changed. `close()` only ends the sweeps.
 *
 * A sweep, soon after the start and then once a day, finishes the work of processes that ended, and removes files that
 * no record has named for a day. Staged content must be published within 12 hours.
 *
 * `ready()` creates the directory, and rejects with `InvalidOptionError` (`FST_EDITOR_INVALID_OPTION`) if documents or
 * records cannot be written. The plugin awaits it at registration; without the plugin, the first method call does. If
 * it fails, the next call tries again. A process warning (`FST_EDITOR_FILE_SYSTEM`) lists what the file system cannot
 * do: flush directories, set times, or show when a directory has changed.
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
  const directory = resolve(options.directory)
  const own = join(directory, OWN_FOLDER)
  const modes = modesFor(options.fileMode)
  const lookup = fileLookup(directory)
  const folders = createFolders(directory, modes)
  const closing = new AbortController()
  /** A volume may be mounted late. */
  const ready = once(start)
  const driver = filesDriver({ directory, modes, lookup, folders, ready })
  const { downloadUrl, ...documents } = createDocumentStore(driver).storage
  const now = async () => (await tryDirectory()).now
  const { sweep, keepSweeping } = createSweep({ driver, folders, now })
  const storage: FileStorage = { ...documents, ...sweepMethods({ rules: sweepRules, ready, sweep, closing }) }
  explanations.set(storage, whyAbsent)
  return storage

  async function start (): Promise<void> {
    try {
      await mkdir(own, { recursive: true, mode: modes.directory })
      const { limits, tellsChanges } = await tryDirectory()
      await lookup.scan(tellsChanges)
      if (limits.length > 0) {
        process.emitWarning(`The file system of ${directory} ${limits.join(', and ')}`, { code: 'FST_EDITOR_FILE_SYSTEM' })
      }
    } catch (error) {
      const { message } = error as Error // it names the call, and seldom the directory
      const where = message.includes(directory) ? '' : `, in ${directory}`
      throw new InvalidOptionError('storage', `needs a writable directory: ${message}${where}`, { cause: error })
    }
    keepSweeping(closing.signal).catch(() => {})
  }

  /** Documents are written in the own folder and renamed into the directory. */
  async function tryDirectory () {
    const name = tempName()
    return await tryFile(join(own, name), own + name, modes.file)
  }

  async function whyAbsent (fileId: string): Promise<string | undefined> {
    const reason = whyNoFileId(fileId)
    if (reason !== undefined || fileId.includes('.')) return reason
    const stats = await statsAt(join(directory, fileId)).catch(() => undefined)
    return stats?.isFile() ? 'the file with this name has no extension' : undefined
  }
}
