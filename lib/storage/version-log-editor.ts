import type { VersionLabel, VersionLimits } from '../../types/storage.js'
import { UnknownRecordError } from '../errors.js'
import {
  type Blob, blobsOf, directBlobs, type NamedBlobs, type Segment, segmentText, type VersionEntry, type VersionLog
} from './version-log.js'

/** Stores the entries of segments. */
export interface SegmentStore {
  /**
   * Resolves to `undefined` if the entries are missing or damaged. Rejects with `UnknownRecordError` if a newer version
   * of this library has written them: they stay as they are, too.
   */
  read (segment: Segment): Promise<readonly VersionEntry[] | undefined>
  /** Stores the entries of a new segment. `last`: the highest version number. */
  write (text: string, last: number): Promise<Blob>
}

export type LogEditor = ReturnType<typeof editLog>

type Entries = readonly VersionEntry[]
/** A part of the log, in its order: a segment that stays, or the entries that replace a segment. */
type Piece = Segment | Entries

/** This many versions move into a segment at once. The number of the first is a multiple of it. */
export const BLOCK = 16
/** With this limit, 10,000 versions have 40 segments of about 100 KiB. */
const MAX_SEGMENT = 256
/**
 * A lowered limit is reached step by step: each change removes at most `MAX_PRUNED` versions and reads at most
 * `MAX_READ` segments.
 */
const MAX_PRUNED = 64
const MAX_READ = 4
/** One rank for versions within a session, and five for the priorities from 0 to 4. */
const RANKS = 6
/** Of a segment in which all versions have labels: later than any limit. */
const NEVER = '9999'

