import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { EXTENSION, knownExtensions } from '../../document-server/formats.js'
import { isSafeFileId } from '../../security/names.js'
import { BoundedMap } from '../../util/limits.js'
import { statsAt, TIME_GRANULARITY_MS, timesOf } from './file-system.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

/** The names in a directory, by stem. */
interface Listing {
  readonly names: Map<string, string[]>
  /** The directory's times before it was listed. */
  readonly times: string
  /** Whether any change since then is certain to have given the directory other times. */
  readonly isSettled: boolean
  /** Until when it serves look-ups although the directory has changed. */
  readonly staleAfter: number
}

/** A changed directory is listed again after so many times the duration of a listing: a tenth of the time at most. */
const PAUSE_PER_LISTING = 10

const MAX_LISTINGS = 2
const MAX_FRESH = 1000

const supported: ReadonlySet<string> = new Set(knownExtensions)

export type FileLookup = ReturnType<typeof fileLookup>

/**
 * Finds the regular files named `<fileId>.<extension>` in a directory. If several have the same fileId, one takes
 * precedence and is the document: files whose extension the document server opens come first, then files with such an
 * extension in upper case, then all others; within each group the newest file, and among equally old files the first by
 * name.
 *
 * The names come from a listing, which is taken again when the directory has changed. Changes by other programs are
 * seen at once, except a further file of a document that has one: it is seen after ten times the duration of a listing.
 */
export function fileLookup (directory: string) {
  let latest: Listing | undefined
  let listing: Promise<Listing> | undefined
  /** With this process's monotonic clock: a file server's clock may differ from this machine's. */
  let seen = { times: '', at: 0 }
  let tellsChanges = true
  /** Nobody else knows these: no listing is needed to see that they have no files. */
  const fresh = new BoundedMap<string, true>(MAX_FRESH)

  return {
    find,

    newFileId (): string {
      const fileId = randomUUID()
      fresh.set(fileId, true)
      return fileId
    },

    /** Adds a name that this process has created: finding it needs no new listing. */
    addName (name: string): void {
      if (latest) addTo(latest.names, name)
      fresh.delete(splitName(name)?.stem ?? '')
    },

    /** The names of its files when they were last listed. */
    knownNames: (fileId: string): readonly string[] => latest?.names.get(fileId) ?? [],

    /** Like `find`, with the files that other programs have added until now. */
    findAll: async (fileId: string): Promise<StoredFile[]> => await find(fileId, true),

    /** Lists the directory. `isToldOfChanges`: whether its times show that it has changed. */
    async scan (isToldOfChanges: boolean): Promise<void> {
      tellsChanges = isToldOfChanges
      latest = await list(await readTimes())
    }
  }

  /** Finds the file of a document, followed by the files that would take its place if it were removed. */
  async function find (fileId: string, isExact = false): Promise<StoredFile[]> {
    if (!isSafeFileId(fileId) || fresh.get(fileId)) return []
    let before: Listing | undefined
    for (let listings = isExact ? 1 : 0; ; listings++) {
      const current = await upToDate(listings === 0)
      const names = current.names.get(fileId) ?? []
      const found = await Promise.all(names.map(async name => await regularFile(directory, name)))
      const files = found.filter(file => file !== undefined).sort((a, b) => takesPrecedence(a, b) ? -1 : 1)
      const isComplete = files.length > 0 && files.length === names.length
      // A change of format may have renamed the file while the directory was listed.
      if (isComplete || current === before || listings === MAX_LISTINGS) return files
      before = current
    }
  }

  async function upToDate (mayBeStale: boolean): Promise<Listing> {
    const times = await readTimes()
    if (latest?.isSettled && latest.times === times) return latest
    if (latest && mayBeStale && performance.now() < latest.staleAfter) return latest
    listing ??= list(times).finally(() => { listing = undefined })
    latest = await listing
    return latest
  }

  async function list (times: string): Promise<Listing> {
    const startedAt = performance.now()
    const isSettled = tellsChanges && startedAt - seen.at > TIME_GRANULARITY_MS
    const names = new Map<string, string[]>()
    for await (const { name } of await opendir(directory, { bufferSize: 1024 })) {
      addTo(names, name)
    }
    const now = performance.now()
    return { names, times, isSettled, staleAfter: now + PAUSE_PER_LISTING * (now - startedAt) }
  }

  /** Rejects if the directory is gone. */
  async function readTimes (): Promise<string> {
    const times = await timesOf(directory)
    if (times !== seen.times) seen = { times, at: performance.now() }
    return times
  }
}

function addTo (names: Map<string, string[]>, name: string): void {
  const stem = splitName(name)?.stem
  if (stem === undefined) return
  const known = names.get(stem)
  if (known === undefined) names.set(stem, [name])
  else if (!known.includes(name)) known.push(name)
}

/** Whether the first of two files with the same fileId is the document's. */
export function takesPrecedence (a: StoredFile, b: StoredFile): boolean {
  const ranks = rankOf(a.name) - rankOf(b.name)
  if (ranks !== 0) return ranks < 0
  return a.stats.mtimeNs === b.stats.mtimeNs ? a.name < b.name : a.stats.mtimeNs > b.stats.mtimeNs
}

/** `undefined` if there is no regular file with this name. */
async function regularFile (directory: string, name: string): Promise<StoredFile | undefined> {
  const stats = await statsAt(join(directory, name))
  return stats?.isFile() ? { name, stats } : undefined
}

/** Splits a name at its last dot. Returns `undefined` if no valid extension follows the dot or nothing precedes it. */
export function splitName (name: string): { stem: string, extension: string } | undefined {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  return dot > 0 && EXTENSION.test(extension) ? { stem: name.slice(0, dot), extension } : undefined
}

/**
 * The precedence of a name among names with the same fileId, lowest first: 0 for an extension that the document server
 * opens, in lower case; 1 for such an extension in upper case; 2 for any other.
 */
function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (supported.has(extension)) return 0
  return extension === extension.toUpperCase() && supported.has(extension.toLowerCase()) ? 1 : 2
}
