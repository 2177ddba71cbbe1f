import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { StateStore } from '../../types/storage.js'
import { EMPTY, type FileRecord } from './record.js'

/** The records of files, read and changed by all instances of a service at once. */
export interface Records {
  read (fileId: string): Promise<FileRecord>
  /**
   * Changes a record as often as it takes until nobody else was faster. A change that gives the same object back changes
   * nothing. Resolves to the record as it is now; rejects with what the change throws.
   */
  change (fileId: string, change: (record: FileRecord) => FileRecord): Promise<FileRecord>
}

/** Each time somebody else was faster: more than this is no coincidence. */
const MAX_ATTEMPTS = 1000

const Text = Type.String()
const Optional = Type.Optional(Text)
const Flag = Type.Optional(Type.Boolean())
const Save = Type.Object({ key: Text, status: Type.Union([Type.Literal(2), Type.Literal(6)]), path: Optional, lastsave: Optional, revision: Optional, sha256: Optional, at: Type.Number(), reopens: Flag, reopened: Flag })
const Stored = Type.Object({
  live: Type.Array(Type.Object({ key: Text, base: Optional, heard: Type.Number(), refused: Flag, conflictFileId: Optional, conflictRevision: Optional })),
  saves: Type.Array(Save),
  lock: Type.Optional(Type.Object({ id: Text, owner: Optional, publishing: Type.Optional(Save), beat: Type.Number() }))
})

export function fileRecords (state: StateStore): Records {
  async function versioned (fileId: string): Promise<{ record: FileRecord, version: string | null }> {
    const found = await state.get(fileId)
    // What someone else has put there is no record, and nothing can be learned from it.
    return { record: Check(Stored, found?.value) ? found!.value as FileRecord : EMPTY, version: found?.version ?? null }
  }

  return {
    read: async fileId => (await versioned(fileId)).record,
    async change (fileId, change) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { record, version } = await versioned(fileId)
        const changed = change(record)
        if (changed === record || await state.set(fileId, changed, version) !== null) return changed
      }
      throw new Error('The record of a document could not be changed: others were always faster')
    }
  }
}
