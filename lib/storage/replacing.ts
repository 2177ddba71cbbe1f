import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FileInfo, ReplaceOptions } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { createQueue } from '../queue.js'
import { type KnownFile, publishNew, publishOver, removeFile, takeAway } from './durable-names.js'
import { follow, type TempFile } from './durable-write.js'
import { fileInfo, revisionOf, splitName, validExtension } from './file-info.js'
import { comesBefore, regularFile, type StoredFile } from './lookup.js'
import { isTempName, previousOf } from './temp-files.js'

interface Place {
  readonly directory: string
  readonly fileId: string
}

interface Replacement extends Place {
  /** Every file of the fileId. */
  readonly findAll: () => Promise<readonly StoredFile[]>
  /** Told of a name that was given, while the file it supersedes is still there. */
  readonly onNamed: (name: string) => void
  /** The file that counts. */
  readonly current: StoredFile
  readonly options: ReplaceOptions
}

interface Named {
  readonly name: string
  readonly revision: string
}

/** What another process must know to keep this one from publishing, or to complete what it has begun. */
interface Ticket {
  /** Name of the temp file. Without it nothing can be published. */
  readonly temp: string
  /** Where it is a file of another format: that one, and the one whose place it takes. */
  readonly published?: Named
  readonly superseded?: Named
}

/** Within this process only one at a time looks at what is there and replaces it. */
const turns = createQueue()

/**
 * Puts a temp file in the place of a stored one, which may have another name in the end. No other file is touched. Whether the
 * revision is the expected one is looked up right before the rename: another process that changes the file in between is
 * overwritten, unless it is kept away by other means, such as the lock in a record.
 */
export async function replaceBy (temp: TempFile, { directory, fileId, findAll, onNamed, current, options }: Replacement): Promise<FileInfo | null> {
  const { extension, ifRevision, beforePublish } = options
  const isExpected = (stats: BigIntStats) => ifRevision === undefined || revisionOf(stats) === ifRevision
  const isChanged = (found: StoredFile | undefined) => ifRevision !== undefined && (found === undefined || !isExpected(found.stats))
  if (isChanged(current)) return null

  const name = nameFor(fileId, current, extension)
  const isRenamed = name !== current.name
  await follow(temp, current.stats)
  const isTaken = async () => !wouldCount({ name, stats: temp.stats }, current, await findAll())
  // Another replace of this process may have given the name without having removed the old file: when its turn is over, it has.
  if (isRenamed && await isTaken() && await turns.enter(join(directory, fileId)).run(isTaken)) {
    if (isChanged(await regularFile(directory, current.name))) return null
    throw new NameTakenError()
  }
  const info = fileInfo(fileId, name, temp.stats)
  const ticket: Ticket = { temp: basename(temp.path), ...(isRenamed && { published: named({ name, stats: temp.stats }), superseded: named(current) }) }
  await beforePublish?.(info, JSON.stringify(ticket))

  return await turns.enter(join(directory, fileId)).run(async () => {
    const target = join(directory, name)
    if (!isRenamed) return await publishOver(temp, target, ifRevision === undefined ? undefined : isExpected) ? info : null
    const found = await regularFile(directory, current.name)
    if (isChanged(found)) return null
    await publishNew(temp, target, found && knownFile(directory, found), () => onNamed(name))
    return info
  })
}

/** The spelling on disk stays unless the format changes. */
function nameFor (fileId: string, current: StoredFile, extension: string | undefined): string {
  const changed = extension === undefined ? undefined : validExtension(extension)
  const isKept = changed === undefined || splitName(current.name)?.extension.toLowerCase() === changed
  return isKept ? current.name : `${fileId}.${changed}`
}

/** Whether a file of a new name would count for its fileId though no other is removed than the one it supersedes. */
function wouldCount (file: StoredFile, superseded: StoredFile, files: readonly StoredFile[]): boolean {
  return files.every(({ name, stats }) => name === superseded.name || (name !== file.name && comesBefore(file, { name, stats })))
}

/**
 * Takes the temp file away, so that it can't be published any more, and removes what was superseded if it has been. A ticket
 * that says nothing to this storage is of no replace of it.
 */
export async function revoke (text: string, { directory, fileId }: Place): Promise<void> {
  const { temp, published, superseded } = ticketIn(text)
  if (typeof temp !== 'string' || !isTempName(temp)) return
  for (const name of [temp, previousOf(temp)]) await removeFile(join(directory, name))
  const find = async (wanted: Partial<Named> | undefined) => {
    if (typeof wanted?.name !== 'string' || splitName(wanted.name)?.stem !== fileId) return undefined
    const file = await regularFile(directory, wanted.name)
    return file && isDeepStrictEqual(named(file), wanted) ? file : undefined
  }
  const left = await find(superseded)
  if (left !== undefined && await find(published) !== undefined) await takeAway(knownFile(directory, left))
}

function ticketIn (text: string): Partial<Ticket> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function named ({ name, stats }: StoredFile): Named {
  return { name, revision: revisionOf(stats) }
}

function knownFile (directory: string, { name, stats }: StoredFile): KnownFile {
  return { path: join(directory, name), stats }
}
