import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { mkdir, readdir, readFile, rename, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Content, StateRecord, StoredVersion, VersionStore } from '../../types/storage.js'
import { UnknownRecordError } from '../errors.js'
import { createQueue, limitConcurrency, once } from '../util/queue.js'
import {
  acceptChanges, assertKeepOptions, assertLabel, assertLimits, assertListOptions, assertVersionNumbers
} from './call-options.js'
import { fileInfo, revisionOf, type StoredFile } from './file-lookup.js'
import { type FileServices, fileState, numberOf, recordPaths } from './file-state.js'
import {
  ignoreMissing, inTemps, linkFile, removeFile, statsAt, syncAncestors, syncDirectory, type TempFile, writeTempFile
} from './file-system.js'
import { contentOf, OpenFile } from './reading.js'
import {
  areLong, type Blob, detailsText, directBlobs, EMPTY_LOG, orderOf, parseSegment, type Segment, segmentsOfNewest,
  storedVersion, type VersionEntry
} from './version-log.js'
import { BLOCK, editLog, type LogEditor } from './version-log-editor.js'
import { isVersionIndex } from './version-log.compiled.js'
import type { VersionIndex } from './version-log.schema.js'

const MAX_ATTEMPTS = 100
/** How many files with long details are read at once. */
const READ_AT_ONCE = 16
/**
 * How many folders are cleaned: the folder for the next version and those before it, with the versions that are not yet
 * in a segment and the versions that moved last.
 */
const BLOCKS_TO_CLEAN = 3

/** Name of a blob: a random UUID. */
const BLOB_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Programs that copy directories preserve modification times to the nanosecond, or only to one of these units. */
const TIME_UNITS_NS = [1n, 100n, 1000n, 1_000_000n, 1_000_000_000n]

/** The document, its index or its folder has changed, so the change must be tried again. */
const CHANGED = new Error('The versions of the document have changed meanwhile')

/** A planned change of a log. */
interface Change<Result> {
  readonly result: Result
  /** Called after the change. Resolves to whether it is valid. */
  readonly isSound?: () => Promise<boolean>
}

type NamedBlob = readonly [name: string, version: number]

/** Adds a blob for a version. It is removed unless the change is made. */
type AddBlob = (version: number, make: (folder: string) => Promise<Blob | undefined>) => Promise<Blob>

type Plan<Result> = (editor: LogEditor, add: AddBlob) => Promise<Change<Result> | null>

/**
 * Keeps the versions of a document in a folder. It contains an index, which is a record as in `fileState` and contains
 * the log. Beside the generations of the index are the blobs, in a folder for every 16 versions: contents, changes,
 * long details, and the segments of the log. The blob of a content is a second name of the document's file, so that
 * keeping costs the same for any size. A program that writes to that file instead of replacing it also changes the
 * blob: the version is then damaged, which its modification time reveals.
 *
 * Every attempt to change the index adds its own blobs after reading the index and before the compare-and-set. So when
 * an attempt succeeds, an earlier blob that is not in the new index belongs to nobody or to an attempt that will fail,
 * and is removed. This includes what a crash has left. A process that was frozen cannot refer to a removed blob.
 *
 * So that the work does not grow with the number of versions, an attempt looks for such blobs only in the three newest
 * of these folders, and only where it knows all names in the segments. A blob stays as long as its document exists only
 * if a process was frozen while 32 versions were kept and then died before its attempt failed. An index also names the
 * blobs that it has superseded: if they were not removed then, the next attempt removes them.
 */
