import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { BusyError, NameTakenError, StorageError } from '../../errors.js'
import type { Driver } from '../contract.js'
import { isEnvelope } from '../record.compiled.js'
import type { Envelope } from '../record.schema.js'
import { type DocumentRecord, EMPTY, known, namesIn, type StoredContent } from '../record.js'
import { blobName, createBlobs, WITHDRAWN } from './blobs.js'
import {
  copyAccessOf, hasSameAccess, ignoreMissing, linkFile, type Modes, removeFile, statsAt, syncDirectory
} from './file-system.js'
import { type Folders, type Generation, newestOf, tempName } from './folders.js'
import { type FileLookup, splitName, type StoredFile, takesPrecedence } from './lookup.js'

// A directory of documents, which other programs may read and change:
//
//   report.docx                                  the present content
//   .fastify-onlyoffice/<2>/<hash>/<number>      generations of the record of "report": the highest one counts
//   .fastify-onlyoffice/<2>/<hash>/<name>        blobs: staged contents, changes; <name>.kept: earlier versions;
//                                                <name>.withdrawn: what was not published
//
// The name of a blob is derived from its file (`blobName`), and stays true when the file is renamed: whether
// report.docx still is the content that the record names can be seen from its stats.
//
// A record is changed by making the next number, which fails if somebody has made it. A new content is then renamed
// over report.docx. If the process dies in between, whoever reads the record next does that first: there are no locks.

/** The present state of a document, with nothing left to finish. */
export interface Look {
  /** Number of the newest generation; 0 if there is none. */
  readonly number: number
  /** When it was made, by the clock of the file system. */
  readonly modifiedAt: Date | undefined
  readonly file: StoredFile | undefined
  /** `null` if there is neither a record nor a file. */
  readonly record: DocumentRecord | null
  readonly etag: string | null
}

export type FilesDriver = ReturnType<typeof filesDriver>

const MAX_LOOKS = 100
/** A file that is being removed. */
const TAKEN = '.taken'

interface Services {
  readonly directory: string
  readonly modes: Modes
  readonly lookup: FileLookup
  readonly folders: Folders
  readonly ready: () => Promise<void>
}

