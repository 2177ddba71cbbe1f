import { lstat, mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StateRecord, StoredVersion, VersionStore } from '../../types/storage.js'
import { createQueue, limitConcurrency } from '../util/queue.js'
import { acceptContent } from '../util/streams.js'
import { assertKeepOptions, assertLimits, assertListOptions, assertVersionNumbers } from './call-options.js'
import { revisionOf, type StoredFile } from './file-lookup.js'
import { fileState, numberOf, recordPaths } from './file-state.js'
import { ignoreMissing, type Modes, removeFile, syncDirectory, writeTempFile } from './file-system.js'
import { FileBody } from './reading.js'
import { addBlob, addText, blobsIn, isIntact, openBlob, textOf } from './version-blobs.js'
import { BLOCK, editLog, type LogEditor } from './version-log-editor.js'
import { isVersionIndex } from './version-log.compiled.js'
import {
  areLong, type Blob, detailsText, directBlobs, EMPTY_LOG, orderOf, parseSegment, type Segment, segmentsOfNewest,
  storedVersion, type VersionEntry
} from './version-log.js'
import type { VersionIndex } from './version-log.schema.js'

const MAX_ATTEMPTS = 100
/** How many files with long details are read at once. */
const READ_AT_ONCE = 16
/**
 * How many folders are cleaned: the folder for the next version and those before it, with the versions that are not yet
 * in a segment and the versions that moved last.
 */
const BLOCKS_TO_CLEAN = 3

/** The document or its index has changed, so the change must be tried again. */
const CHANGED = Symbol('changed')
const GONE = new Error('The folder of the versions has gone')

interface Dependencies {
  /** Path of the directory with the documents. */
  readonly directory: string
  /** Name of the folder for versions in that directory. Created when the first version is kept. */
  readonly folderName: string
  readonly modes: Modes
  readonly ready: () => Promise<void>
  /** Ends the work in the background. */
  readonly closing: AbortSignal
  /** The document's file; `undefined` if it does not exist or `fileId` is malformed. Awaits `ready`. */
  readonly find: (fileId: string) => Promise<StoredFile | undefined>
  /** Does not await `ready`. */
  readonly isStored: (fileId: string) => Promise<boolean>
}

interface FileVersions extends Required<VersionStore> {
  removeAll (fileId: string): Promise<void>
  /**
   * If versions were ever kept, removes temp files of ended processes and, later in the background, the versions of
   * documents that have been missing for 30 days, like `fileState`. Rejects if versions cannot be written. `ready`
   * includes it.
   */
  prepare (): Promise<void>
}

/** A planned change of a log. */
interface Change<Result> {
  readonly result: Result
  /** Called after the change. Resolves to whether it is valid. */
  readonly isSound?: () => Promise<boolean>
}

/** The version to keep. `changes`: path of a temp file. */
interface Given extends Pick<VersionEntry, 'session' | 'priority'> {
  readonly revision: string
  readonly details: string
  readonly changes: string | undefined
}

/** The starting point of a change. */
interface Base {
  readonly fileId: string
  readonly folder: string
  readonly editor: LogEditor
  /**
   * Adds a blob for a version. It is removed unless the change is made. Resolves to `undefined` if the folder of the
   * document is gone.
   */
  readonly add: (
    version: number,
    make: (target: { readonly folder: string, readonly temps: string }) => Promise<Blob | undefined>
  ) => Promise<Blob | undefined>
}

