import { lstat, mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredVersion, VersionStore } from '../../types/storage.js'
import { acceptContent } from '../content.js'
import { createQueue } from '../queue.js'
import { assertKeepOptions, assertVersionNumbers } from './call-options.js'
import { revisionOf } from './file-info.js'
import type { StoredFile } from './file-lookup.js'
import { fileState, recordPaths } from './file-state.js'
import { ignoreMissing, type Modes, removeFile, syncDirectory } from './file-system.js'
import { FileBody } from './file-body.js'
import { writeTempFile } from './temp-files.js'
import { addBlob, type Blob, blobsIn, isIntact, openBlob, removeBlobs } from './version-blobs.js'
import { detailsText } from './version-details.js'
import { blobNames, indexIn, storedVersion, type VersionEntry, type VersionIndex } from './version-index.js'

const MAX_ATTEMPTS = 100

/** The document or its index has changed: look again. */
const CHANGED = Symbol('changed')

interface Dependencies {
  /** Path of the directory with the documents. */
  readonly directory: string
  /** Name of the folder in it for the versions. Created when the first version is kept. */
  readonly folderName: string
  readonly modes: Modes
  readonly ready: () => Promise<void>
  /** Ends what goes on in the background. */
  readonly closing: AbortSignal
  /** The document's file; `undefined` for a malformed `fileId`, too. Awaits `ready`. */
  readonly find: (fileId: string) => Promise<StoredFile | undefined>
  /** Does not await `ready`. */
  readonly isStored: (fileId: string) => Promise<boolean>
}

export interface FileVersions extends VersionStore {
  /** Removes all versions of a file. */
  removeAll (fileId: string): Promise<void>
  /**
   * If versions were ever kept: removes temp files of ended processes, and later, in the background, the versions of documents that
   * have been missing for 30 days, as `fileState` does. Rejects when versions cannot be written. It is part of getting ready.
   */
  prepare (): Promise<void>
}

/** A change of an index that is about to be made. */
interface Change<Result> {
  readonly index: VersionIndex
  readonly result: Result
  /** Tells whether the change holds, once it is made. */
  readonly isSound?: () => Promise<boolean>
}

/** What a change starts from. */
interface Base {
  readonly fileId: string
  readonly folder: string
  readonly index: VersionIndex
  /** Adds a blob, which is removed unless the change is made. */
  readonly add: (source: Parameters<typeof addBlob>[0]) => Promise<Blob | undefined>
}

/**
 * Keeps the versions of a document in a folder: an index, which is a record like those of `fileState`, and beside its generations a
 * blob for each content and for its changes. The blob of a content is a second name of the document's file, so that keeping costs
 * the same for any size. A program that writes to that file instead of replacing it changes the blob, too: then the version is
 * damaged, which its modification time tells.
 *
 * Every attempt to change the index adds blobs of its own, after it has read the index and before it compares and sets it. So when
 * one attempt succeeds, a blob that was there before and is not in the new index belongs to nobody, or to an attempt that is going
 * to fail, and is removed: what a crash has left, too. A process that was frozen cannot refer to a blob that is gone.
 */