export function filesDriver ({ directory, modes, lookup, folders, ready }: Services) {
  const { folderOf } = folders
  const blobs = createBlobs({ directory, modes, lookup, folders })
  const pathOf = (name: string) => join(directory, name)

  const driver: Driver = {
    ready,

    async get (fileId) {
      const { record, etag, modifiedAt } = await look(fileId)
      return record && { record, etag: etag!, modifiedAt }
    },

    async set (fileId, given, ifMatch) {
      // Listed first: a file that another program puts there later must not be removed.
      const removed = given === null ? await lookup.findAll(fileId) : []
      const { number, file, ...seen } = await look(fileId)
      if (seen.etag !== ifMatch) return null
      const replaces = seen.record?.content?.name ?? null
      const record = given as DocumentRecord | null
      if (record?.content && record.content.name !== replaces) {
        await prepare(fileId, record.content, file)
      }
      // A version is a second name of the present content.
      const isKept = file && replaces !== null && record !== null && isVersion(record, replaces)
      if (isKept && !await blobs.keep(fileId, pathOf(file.name), replaces)) return null
      const next: Envelope = { format: 1, fileId, record, replaces }
      if (!await folders.makeNext(folderOf(fileId), number, next)) return null
      for (const { name, stats } of removed) await removeIfSame(fileId, name, blobName(stats))
      if (removed.length > 0) await syncDirectory(directory)
      const done = await look(fileId, number + 1)
      // Others have gone on, or it was taken back: the tags show which.
      if (done.number !== number + 1) throw new StorageError('the record was changed by others at the same time')
      return done.etag ?? ''
    },

    newFileId: lookup.newFileId,
    write: blobs.write,
    read: blobs.read,
    drop: blobs.drop,

    async * list () {
      for await (const folder of folders.all()) {
        const envelope = await envelopeIn(folder)
        if (envelope?.record) yield envelope.fileId
      }
    }
  }
  return { ...driver, look, envelopeIn }

  /**
   * Reads a document, after finishing what another process has left unfinished. `made`: number of the generation that
   * the caller has made, which is on the disk.
   */
  async function look (fileId: string, made = 0): Promise<Look> {
    const folder = folderOf(fileId)
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const names = await folders.namesIn(folder)
      const number = newestOf(names)
      const generation = await folders.read(folder, number)
      if (number !== 0 && !generation) continue // superseded meanwhile
      const envelope = generation && known(isEnvelope, fileId, generation.value)
      const files = await lookup.find(fileId)
      if (envelope && await isGivenBack(envelope, names, files)) continue
      const expected = envelope?.record?.content?.name
      // It may not have been published.
      if (expected !== undefined && names.includes(expected) && number !== made) await syncDirectory(folder)
      const left = envelope ? await finish(number, envelope, names, files) : files
      if (!left) continue
      const file = left.find(({ stats }) => blobName(stats) === expected) ?? left[0]
      const isAsExpected = (file && blobName(file.stats)) === expected
      // Another program has changed it, or a generation was published after the names were listed.
      if (!isAsExpected && newestOf(await folders.namesIn(folder)) !== number) continue
      const record = recordOf(envelope, file)
      if (number > 0) folders.removeSuperseded(folder, names).catch(() => {})
      return {
        number,
        modifiedAt: generation?.stats.mtime,
        file,
        record,
        // A number occurs again when the document has been removed and made anew.
        etag: record && [number, record.tags.at(-1), record.content?.name].join()
      }
    }
    throw new BusyError(`others changed it ${MAX_LOOKS} times while it was read`)
  }

  /** The content of the newest generation in a folder, if it can be read. */
  async function envelopeIn (folder: string): Promise<Envelope | undefined> {
    const generation = await folders.read(folder, newestOf(await folders.namesIn(folder)))
    return generation && envelopeOf(generation)
  }

  /** Puts a blob in the place of a file, if there is one. */
  async function prepare (fileId: string, { name, fileType }: StoredContent, file?: StoredFile): Promise<void> {
    const path = join(folderOf(fileId), name)
    const stats = await statsAt(path)
    if (!stats) throw new StorageError('the content is no longer there')
    const target = { name: nameOf(fileId, fileType, file), stats }
    if (target.name !== file?.name) {
      if (await statsAt(pathOf(target.name))) throw new NameTakenError()
      const others = (await lookup.findAll(fileId)).filter(other => other.name !== file?.name)
      // Without its record, the document would be another file.
      if (others.some(other => takesPrecedence(other, target))) throw new NameTakenError()
    }
    if (file && !hasSameAccess(stats, file.stats)) await copyAccessOf(file.stats, path)
  }

  /**
   * Makes the files of a document match its newest generation. Resolves to its files, or to `undefined` if the document
   * must be read again.
   *
   * Content is published only over the file that the generation says it replaces. If another program has put another
   * file there since, that file stays, and the generation is taken back, so that its writer decides again. The same
   * happens if publishing failed.
   *
   * The blob has a name of its own until one process has either published or withdrawn it. A process that was suspended
   * before doing so finds that it has happened. Withdrawn content is never published again.
   */
  async function finish (
    number: number, envelope: Envelope, names: readonly string[], files: readonly StoredFile[]
  ): Promise<readonly StoredFile[] | undefined> {
    const { fileId, record, replaces } = envelope
    const content = record?.content ?? null
    if (content?.name === replaces) return files // nothing was published
    const present = files.map(({ stats }) => blobName(stats))
    const replaced = files[present.indexOf(replaces ?? '')]
    if (content === null) {
      if (!replaced || !await removeIfSame(fileId, replaced.name, replaces!)) return files
      await syncDirectory(directory)
      return files.filter(file => file !== replaced)
    }
    if (names.includes(content.name + WITHDRAWN)) {
      return await finishWithdrawing(number, envelope) ? undefined : files
    }
    const blob = join(folderOf(fileId), content.name)
    const published = files[present.indexOf(content.name)]
    // A long listing may lack a name that was made during it.
    const isStaged = names.includes(content.name) || (!published && await statsAt(blob) !== undefined)
    if (published ? !isStaged && !replaced : !isStaged) return files // done, or changed by another program since
    const name = nameOf(fileId, content.fileType, replaced)
    try {
      const isChanged = replaces === null ? files.length > 0 : !replaced
      if (!published && isChanged && await isMoving(fileId, names)) return undefined
      if (!published && (isChanged || !await publish(blob, name, replaced))) {
        await withdraw(blob)
        return undefined
      }
      await syncDirectory(directory) // also if another process has published it: it may not have flushed yet
      if (replaced && replaced.name !== name) {
        await removeIfSame(fileId, replaced.name, replaces!, async () => await statsAt(blob + WITHDRAWN) !== undefined)
      }
    } catch (error) {
      if (published) return files // what is left does no harm
      await withdraw(blob).catch(() => {})
      throw error
    }
    if (replaced?.name !== name && !await removeFile(blob)) return undefined
    const stats = await statsAt(pathOf(name))
    return stats ? [{ name, stats }, ...files.filter(file => file.name !== name && file !== replaced)] : undefined
  }

  /** Resolves to `false` if the content counts: it was published, and the file of the old format is gone. */
  async function finishWithdrawing (number: number, { fileId, record, replaces }: Envelope): Promise<boolean> {
    const files = await lookup.findAll(fileId) // its name may be new
    const withContent = (content: string | null) => files.find(({ stats }) => blobName(stats) === content)
    const published = withContent(record!.content!.name)
    const replaced = withContent(replaces)
    if (published && replaces !== null && !replaced) return false
    if (published) await removeIfSame(fileId, published.name, record!.content!.name)
    await takeBack(fileId, number, replaced ?? files.find(file => file !== published))
    return true
  }

  /** Does nothing if the blob was published: it has no name of its own any more. */
  async function withdraw (blob: string): Promise<void> {
    await rename(blob, blob + WITHDRAWN).catch(ignoreMissing)
  }

  /** Resolves to `false` if the name is taken, or the blob is gone. */
  async function publish (blob: string, name: string, replaced: StoredFile | undefined): Promise<boolean> {
    if (replaced?.name !== name) return await giveFreeName(blob, name)
    return await rename(blob, pathOf(name)).then(() => true, error => ignoreMissing(error) ?? false)
  }

  /** Resolves to `false` if the name is taken, or the blob is gone. */
  async function giveFreeName (blob: string, name: string): Promise<boolean> {
    const path = pathOf(name)
    const isLinked = await linkFile(blob, path).catch(error => ignoreMissing(error) ?? false)
    if (isLinked === false || (isLinked === undefined && await statsAt(path))) return false
    lookup.addName(name)
    return isLinked ?? await rename(blob, path).then(() => true, error => ignoreMissing(error) ?? false)
  }

  /**
   * Removes a file if it still has a content. It is moved away first, because the process may be suspended at any
   * moment: if others have put another file there meanwhile, that comes back. `isKept`: whether it comes back anyway.
   */
  async function removeIfSame (
    fileId: string, name: string, content: string, isKept = async () => false
  ): Promise<boolean> {
    if (!await hasContent(name, content)) return false
    const taken = join(folderOf(fileId), tempName() + name.slice(fileId.length) + TAKEN)
    const path = pathOf(name)
    const isTaken = await rename(path, taken).then(() => true, error => ignoreMissing(error) ?? false)
    const stats = isTaken ? await statsAt(taken) : undefined
    if (!stats) return false
    const isRemoved = blobName(stats) === content && !await isKept()
    if (!isRemoved) await giveFreeName(taken, name)
    await removeFile(taken)
    return isRemoved
  }

  /** Whether a file may have been moved away since `names` were listed, to be given back. */
  async function isMoving (fileId: string, names: readonly string[]): Promise<boolean> {
    const now = await folders.namesIn(folderOf(fileId))
    return now.some(name => name.endsWith(TAKEN) && !names.includes(name))
  }

  /** Gives back files that a killed process has moved away. */
  async function isGivenBack (
    { fileId, record, replaces }: Envelope, names: readonly string[], files: readonly StoredFile[]
  ): Promise<boolean> {
    const content = record?.content?.name
    const present = files.map(({ stats }) => blobName(stats))
    if (content === undefined || present.includes(content)) return false
    const isWithdrawn = names.includes(content + WITHDRAWN)
    const missing = [...isWithdrawn ? [] : [content], ...isWithdrawn || names.includes(content) ? [replaces] : []]
    for (const name of names.filter(name => name.endsWith(TAKEN))) {
      const taken = join(folderOf(fileId), name)
      const stats = await statsAt(taken)
      const found = stats && blobName(stats)
      if (found === undefined || !missing.includes(found) || present.includes(found)) continue
      if (!await giveFreeName(taken, fileId + name.slice(name.indexOf('.'), -TAKEN.length))) continue
      await removeFile(taken)
      return true
    }
    return false
  }

  async function hasContent (name: string, content: string): Promise<boolean> {
    const stats = await statsAt(pathOf(name))
    return stats !== undefined && blobName(stats) === content
  }

  /** The generation after `number` is the one before it again. Whoever made `number` sees that its tag is missing. */
  async function takeBack (fileId: string, number: number, file: StoredFile | undefined): Promise<void> {
    const folder = folderOf(fileId)
    const before = await folders.read(folder, number - 1)
    if (!before && number > 1) return // somebody has gone on
    const envelope = before && known(isEnvelope, fileId, before.value)
    const record = file ? recordOf(envelope, file) : envelope?.record ?? null
    const replaces = record?.content?.name ?? null
    await folders.makeNext(folder, number, { format: 1, fileId, record, replaces } satisfies Envelope)
  }
}

/** `undefined` if it is damaged, or of a newer version of this library. */
export function envelopeOf ({ value }: Generation): Envelope | undefined {
  return isEnvelope(value) ? value : undefined
}

/** A record with the content that the file has: another program may have changed it. */
function recordOf (envelope: Envelope | undefined, file: StoredFile | undefined): DocumentRecord | null {
  const record = envelope?.record ?? null
  if (!file) return record && { ...record, content: null }
  const name = blobName(file.stats)
  if (record?.content?.name === name) return record
  const content = {
    name,
    size: Number(file.stats.size),
    fileType: splitName(file.name)!.extension.toLowerCase(),
    modifiedAt: file.stats.mtime.toISOString(),
    revision: name
  }
  return { ...record ?? EMPTY, content }
}

/** A file keeps the case of its extension. */
function nameOf (fileId: string, extension: string, replaced: StoredFile | undefined): string {
  const present = replaced && splitName(replaced.name)?.extension
  return replaced && present?.toLowerCase() === extension ? replaced.name : `${fileId}.${extension}`
}

/** Whether a version of the document has this content. */
function isVersion (record: DocumentRecord, name: string): boolean {
  return namesIn({ ...record, content: null }).has(name)
}