export function fileVersions (root: string, services: FileServices) {
  const { directory, modes, lookup, ready } = services
  const { temps, folderOf } = recordPaths(root)
  const records = fileState(root, { ...services, ready: prepareToWrite }, isVersionIndex)
  const prepare = once(records.prepare)
  /**
   * Runs one change of a document at a time: instances conflict with each other, but need not conflict with themselves.
   */
  const queue = createQueue()

  const store: Required<VersionStore> = {
    async list (fileId, options = {}) {
      assertListOptions(options)
      const [file, entries] = await Promise.all([find(fileId), newestEntries(fileId, options.newest)])
      if (!file) return []
      const inTurn = limitConcurrency({ concurrency: READ_AT_ONCE })
      return await Promise.all(entries.map(async entry => await inTurn(async () => await described(fileId, entry))))
    },

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const given = acceptChanges(options)
      const details = detailsText(options.details)
      const found = await find(fileId, revision)
      if (!found) return null
      await prepareToWrite()
      const changes = given && await tempFileWith(given, modes.file, found.stats)
      try {
        return await change(fileId, async (editor, add) => {
          const file = await find(fileId, revision)
          if (!file) return null
          const { last, entries } = editor.log()
          const newest = entries.at(-1)
          const isNewestIntact = newest && await isIntact(blockOf(fileId, newest.version), newest.content)
          const same = isNewestIntact && newest.revision === revision ? newest : undefined
          const version = same?.version ?? last + 1
          const path = join(directory, file.name)
          const isExpected = (stats: BigIntStats) => revisionOf(stats) === revision
          const content = same?.content ?? await add(version, async folder => await addFile(folder, path, isExpected))
          const entry: VersionEntry = {
            version,
            revision,
            extension: same?.extension ?? fileInfo(fileId, file.name, file.stats).extension,
            modifiedAt: same?.modifiedAt ?? file.stats.mtime.toISOString(),
            keptAt: same?.keptAt ?? new Date().toISOString(),
            content,
            changes: changes ? await add(version, async folder => await addFile(folder, changes.path)) : null,
            details: areLong(details) ? await add(version, async folder => await addText(folder, details)) : details,
            ...orderOf(options)
          }
          if (newest && !isNewestIntact) await editor.remove([newest.version])
          editor.keep(entry)
          await editor.roll().catch(() => {}) // the next change tries again
          return {
            result: storedVersion(entry, details),
            isSound: async () => await isIntact(blockOf(fileId, version), content)
          }
        })
      } finally {
        if (changes) await removeFile(changes.path).catch(() => {})
      }
    },

    async read (fileId, version, part) {
      let before: string | undefined
      while (await find(fileId)) {
        const record = await records.store.get(fileId)
        if (record === null || record.version === before) return null
        before = record.version
        const { log } = indexIn(fileId, record)
        const segment = log.segments.find(({ first, last }) => version >= first && version <= last)
        const entries = segment ? await readSegment(fileId, segment) : log.entries
        const entry = entries?.find(candidate => candidate.version === version)
        const blob = part === 'changes' ? entry?.changes : entry?.content
        const file = blob && await openBlob(blockOf(fileId, version), blob)
        const body = file && await contentOf(file, undefined)
        if (entry && body) return { version: await described(fileId, entry), body }
        // Otherwise a newer index may not refer to the blob any more.
      }
      return null
    },

    async remove (fileId, versions) {
      assertVersionNumbers(versions)
      await changeLog(fileId, async editor => { await editor.remove(versions) })
    },

    async prune (fileId, limits) {
      assertLimits(limits)
      await changeLog(fileId, async editor => { await editor.prune(limits) })
    },

    async label (fileId, version, label) {
      assertLabel(label)
      let isThere = false
      await changeLog(fileId, async editor => { isThere = await editor.label(version, label) })
      return isThere
    }
  }

  return {
    store,
    assertKnown: records.assertKnown,
    removeAll: records.remove,

    /**
     * If versions were ever kept, removes temp files of ended processes and, later in the background, the versions of
     * documents that have been missing for 30 days, like `fileState`. Rejects if versions cannot be written. `ready`
     * includes it.
     */
    async prepare (): Promise<void> {
      if (await statsAt(root) !== undefined) await prepare()
    }
  }

  async function prepareToWrite (): Promise<void> {
    await ready()
    await prepare()
  }

  /** The document's file, if it has this revision; `undefined` if it does not exist or `fileId` is malformed. */
  async function find (fileId: string, revision?: string): Promise<StoredFile | undefined> {
    await ready()
    const [file] = await lookup.find(fileId)
    return file && (revision === undefined || revisionOf(file.stats) === revision) ? file : undefined
  }

  /** The newest entries, oldest first, without the entries of damaged segments. */
  async function newestEntries (fileId: string, count?: number): Promise<readonly VersionEntry[]> {
    let before: string | undefined
    for (;;) {
      const record = await records.store.get(fileId)
      const { log } = indexIn(fileId, record)
      const segments = await Promise.all(
        segmentsOfNewest(log, count).map(async segment => await readSegment(fileId, segment))
      )
      const isWhole = segments.every(entries => entries !== undefined)
      if (isWhole || record?.version === before) {
        return [...segments.flatMap(entries => entries ?? []), ...log.entries].slice(-(count ?? 0))
      }
      before = record?.version // a newer index may no longer refer to a segment
    }
  }

  async function readSegment (fileId: string, { blob, last }: Segment): Promise<readonly VersionEntry[] | undefined> {
    return parseSegment(fileId, await textOf(blockOf(fileId, last), blob) ?? '')
  }

  async function described (fileId: string, entry: VersionEntry): Promise<StoredVersion> {
    const { version, details } = entry
    const text = typeof details === 'string' ? details : await textOf(blockOf(fileId, version), details)
    return storedVersion(entry, text)
  }

  async function changeLog (fileId: string, edit: (editor: LogEditor) => Promise<void>): Promise<void> {
    if (!await find(fileId)) return
    await change(fileId, async editor => {
      const before = editor.log()
      await edit(editor)
      return editor.log() === before ? null : { result: null }
    })
  }

  /** Changes the index of a document. Resolves to `null` if `plan` does, or if the document has been removed. */
  async function change<Result> (fileId: string, plan: Plan<Result>): Promise<Result | null> {
    return await queue.run(fileId, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        try {
          return await tryChange(fileId, plan)
        } catch (error) {
          if (error !== CHANGED) throw error
        }
      }
      throw new Error('The versions of the document change faster than they can be kept')
    })
  }

  async function tryChange<Result> (fileId: string, plan: Plan<Result>): Promise<Result | null> {
    const record = await records.store.get(fileId)
    const { log, superseded } = indexIn(fileId, record)
    /** Folders that exist durably, unless another program has removed them. */
    const known = new Set([...directBlobs(log).values()].map(version => blockOf(fileId, version)))
    /** Added blobs: the version of each, by name. */
    const added = new Map<string, number>()
    const add: AddBlob = async (version, make) => {
      const folder = blockOf(fileId, version)
      let blob = known.has(folder) ? await make(folder) : undefined
      if (!blob && await makeBlock(folder, record === null)) {
        known.delete(folder)
        blob = await make(folder)
      }
      if (!blob) throw CHANGED
      added.set(blob.name, version)
      return blob
    }
    const editor = editLog(log, {
      read: async segment => await readSegment(fileId, segment),
      write: async (text, last) => await add(last, async folder => await addText(folder, text))
    })
    let isUndecided = false
    try {
      const planned = await plan(editor, add)
      if (planned === null) return null
      // The names of the blobs are made durable, and those of their folders unless they are known to be.
      for (const block of new Set([...added.values()].map(version => blockOf(fileId, version)))) {
        await syncDirectory(block)
        if (!known.has(block)) await syncAncestors(block, folderOf(fileId))
      }
      const found = await unnamedBlobs(fileId, log.last, editor)
      await removeBlobs(fileId, superseded.map(({ name, version }) => [name, version]))

      // if this rejects, the index may refer to the blobs; if it does not, the next change removes them
      isUndecided = true
      const index: VersionIndex = {
        format: 1,
        log: editor.log(),
        superseded: [...editor.superseded()].map(([name, version]) => ({ name, version }))
      }
      const version = await records.store.set(fileId, index, record?.version ?? null)
      isUndecided = false
      if (version === null) throw CHANGED
      added.clear()
      if (record === null && await find(fileId) === undefined) { // otherwise `removeAll` is still to come
        await records.remove(fileId)
        return null
      }
      if (await planned.isSound?.() === false) throw CHANGED
      await removeBlobs(fileId, new Map([...editor.superseded(), ...found]))
      return planned.result
    } finally {
      if (!isUndecided) await removeBlobs(fileId, added)
      if (record === null) await removeIfEmpty(blockOf(fileId, 1), dirname(blockOf(fileId, 1)), folderOf(fileId))
    }
  }

  /**
   * Gives a file a second name, or copies it if the file system has no hard links. The content is durable, the name is
   * not. Resolves to `undefined`, and leaves nothing behind, if the file or the folder is gone or the file is not the
   * expected one.
   */
  async function addFile (folder: string, source: string, isExpected = (_stats: BigIntStats) => true) {
    const name = randomUUID()
    const path = join(folder, name)
    let file: OpenFile | undefined
    let blob: Blob | undefined
    try {
      const isLinked = await linkFile(source, path)
      file = await OpenFile.open(isLinked ? path : source)
      if (!file || !isExpected(file.stats)) return undefined
      // Another program may have written the document without flushing it.
      if (isLinked) await file.flush().catch(ignoreReadOnly)
      const stats = isLinked ? file.stats : await copyFile(file, path)
      if (stats) blob = { name, size: Number(stats.size), mtimeNs: String(stats.mtimeNs) }
      return blob
    } catch (error) {
      return ignoreMissing(error as NodeJS.ErrnoException)
    } finally {
      await file?.close().catch(() => {}) // it was only read
      if (!blob) await removeFile(path).catch(() => {})
    }
  }

  async function tempFileWith (content: Content, mode: number, replaced?: BigIntStats): Promise<TempFile> {
    return await writeTempFile(temps, content, mode, {
      replaced,
      adding: async add => await inTemps(temps, modes, add)
    })
  }

  /** Resolves to `undefined` if the file was written to meanwhile. */
  async function copyFile (file: OpenFile, target: string): Promise<BigIntStats | undefined> {
    const temp = await tempFileWith(file.stream(), 0o600, file.stats)
    try {
      if (await file.isChanged()) return undefined
      await rename(temp.path, target)
      return temp.stats
    } finally {
      await removeFile(temp.path).catch(() => {})
    }
  }

  /** Writes a text. The content is durable, the name is not. Resolves to `undefined` if the folder does not exist. */
  async function addText (folder: string, text: string): Promise<Blob | undefined> {
    const name = randomUUID()
    const temp = await tempFileWith(Buffer.from(text), modes.file)
    try {
      await rename(temp.path, join(folder, name))
      return { name, size: Number(temp.stats.size) }
    } catch (error) {
      await removeFile(temp.path).catch(() => {})
      return ignoreMissing(error as NodeJS.ErrnoException)
    }
  }

  /** Blobs that are named neither by the log nor by one of its segments. */
  async function unnamedBlobs (fileId: string, last: number, editor: LogEditor): Promise<NamedBlob[]> {
    const named = editor.named()
    const newest = Math.floor((last + 1) / BLOCK)
    const firsts = Array.from({ length: BLOCKS_TO_CLEAN }, (_, index) => (newest - index) * BLOCK).filter(first =>
      first >= 0 && editor.knows(first, first + BLOCK - 1)
    )
    const found = await Promise.all(firsts.map(async first => {
      const names = await readdir(blockOf(fileId, first)).catch(ignoreMissing) ?? []
      return names.filter(name => BLOB_NAME.test(name)).map(name => [name, first] as const)
    }))
    return found.flat().filter(([name]) => !named.has(name))
  }

  /** Blobs that cannot be removed now are left for a later attempt. */
  async function removeBlobs (fileId: string, blobs: Iterable<NamedBlob>): Promise<void> {
    const blocks = new Set<string>()
    for (const [name, version] of blobs) {
      const block = blockOf(fileId, version)
      blocks.add(block)
      await removeFile(join(block, name)).catch(() => {})
    }
    await removeIfEmpty(...blocks)
  }

  /** The folder with the blobs that were added for a version. */
  function blockOf (fileId: string, version: number): string {
    return join(folderOf(fileId), 'blobs', String(Math.floor(version / BLOCK)))
  }

  /** Resolves to `false` if the folder of the document is gone. */
  async function makeBlock (path: string, isNew: boolean): Promise<boolean> {
    if (isNew) await mkdir(path, { recursive: true, mode: modes.directory })
    else if (!await makeFolder(path)) return await makeFolder(dirname(path)) && await makeFolder(path)
    return true
  }

  /** Resolves to `false` if the parent folder does not exist. */
  async function makeFolder (path: string): Promise<boolean> {
    return await mkdir(path, modes.directory).then(() => true, error => {
      if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
      return error.code === 'EEXIST'
    })
  }
}

