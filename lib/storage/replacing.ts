import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FileInfo, ReplaceOptions } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { parseJson } from '../json.js'
import { createQueue } from '../queue.js'
import { regularFile, type StoredFile, takesPrecedence } from './file-lookup.js'
import { fileInfo, revisionOf, splitName, storedExtension } from './file-info.js'
import { removeFile } from './file-system.js'
import { freshStats } from './network-directory.js'
import { type ExpectedFile, publishNew, publishOver, removeIfSame } from './publishing.js'
import { isTempName, prepareToReplace, previousOf, type TempFile } from './temp-files.js'

interface Document {
  readonly directory: string
  readonly fileId: string
}

interface Replacement extends Document {
  /** The file to replace. */
  readonly current: StoredFile
  readonly options: ReplaceOptions
  /** Finds all files with the fileId. */
  readonly findAll: () => Promise<readonly StoredFile[]>
  /** Called when the file has a new name, before the superseded file is removed. */
  readonly onNamed: (name: string) => void
  /** Runs what gives the file no other name. */
  readonly changing: <Result>(change: () => Promise<Result>) => Promise<Result>
}

interface NamedRevision {
  readonly name: string
  readonly revision: string
}

/** What another process needs to keep this one from publishing, or to complete what this one has begun. */
interface Ticket {
  /** Name of the temp file. Without the file nothing can be published. */
  readonly temp: string
  /** When the format changes: the new file and the file that it supersedes. */
  readonly published?: NamedRevision
  readonly superseded?: NamedRevision
}

/** Within this process, one replacement of a document at a time checks the stored file and publishes. */
const queue = createQueue()

/**
 * Replaces a stored file by a temp file, which gets another name when the format changes. No other file is touched. Resolves to
 * `null` when the file does not have the expected revision. That is checked immediately before the rename: a change that another
 * process makes between the two is overwritten, so processes must exclude each other, as by the lock in a document's record.
 */
export async function replaceFile (temp: TempFile, { directory, fileId, current, options, findAll, onNamed, changing }: Replacement): Promise<FileInfo | null> {
  const { extension, ifRevision, beforePublish } = options
  const hasRevision = (stats: BigIntStats) => ifRevision === undefined || revisionOf(stats) === ifRevision
  const isChanged = (found: StoredFile | undefined) => ifRevision !== undefined && (found === undefined || !hasRevision(found.stats))
  if (isChanged(current)) return null

  const name = nameFor(fileId, current, extension)
  const isRenamed = name !== current.name
  await prepareToReplace(temp, current.stats)
  const hasRival = async () => (await findAll()).some(other => other.name !== current.name && isRival(other, { name, stats: temp.stats }))
  // Another replacement in this process may have published under this name, but not removed its superseded file yet: wait for it.
  if (isRenamed && await hasRival() && await queue.run(join(directory, fileId), hasRival)) {
    if (isChanged(await freshFile(directory, current.name))) return null
    throw new NameTakenError()
  }
  const info = fileInfo(fileId, name, temp.stats)
  const ticket: Ticket = {
    temp: basename(temp.path),
    ...(isRenamed && { published: namedRevision({ name, stats: temp.stats }), superseded: namedRevision(current) })
  }
  await beforePublish?.(info, JSON.stringify(ticket))

  return await queue.run(join(directory, fileId), async () => {
    const target = join(directory, name)
    if (!isRenamed) {
      const isPublished = await changing(async () => await publishOver(temp, target, ifRevision === undefined ? undefined : hasRevision))
      return isPublished ? info : null
    }
    const found = await freshFile(directory, current.name)
    if (isChanged(found)) return null
    await publishNew(temp, target, found && expectedFile(directory, found), () => onNamed(name))
    return info
  })
}

async function freshFile (directory: string, name: string): Promise<StoredFile | undefined> {
  await freshStats(directory)
  return await regularFile(directory, name)
}

/** The file's name, with the case of its extension, unless the format changes. */
function nameFor (fileId: string, current: StoredFile, extension: string | undefined): string {
  const newExtension = extension === undefined ? undefined : storedExtension(extension)
  const isSameFormat = newExtension === undefined || splitName(current.name)?.extension.toLowerCase() === newExtension
  return isSameFormat ? current.name : `${fileId}.${newExtension}`
}

/** Whether another file has the name that the new file is to get, or would take precedence over it. */
function isRival (other: StoredFile, file: StoredFile): boolean {
  return other.name === file.name || !takesPrecedence(file, other)
}

/**
 * Removes the temp file, so that it cannot be published any more. If it has been published already, removes the file that it
 * superseded. Does nothing for a ticket that no replacement in this storage was given.
 */
export async function revokeTicket (ticket: string, { directory, fileId }: Document): Promise<void> {
  const { temp, published, superseded }: Partial<Ticket> = Object(parseJson(ticket))
  if (typeof temp !== 'string' || !isTempName(temp)) return
  for (const name of [temp, previousOf(temp)]) await removeFile(join(directory, name))
  const find = async (expected: Partial<NamedRevision> | undefined) => {
    if (typeof expected?.name !== 'string' || splitName(expected.name)?.stem !== fileId) return undefined
    const file = await freshFile(directory, expected.name)
    return file && isDeepStrictEqual(namedRevision(file), expected) ? file : undefined
  }
  const left = await find(superseded)
  if (left !== undefined && await find(published) !== undefined) await removeIfSame(expectedFile(directory, left))
}

function namedRevision ({ name, stats }: StoredFile): NamedRevision {
  return { name, revision: revisionOf(stats) }
}

function expectedFile (directory: string, { name, stats }: StoredFile): ExpectedFile {
  return { path: join(directory, name), stats }
}
