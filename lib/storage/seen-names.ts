import { opendir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { knownExtensions } from '../document-server/formats.js'
import { type DirectoryVersion, isUnchanged } from './directory-version.js'
import { splitName } from './file-info.js'

const known: ReadonlySet<string> = new Set(knownExtensions)

/** That the document server does not know: each is one more name that every look-up tries. */
const MOST_EXTENSIONS = 64

const PAUSE_MS = 1000

/** Walking takes at most one part in so many of the time, however large the directory is and whatever happens in it. */
const PAUSE_PER_WALK = 50

export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>

/**
 * Which names of one fileId count before which: 0 for an extension the document server opens, in lower case; 1 for one in
 * capitals; 2 for all others.
 */
export function rankOf (name: string): 0 | 1 | 2 {
  const extension = splitName(name)?.extension ?? ''
  if (known.has(extension)) return 0
  return extension === extension.toUpperCase() && known.has(extension.toLowerCase()) ? 1 : 2
}

/** What there is in the directory. */
interface Seen {
  /** Look-ups try them. */
  readonly extensions: Set<string>
  /** How many of them the document server does not know. */
  strange: number
  /** By fileId: names with further extensions. */
  readonly names: Map<string, Set<string>>
}

/**
 * Knows which extensions there are. They are learnt by walks through the directory, which no look-up causes or waits for: one
 * at the start, later ones in the background when names have come or gone.
 */
export function seenNames (directory: string, currentVersion: () => Promise<DirectoryVersion>, pause: Pause = unheldDelay) {
  let latest = nothingSeen()
  /** One walk may find a volume that is not there for a moment. */
  let previous = latest
  let walking = latest
  let walked: DirectoryVersion | undefined

  return {
    /** Names that a document may have, besides those with other known extensions. Whether there is such a file is yet to be looked up. */
    namesOf: (fileId: string): string[] => [latest, previous].flatMap(({ extensions, names }) => [...Array.from(extensions, extension => `${fileId}.${extension}`), ...names.get(fileId) ?? []]),

    /** A name that this process has just given. A walk that is under way may have passed its place. */
    note (name: string): void {
      keep(latest, name)
      if (walking !== latest) keep(walking, name)
    },

    walk,

    /** Until the signal is given, and only as long as the process has something else to do. Never rejects. */
    async keepWalking (signal: AbortSignal): Promise<void> {
      for (let took = 0; !signal.aborted;) {
        await pause(Math.max(PAUSE_MS, took * PAUSE_PER_WALK), signal).catch(() => {})
        const started = performance.now()
        // Whatever is wrong with the directory, look-ups tell.
        await walkIfChanged(signal).catch(() => {})
        took = performance.now() - started
      }
    }
  }

  async function walkIfChanged (signal: AbortSignal): Promise<void> {
    if (signal.aborted || (walked !== undefined && isUnchanged(walked, await currentVersion()))) return
    await walk(() => signal.throwIfAborted())
  }

  async function walk (onName: (name: string) => void): Promise<void> {
    const version = await currentVersion()
    walking = nothingSeen()
    for await (const { name } of await opendir(directory, { bufferSize: 1024 })) {
      onName(name)
      keep(walking, name)
    }
    previous = latest
    latest = walking
    walked = version
  }
}

function nothingSeen (): Seen {
  return { extensions: new Set(), strange: 0, names: new Map() }
}

function keep (seen: Seen, name: string): void {
  const extension = name.slice(name.lastIndexOf('.') + 1)
  if (seen.extensions.has(extension)) return
  // Hidden names are no documents, and those of programs that copy files end in anything.
  const parts = name.startsWith('.') ? undefined : splitName(name)
  if (parts === undefined) return
  const isStrange = rankOf(name) === 2
  if (isStrange && seen.strange === MOST_EXTENSIONS) {
    const names = seen.names.get(parts.stem)
    if (names) names.add(name)
    else seen.names.set(parts.stem, new Set([name]))
  } else {
    seen.extensions.add(extension)
    if (isStrange) seen.strange++
  }
}

async function unheldDelay (milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { ref: false, signal })
}
