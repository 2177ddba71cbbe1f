import { lstat, readFile, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { orRemoved, syncDirectory, type TempFile, writeTempFile } from './durable-write.js'
import type { StoredFile } from './lookup.js'
import { NOTE } from './temp-files.js'

/** Of files in one directory. Times are nanoseconds, as text: JSON knows no such numbers. */
interface Note {
  readonly target: string
  /** Modification time of the content that takes the target's name. */
  readonly since: string
  readonly superseded: ReadonlyArray<{ readonly name: string, readonly ino: string, readonly mtimeNs: string }>
}

export interface Superseding {
  /** The new content; removed when nothing can be noted. */
  readonly temp: TempFile
  /** The name it gets. */
  readonly target: string
  readonly superseded: readonly StoredFile[]
}

/**
 * A change of format gives the new file its name, then removes the old one. What is about to be removed is noted
 * meanwhile: should the process end in between, the next start removes it.
 */
export async function whileNoted (directory: string, superseding: Superseding, task: () => Promise<void>): Promise<void> {
  if (superseding.superseded.length === 0) return await task()
  const { path } = await orRemoved(superseding.temp.path, writeNote(directory, superseding))
  try {
    await task()
  } finally {
    await unlink(path).catch(() => {})
  }
}

async function writeNote (directory: string, { temp, target, superseded }: Superseding): Promise<TempFile> {
  const note: Note = {
    target,
    since: String(temp.stats.mtimeNs),
    superseded: superseded.map(({ name, stats: { ino, mtimeNs } }) => ({ name, ino: String(ino), mtimeNs: String(mtimeNs) }))
  }
  return await writeTempFile(directory, Buffer.from(JSON.stringify(note)), { suffix: NOTE })
}

/**
 * Does what a process that ended has noted. Only what is still the very file that was superseded goes, and only if its
 * successor is there.
 */
export async function removeSuperseded (directory: string, path: string): Promise<void> {
  const note = parsed(await readFile(path, 'utf8'))
  if (note === undefined) return
  const statsOf = (name: string) => lstat(join(directory, basename(name)), { bigint: true }).catch(orMissing)
  const successor = await statsOf(note.target)
  if (successor === undefined || successor.mtimeNs < BigInt(note.since)) return
  await syncDirectory(directory)
  for (const { name, ino, mtimeNs } of note.superseded) {
    const stats = await statsOf(name)
    if (String(stats?.ino) === ino && String(stats?.mtimeNs) === mtimeNs) await unlink(join(directory, basename(name)))
  }
}

/** `undefined` for a note that was not finished: then nothing was superseded yet. */
function parsed (text: string): Note | undefined {
  try {
    return JSON.parse(text) as Note
  } catch {
    return undefined
  }
}

function orMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
