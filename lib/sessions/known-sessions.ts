import { type FileRecord, liveSessions } from './record.js'

/** The files that this instance knows to be edited: those of which it last saw a record with live sessions. */
export interface KnownSessions {
  /** Takes note of a record that was read or written. */
  note (fileId: string, record: FileRecord): void
  fileIds (): readonly string[]
}

/** Of the most recently used files. */
const MAX_FILES = 10_000

export function createKnownSessions (): KnownSessions {
  /** In the order in which they were last used. */
  const fileIds = new Set<string>()

  return {
    note (fileId, record) {
      fileIds.delete(fileId)
      if (liveSessions(record).length === 0) return
      fileIds.add(fileId)
      if (fileIds.size > MAX_FILES) fileIds.delete(fileIds.values().next().value!)
    },
    fileIds: () => [...fileIds]
  }
}
