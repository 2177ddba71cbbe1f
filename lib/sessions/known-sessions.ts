import { BoundedMap } from '../bounded-map.js'
import type { FileRecord } from './record.js'
import { liveSessions } from './session-states.js'

/** Of the most recently used files. */
const MAX_FILES = 10_000

/** The files that this instance knows to be edited: those of which it last saw a record with live sessions. */
export type KnownSessions = ReturnType<typeof createKnownSessions>

export function createKnownSessions () {
  const files = new BoundedMap<string, true>(MAX_FILES)
  return {
    /** Takes note of a record that was read or written. */
    note (fileId: string, record: FileRecord): void {
      if (liveSessions(record).length > 0) files.set(fileId, true)
      else files.delete(fileId)
    },
    fileIds: (): readonly string[] => [...files.keys()]
  }
}