async function removeIfEmpty (...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {})
}

/**
 * An index that a broken disk has left unreadable counts as empty, but no version number is reused. One of another
 * shape is refused: versions that only it names would be removed.
 */
function indexIn (fileId: string, record: StateRecord | null): VersionIndex {
  if (record !== null && isVersionIndex(record.value)) return record.value
  if (record !== null && record.value !== null) throw new UnknownRecordError('list of versions', fileId)
  // Every new version is a new generation of the record, so the numbers of generations are at least as high.
  return { format: 1, log: { ...EMPTY_LOG, last: record === null ? 0 : numberOf(record.version) }, superseded: [] }
}

/** The text of a blob; `undefined` if the blob is gone. */
async function textOf (folder: string, { name }: Blob): Promise<string | undefined> {
  return await readFile(join(folder, name), 'utf8').catch(ignoreMissing)
}

/** Windows flushes only files that are open for writing. */
function ignoreReadOnly (error: NodeJS.ErrnoException): void {
  if (process.platform !== 'win32' || error.code !== 'EPERM') throw error
}

/** Opens a blob for reading; `undefined` if it is gone, or has changed because the file was written to in place. */
async function openBlob (folder: string, blob: Blob): Promise<OpenFile | undefined> {
  const file = await OpenFile.open(join(folder, blob.name))
  if (!file || isUnchanged(blob, file.stats)) return file
  await file.close()
  return undefined
}

/** Whether a blob exists with the content that was kept. */
async function isIntact (folder: string, blob: Blob): Promise<boolean> {
  const stats = await statsAt(join(folder, blob.name))
  return stats !== undefined && isUnchanged(blob, stats)
}

/**
 * The inode is not compared, because it changes if the directory is moved to another disk or restored from a backup.
 */
function isUnchanged ({ size, mtimeNs }: Blob, stats: BigIntStats): boolean {
  return mtimeNs !== undefined && stats.size === BigInt(size) &&
    TIME_UNITS_NS.some(unit => stats.mtimeNs === BigInt(mtimeNs) / unit * unit)
}
