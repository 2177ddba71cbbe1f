import { basename, join } from 'node:path'
import type { FileInfo, ReplaceOptions } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { following, publishNew, publishOver, removeFile, type TempFile } from './durable-write.js'
import { fileInfo, revisionOf, splitName, validExtension } from './file-info.js'
import { comesBefore, regularFile, type StoredFile } from './lookup.js'
import { isTempName } from './temp-files.js'
import { rankOf } from './unusual-names.js'

interface Place {
  readonly directory: string
  readonly fileId: string
  /** Every file of the fileId. */
  readonly findAll: () => Promise<readonly StoredFile[]>
}

interface Replacement extends Place {
  /** The file that counts. */
  readonly current: StoredFile
  readonly options: ReplaceOptions
}

/** What another process must know to keep this one from publishing, or to complete what it has begun. */
interface Ticket {
  /** Name of the temp file. Without it nothing can be published. */
  readonly temp: string
  /** The file of another format whose place it takes. */
  readonly superseded?: { readonly name: string, readonly revision: string }
}

/** Puts a temp file in the place of a stored one, which may have another name in the end. No other file is touched. */
export async function replaceBy (given: TempFile, { directory, fileId, findAll, current, options }: Replacement): Promise<FileInfo | null> {
  const { extension, ifRevision, beforePublish } = options
  const isExpected = ({ stats }: StoredFile) => ifRevision === undefined || revisionOf(stats) === ifRevision
  if (!isExpected(current)) return null

  const name = nameFor(fileId, current, extension)
  const isRenamed = name !== current.name
  if (isRenamed && !canCount(name, current, await findAll())) throw new NameTakenError()
  const temp = await following(given, current)
  const info = fileInfo(fileId, name, temp.stats)
  const ticket: Ticket = { temp: basename(temp.path), ...(isRenamed && { superseded: { name: current.name, revision: revisionOf(current.stats) } }) }
  await beforePublish?.(info, JSON.stringify(ticket))

  if (ifRevision !== undefined) {
    const found = await regularFile(directory, current.name)
    if (found === undefined || !isExpected(found)) return null
  }
  const target = join(directory, name)
  if (isRenamed) await publishNew(temp, target, join(directory, current.name))
  else await publishOver(temp, target)
  return info
}

/** The spelling on disk stays unless the format changes. */
function nameFor (fileId: string, current: StoredFile, extension: string | undefined): string {
  const changed = extension === undefined ? undefined : validExtension(extension)
  const isKept = changed === undefined || splitName(current.name)?.extension.toLowerCase() === changed
  return isKept ? current.name : `${fileId}.${changed}`
}

/** Whether a file of a new name can count for its fileId though no other file is removed than the one it supersedes. */
function canCount (name: string, current: StoredFile, files: readonly StoredFile[]): boolean {
  const others = files.filter(other => other.name !== current.name)
  return others.every(other => other.name !== name && rankOf(other.name) >= rankOf(name))
}

/** Takes the temp file away before it is published, or removes what was superseded if it was published. */
export async function revoke (ticket: string, { directory, findAll }: Omit<Place, 'fileId'>): Promise<void> {
  const { temp, superseded } = JSON.parse(ticket) as Ticket
  if (!isTempName(temp) || await removeFile(join(directory, temp)) || superseded === undefined) return
  const files = await findAll()
  const left = files.find(({ name, stats }) => name === superseded.name && revisionOf(stats) === superseded.revision)
  if (left !== undefined && files.some(other => comesBefore(other, left))) await removeFile(join(directory, left.name))
}