type Plan<Result> = (base: Base) => Promise<Change<Result> | null | typeof CHANGED>

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
export function fileVersions (
  { directory, folderName, modes, ready, closing, find, isStored }: Dependencies
): FileVersions {
  const root = join(directory, folderName)
  const { temps, folderOf } = recordPaths(root)
  const records = fileState(root, modes, prepareToWrite, closing)
  /**
   * Runs one change of a document at a time: instances conflict with each other, but need not conflict with themselves.
   */
  const queue = createQueue()
  let prepared: Promise<void> | undefined

  return {
    async list (fileId, options = {}) {
      assertListOptions(options)
      const [file, entries] = await Promise.all([find(fileId), newestEntries(fileId, options.newest)])
      const inTurn = limitConcurrency({ concurrency: READ_AT_ONCE })
      return file
        ? await Promise.all(entries.map(async entry => await inTurn(async () => await described(fileId, entry))))
        : []
    },

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const { details, changes } = options
      if (changes !== undefined) acceptContent(changes, { name: 'changes' })
      const text = detailsText(details)
      const file = await find(fileId)
      if (!file || revisionOf(file.stats) !== revision) return null
      await prepareToWrite()
      const temp = changes && await writeTempFile(temps, changes, modes.file, { replaced: file.stats })
      try {
        return await change(
          fileId,
          async base => await keeping(base, { revision, details: text, changes: temp?.path, ...orderOf(options) })
        )
      } finally {
        if (temp) await removeFile(temp.path).catch(() => {})
      }
    },

    async read (fileId, version, part) {
      const folder = folderOf(fileId)
      let before: string | undefined
      while (await find(fileId)) {
        const record = await records.get(fileId)
        if (record === null || record.version === before) return null
        before = record.version
        const { log } = indexIn(record)
        const segment = log.segments.find(({ first, last }) => version >= first && version <= last)
        const entries = segment ? await readSegment(folder, segment) : log.entries
        // A blob may be removed between lookup and open, because a newer index does not refer to it.
        if (!entries) continue
        const entry = entries.find(candidate => candidate.version === version)
        const blob = part === 'changes' ? entry?.changes : entry?.content
        if (!entry || !blob) return null
        const handle = await openBlob(blockOf(folder, version), blob)
        if (handle === null) return null
        if (handle) return { version: await described(fileId, entry), body: new FileBody(handle, 0, blob.size) }
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

    removeAll: records.remove,

    async prepare () {
      if (await lstat(root).catch(ignoreMissing) !== undefined) await prepare()
    }
  }

  /** The newest entries, oldest first, without the entries of damaged segments. */
  async function newestEntries (fileId: string, count?: number): Promise<readonly VersionEntry[]> {
    let before: string | undefined
    for (;;) {
      const record = await records.get(fileId)
      const { log } = indexIn(record)
      const segments = await Promise.all(
        segmentsOfNewest(log, count).map(async segment => await readSegment(folderOf(fileId), segment))
      )
      const isWhole = segments.every(entries => entries !== undefined)
      if (isWhole || record?.version === before) {
        return [...segments.flatMap(entries => entries ?? []), ...log.entries].slice(-(count ?? 0))
      }
      before = record?.version // a newer index may no longer refer to a segment
    }
  }

  async function readSegment (folder: string, { blob, last }: Segment): Promise<readonly VersionEntry[] | undefined> {
    return parseSegment(await textOf(blockOf(folder, last), blob) ?? '')
  }

  async function described (fileId: string, entry: VersionEntry): Promise<StoredVersion> {
    const { version, details } = entry
    return storedVersion(
      entry,
      typeof details === 'string' ? details : await textOf(blockOf(folderOf(fileId), version), details)
    )
  }

  async function keeping (
    { fileId, folder, editor, add }: Base,
    { revision, details, changes, ...order }: Given
  ): Promise<Change<StoredVersion> | null | typeof CHANGED> {
    const file = await find(fileId)
    if (!file || revisionOf(file.stats) !== revision) return null
    const { last, entries } = editor.log()
    const newest = entries.at(-1)
    const isNewestIntact = newest !== undefined && await isIntact(blockOf(folder, newest.version), newest.content)
    const same = isNewestIntact && newest.revision === revision ? newest : undefined
    const version = same?.version ?? last + 1
    const content = same?.content ??
      await add(
        version,
        async target =>
          await addBlob(
            { path: join(directory, file.name), isExpected: stats => revisionOf(stats) === revision },
            target
          )
      )
    const changesBlob = changes === undefined
      ? null
      : await add(version, async target => await addBlob({ path: changes, isExpected: () => true }, target))
    const shortDetails = areLong(details)
      ? await add(version, async target => await addText(details, target, modes.file))
      : details
    if (content === undefined || changesBlob === undefined || shortDetails === undefined) return CHANGED
    const entry: VersionEntry = {
      version,
      revision,
      extension: same?.extension ?? extensionOf(file),
      modifiedAt: same?.modifiedAt ?? file.stats.mtime.toISOString(),
      keptAt: same?.keptAt ?? new Date().toISOString(),
      content,
      changes: changesBlob,
      details: shortDetails,
      ...order
    }
    if (newest && !isNewestIntact) await editor.remove([newest.version])
    editor.keep(entry)
    await editor.roll().catch(() => {}) // the next change tries again
    return {
      result: storedVersion(entry, details),
      isSound: async () => await isIntact(blockOf(folder, version), content)
    }
  }

  async function changeLog (fileId: string, edit: (editor: LogEditor) => Promise<void>): Promise<void> {
    if (!await find(fileId)) return
    await change(fileId, async ({ editor }) => {
      const before = editor.log()
      await edit(editor)
      return editor.log() === before ? null : { result: null }
    })
  }

  /** Changes the index of a document. Resolves to `null` if `plan` does, or if the document has been removed. */
  async function change<Result> (fileId: string, plan: Plan<Result>): Promise<Result | null> {
    return await queue.run(fileId, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const outcome = await tryChange(fileId, plan)
        if (outcome !== CHANGED) return outcome
      }
      throw new Error('The versions of the document change faster than they can be kept')
    })
  }

  async function tryChange<Result> (fileId: string, plan: Plan<Result>): Promise<Result | null | typeof CHANGED> {
    const folder = folderOf(fileId)
    const record = await records.get(fileId)
    const { log, superseded } = indexIn(record)
    /** Folders that exist durably, unless another program has removed them. */
    const known = new Set([...directBlobs(log).values()].map(version => blockOf(folder, version)))
    /** Added blobs: the version of each, by name. */
    const added = new Map<string, number>()
    const add: Base['add'] = async (version, make) => {
      const target = { folder: blockOf(folder, version), temps }
      let blob = known.has(target.folder) ? await make(target) : undefined
      if (!blob && await makeBlock(target.folder, record === null)) {
        known.delete(target.folder)
        blob = await make(target)
      }
      if (blob) added.set(blob.name, version)
      return blob
    }
    const editor = editLog(log, {
      read: async segment => await readSegment(folder, segment),
      async write (text, last) {
        const blob = await add(last, async target => await addText(text, target, modes.file))
        if (!blob) throw GONE
        return blob
      }
    })
    let isUndecided = false
    try {
      const planned = await plan({ fileId, folder, editor, add }).catch((error: unknown): typeof CHANGED => {
        if (error !== GONE) throw error
        return CHANGED
      })
      if (planned === null || planned === CHANGED) return planned
      const { result, isSound } = planned
      await syncBlocks(folder, new Set([...added.values()].map(version => blockOf(folder, version))), known)
      const found = await unnamedBlobs(folder, log.last, editor)
      await removeFrom(folder, superseded.map(({ name, version }) => [name, version]))

      // if this rejects, the index may refer to the blobs; if it does not, the next change removes them
      isUndecided = true
      const index: VersionIndex = {
        log: editor.log(),
        superseded: [...editor.superseded()].map(([name, version]) => ({ name, version }))
      }
      const version = await records.set(fileId, index, record?.version ?? null)
      isUndecided = false
      if (version === null) return CHANGED
      added.clear()
      if (record === null && await find(fileId) === undefined) { // otherwise `removeAll` is still to come
        await records.remove(fileId)
        return null
      }
      if (isSound && !await isSound()) return CHANGED
      await removeFrom(folder, new Map([...editor.superseded(), ...found]))
      return result
    } finally {
      if (!isUndecided) await removeFrom(folder, added)
      // unless it contains anything
      if (record === null) {
        for (const path of [blockOf(folder, 1), dirname(blockOf(folder, 1)), folder]) {
          await rmdir(path).catch(() => {})
        }
      }
    }
  }

  /** Blobs that are named neither by the log nor by one of its segments. */
  async function unnamedBlobs (
    folder: string,
    last: number,
    editor: LogEditor
  ): Promise<ReadonlyArray<readonly [string, number]>> {
    const named = editor.named()
    const newest = Math.floor((last + 1) / BLOCK)
    const firsts = Array.from({ length: BLOCKS_TO_CLEAN }, (_, index) => (newest - index) * BLOCK).filter(first =>
      first >= 0 && editor.knows(first, first + BLOCK - 1)
    )
    const found = await Promise.all(
      firsts.map(async first => (await blobsIn(blockOf(folder, first))).map(name => [name, first] as const))
    )
    return found.flat().filter(([name]) => !named.has(name))
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
      if (error.code === 'ENOENT') return false
      if (error.code !== 'EEXIST') throw error
      return true
    })
  }

  async function prepareToWrite (): Promise<void> {
    await ready()
    await prepare()
  }

  function prepare (): Promise<void> {
    prepared ??= records.prepare(isStored).catch(error => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}

/** The folder with the blobs that were added for a version. */
function blockOf (folder: string, version: number): string {
  return join(folder, 'blobs', String(Math.floor(version / BLOCK)))
}

/**
 * Makes the names of new blobs in these folders durable, and the names of the folders themselves unless known to be
 * durable.
 */
async function syncBlocks (folder: string, blocks: ReadonlySet<string>, known: ReadonlySet<string>): Promise<void> {
  for (const block of blocks) {
    await syncDirectory(block)
    if (known.has(block)) continue
    await syncDirectory(dirname(block))
    await syncDirectory(folder)
  }
}

/** Blobs that cannot be removed now are left for a later attempt. */
async function removeFrom (folder: string, blobs: Iterable<readonly [name: string, version: number]>): Promise<void> {
  const blocks = new Set<string>()
  for (const [name, version] of blobs) {
    const block = blockOf(folder, version)
    blocks.add(block)
    await removeFile(join(block, name)).catch(() => {})
  }
  for (const block of blocks) await rmdir(block).catch(() => {}) // unless it contains anything
}

/** An index damaged by a broken disk counts as empty, but no version number is reused. */
function indexIn (record: StateRecord | null): VersionIndex {
  if (record !== null && isVersionIndex(record.value)) return record.value
  // Every new version is a new generation of the record, so the numbers of generations are at least as high.
  return { log: { ...EMPTY_LOG, last: record === null ? 0 : numberOf(record.version) }, superseded: [] }
}

function extensionOf ({ name }: StoredFile): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}
