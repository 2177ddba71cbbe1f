import type { FileRecord, SaveIdentity, Session, StoredSave } from './record.schema.js'

export { isFileRecord } from './record.compiled.js'
export type { Bearing, FileRecord, ForceSave, ForceSaveResult, Lock, Publishing, SaveIdentity, Session, StoredSave } from './record.schema.js'

export const EMPTY: FileRecord = { sessions: [], saves: [] }

export function sessionWith ({ sessions }: FileRecord, key: string): Session | undefined {
  return sessions.find(session => session.key === key)
}

export function lastSaveOf ({ saves }: FileRecord, key: string): StoredSave | undefined {
  return saves.find(save => save.key === key)
}

/** Keys of sessions that ended with a save. */
export function finishedKeys ({ saves }: FileRecord): Set<string> {
  return new Set(saves.filter(({ status }) => status === 2).map(({ key }) => key))
}

export function isSameSave (a: SaveIdentity, b: SaveIdentity): boolean {
  return a.key === b.key && a.status === b.status && a.path === b.path && a.lastsave === b.lastsave
}