export function fileVersions ({ directory, folderName, modes, ready, closing, find, isStored }: Dependencies): FileVersions {
  const root = join(directory, folderName)
  const { temps, folderOf } = recordPaths(root)
  const records = fileState(root, modes, prepareToWrite, closing)
  /** Of one document at a time: instances disturb each other, but need not disturb themselves. */
  const queue = createQueue()
  let prepared: Promise<void> | undefined

  return {
    async list (fileId) {
      const [file, record] = await Promise.all([find(fileId), records.get(fileId)])
      return file ? indexIn(record).versions.map(storedVersion) : []
    },

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const { details, changes } = options
      if (changes !== undefined) acceptContent(changes, { name: 'changes' })
      const text = detailsText(details)
      const file = await find(fileId)
      if (!file || revisionOf(file.stats) !== revision) return null
      await prepareToWrite()
      const temp = changes && await writeTempFile(temps, changes, modes.file, file.stats)
      try {
        return await change(fileId, async base => await keeping(base, { revision, details: text, changes: temp?.path }))
      } finally {
        if (temp) await removeFile(temp.path).catch(() => {})
      }
    },

    async read (fileId, version, part) {
      let before: string | undefined
      while (await find(fileId)) {
        const record = await records.get(fileId)
        const entry = indexIn(record).versions.find(candidate => candidate.version === version)
        const blob = part === 'changes' ? entry?.changes : entry?.content
        // A blob may be removed between being looked up and being opened, because a newer index does not refer to it.
        if (!entry || !blob || record?.version === before) return null
        before = record?.version
        const folder = folderOf(fileId)
        const handle = await openBlob(folder, blob)
        if (handle === null) return null
        if (handle) return { version: storedVersion(entry), body: new FileBody(handle, 0, blob.size) }
      }
      return null
    },

    async remove (fileId, versions) {
      assertVersionNumbers(versions)
      if (!await find(fileId)) return
      await change(fileId, async ({ index }) => {
        const left = index.versions.filter(({ version }) => !versions.includes(version))
        return left.length === index.versions.length ? null : { index: { ...index, versions: left }, result: null }
      })
    },

    removeAll: records.remove,

    async prepare () {
      if (await lstat(root).catch(ignoreMissing) !== undefined) await prepare()
    }
  }

  async function keeping ({ fileId, folder, index, add }: Base, { revision, details, changes }: { readonly revision: string, readonly details: string, readonly changes: string | undefined }): Promise<Change<StoredVersion> | null | typeof CHANGED> {
    const file = await find(fileId)
    if (!file || revisionOf(file.stats) !== revision) return null
    const newest = index.versions.at(-1)
    const isNewestIntact = newest !== undefined && await isIntact(folder, newest.content)
    const same = isNewestIntact && newest.revision === revision ? newest : undefined
    const content = same?.content ?? await add({ path: join(directory, file.name), isExpected: stats => revisionOf(stats) === revision })
    const changesBlob = changes === undefined ? null : await add({ path: changes, isExpected: () => true })
    if (content === undefined || changesBlob === undefined) return CHANGED
    const entry: VersionEntry = {
      ...same ?? { version: index.last + 1, revision, extension: extensionOf(file), modifiedAt: file.stats.mtime.toISOString(), keptAt: new Date().toISOString(), content },
      changes: changesBlob,
      details
    }
    const others = same !== undefined || (newest !== undefined && !isNewestIntact) ? index.versions.slice(0, -1) : index.versions
    return {
      index: { last: entry.version, versions: [...others, entry] },
      result: storedVersion(entry),
      isSound: async () => await isIntact(folder, content)
    }
  }

  /** Changes the index of a document. Resolves to `null` when `plan` does, or the document has been removed. */
  async function change<Result> (fileId: string, plan: (base: Base) => Promise<Change<Result> | null | typeof CHANGED>): Promise<Result | null> {
    return await queue.run(fileId, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const outcome = await tryChange(fileId, plan)
        if (outcome !== CHANGED) return outcome
      }
      throw new Error('The versions of the document change faster than they can be kept')
    })
  }

  async function tryChange<Result> (fileId: string, plan: (base: Base) => Promise<Change<Result> | null | typeof CHANGED>): Promise<Result | null | typeof CHANGED> {
    const folder = folderOf(fileId)
    const record = await records.get(fileId)
    const found = await blobsIn(folder)
    const added: string[] = []
    let isUndecided = false
    try {
      const planned = await plan({
        fileId,
        folder,
        index: indexIn(record),
        async add (source) {
          if (record === null) await mkdir(folder, { recursive: true, mode: modes.directory })
          const blob = await addBlob(source, { folder, temps })
          if (blob) added.push(blob.name)
          return blob
        }
      })
      if (planned === null || planned === CHANGED) return planned
      const { index, result, isSound } = planned
      if (added.length > 0) await syncDirectory(folder)

      isUndecided = true // if it rejects, the index may refer to the blobs: if it does not, the next change removes them
      const version = await records.set(fileId, index, record?.version ?? null)
      isUndecided = false
      if (version === null) return CHANGED
      added.length = 0
      if (record === null && await find(fileId) === undefined) { // otherwise `removeAll` is still to come
        await records.remove(fileId)
        return null
      }
      if (isSound && !await isSound()) return CHANGED
      const used = blobNames(index)
      await removeBlobs(folder, found.filter(name => !used.has(name)))
      return result
    } finally {
      if (!isUndecided) await removeBlobs(folder, added)
      if (record === null) await rmdir(folder).catch(() => {}) // unless it contains anything
    }
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

function extensionOf ({ name }: StoredFile): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}