/** Changes a log. Blobs named by the old log stay unchanged: until the new log is stored, the old one is valid. */
export function editLog (base: VersionLog, { read, write }: SegmentStore) {
  let log = base
  const contents = new Map<string, Entries | undefined>()

  async function load (segment: Segment): Promise<Entries | undefined> {
    const { name } = segment.blob
    if (!contents.has(name)) contents.set(name, await read(segment).catch(unlessUnknown))
    return contents.get(name)
  }

  async function segmentOf (entries: Entries): Promise<Segment> {
    const blob = await write(segmentText(entries), entries.at(-1)!.version)
    contents.set(blob.name, entries)
    return {
      blob,
      first: entries[0]!.version,
      last: entries.at(-1)!.version,
      count: entries.length,
      bytes: bytesOf(entries),
      ranks: Array.from({ length: RANKS }, (_, rank) => entries.filter(entry => rankOf(entry) === rank).length),
      keptAt: entries.filter(isRemovable).map(({ keptAt }) => keptAt).sort()[0] ?? NEVER
    }
  }

  /** Adds entries to the segment before them, which is rewritten, as long as it has room. */
  async function stored (pieces: readonly Piece[]): Promise<Segment[]> {
    const joined: Piece[] = []
    for (const piece of pieces.filter(piece => countOf(piece) > 0)) {
      const before = joined.at(-1)
      if (isSegment(piece) || before === undefined || countOf(before) + piece.length > MAX_SEGMENT) {
        joined.push(piece)
        continue
      }
      const entries = isSegment(before) ? await load(before) : before
      if (entries) joined[joined.length - 1] = [...entries, ...piece]
      else joined.push(piece)
    }
    return await Promise.all(joined.map(async piece => isSegment(piece) ? piece : await segmentOf(piece)))
  }

  async function without (numbers: ReadonlySet<number>): Promise<void> {
    const isLeft = ({ version }: VersionEntry) => !numbers.has(version)
    const pieces = await Promise.all(log.segments.map(async (segment): Promise<Piece> => {
      if (![...numbers].some(number => number >= segment.first && number <= segment.last)) return segment
      const entries = await load(segment)
      return entries === undefined || entries.every(isLeft) ? segment : entries.filter(isLeft)
    }))
    if (log.entries.every(isLeft) && pieces.every(isSegment)) return
    log = { ...log, segments: await stored(pieces), entries: log.entries.filter(isLeft) }
  }

  /** Uses the same order as `expiredVersions` in lib/history. */
  async function superfluousIn ({ keep, maxBytes, keptSince }: VersionLimits): Promise<ReadonlySet<number>> {
    const entries = marked(log.entries)
    const newest = entries.at(-1)?.version ?? log.segments.at(-1)?.last
    const since = keptSince.toISOString()
    const isOld = ({ keptAt }: { readonly keptAt: string }) => keptAt < since
    let count = log.segments.reduce((sum, segment) => sum + removableIn(segment), entries.filter(isRemovable).length)
    let bytes = log.segments.reduce((sum, segment) => sum + segment.bytes, bytesOf(entries))
    const isTooMuch = () => count > keep || bytes > maxBytes
    const found = new Set<number>()
    const wasRead = new Set<Segment>()
    const rounds = [
      { isMeant: isOld, hasSome: isOld, isDue: () => true },
      ...Array.from({ length: RANKS }, (_, rank) => ({
        isMeant: (entry: VersionEntry) => rankOf(entry) === rank,
        hasSome: ({ ranks }: Segment) => (ranks[rank] ?? 0) > 0,
        isDue: isTooMuch
      }))
    ]
    for (const { isMeant, hasSome, isDue } of rounds) {
      for (const piece of [...log.segments, entries]) {
        if (!isDue() || (isSegment(piece) && !hasSome(piece))) continue
        const isFirstRead = isSegment(piece) && !wasRead.has(piece)
        if (isFirstRead && wasRead.size === MAX_READ) return found
        const read = isSegment(piece) ? await load(piece) : piece
        if (isFirstRead) {
          wasRead.add(piece)
          if (read === undefined) { // what cannot be removed does not count, or other versions would be removed instead
            count -= removableIn(piece)
            bytes -= piece.bytes
          }
        }
        for (const entry of read ?? []) {
          if (!isMeant(entry) || !isRemovable(entry) || !isDue() || found.has(entry.version)) continue
          if (entry.version === newest) continue
          if (found.size === MAX_PRUNED) return found
          found.add(entry.version)
          count--
          bytes -= bytesOf([entry])
        }
      }
    }
    return found
  }

  function named (log: VersionLog): NamedBlobs {
    return new Map([
      ...directBlobs(log),
      ...log.segments.flatMap(({ blob }) => [...blobsOf(contents.get(blob.name) ?? [])])
    ])
  }

  return {
    log: () => log,

    /** Adds the newest version, or replaces the version with the same number, except its label. */
    keep (entry: VersionEntry): void {
      const others = log.entries.filter(({ version }) => version !== entry.version)
      const { label } = log.entries.find(({ version }) => version === entry.version) ?? {}
      log = { ...log, last: entry.version, entries: [...others, label ? { ...entry, label } : entry] }
    },

    /** Resolves to whether there is such a version. */
    async label (number: number, label: VersionLabel | null): Promise<boolean> {
      const isMeant = ({ version }: VersionEntry) => version === number
      const labelled = ({ label: before, ...entry }: VersionEntry) => label ? { ...entry, label } : entry
      const changed = (entries: Entries) => entries.map(entry => isMeant(entry) ? labelled(entry) : entry)
      if (log.entries.some(isMeant)) {
        log = { ...log, entries: changed(log.entries) }
        return true
      }
      const segment = log.segments.find(({ first, last }) => first <= number && number <= last)
      const entries = segment && await load(segment)
      if (!entries?.some(isMeant)) return false
      const relabelled = await segmentOf(changed(entries))
      log = { ...log, segments: log.segments.map(other => other === segment ? relabelled : other) }
      return true
    },

    remove: async (numbers: readonly number[]) => await without(new Set(numbers)),

    /** Moves entries into a segment when there are enough of them. */
    async roll (): Promise<void> {
      // The two newest stay, because they decide whether earlier versions are within a session.
      const end = Math.floor((log.last - 2) / BLOCK) * BLOCK
      const older = marked(log.entries).filter(({ version }) => version < end)
      if (older.length === 0) return
      const newest = log.segments.at(-1)
      if (newest) await load(newest)
      const rolled = older.map(({ session, ...entry }) => entry)
      log = {
        ...log,
        segments: await stored([...log.segments, rolled]),
        entries: log.entries.filter(({ version }) => version >= end)
      }
    },

    /** Removes what exceeds the limits: each time if the log has no segments, otherwise once per `BLOCK` versions. */
    async prune (limits: VersionLimits): Promise<void> {
      if (log.segments.length === 0 || log.last % BLOCK === 0) await without(await superfluousIn(limits))
    },

    /** All blobs that the new log names, including those in segments that were read or written. */
    named: () => named(log),

    /** All blobs that the old log names and the new one does not. */
    superseded (): NamedBlobs {
      const present = named(log)
      return new Map([...named(base)].filter(([name]) => !present.has(name)))
    },

    /** Whether `named` is complete for versions with these numbers. */
    knows: (first: number, last: number) =>
      log.segments.every(segment =>
        segment.last < first || segment.first > last || contents.get(segment.blob.name) !== undefined
      )
  }
}

/** Versions with a lower rank are removed first. One with a label has none. */
function rankOf ({ isWithinSession = false, priority = 0, label }: VersionEntry): number {
  return label ? RANKS : isWithinSession ? 0 : 1 + priority
}

function unlessUnknown (error: unknown): undefined {
  if (!(error instanceof UnknownRecordError)) throw error
}

function isRemovable ({ label }: VersionEntry): boolean {
  return label === undefined
}

function removableIn ({ ranks }: Segment): number {
  return ranks.reduce((sum, count) => sum + count, 0)
}

function isSegment (piece: Piece): piece is Segment {
  return 'blob' in piece
}

function countOf (piece: Piece): number {
  return isSegment(piece) ? piece.count : piece.length
}

function bytesOf (entries: Entries): number {
  return entries.reduce((sum, { content, changes }) => sum + content.size + (changes?.size ?? 0), 0)
}

/**
 * Marks versions that two other saves of their session follow. The data of a version's changes is kept beside its
 * predecessor, so the last two saves of a session stay.
 */
function marked (entries: Entries): Entries {
  return entries.map((entry, index) => {
    const isWithinSession = entry.session !== undefined &&
      [1, 2].every(step => entries[index + step]?.session === entry.session)
    return isWithinSession ? { ...entry, isWithinSession } : entry
  })
}
