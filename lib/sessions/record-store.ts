import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { StateStore } from '../../types/storage.js'
import { EMPTY, type FileRecord } from './record.js'

/** A record as it was read, and the version by which it can be changed. */
export interface Seen {
  readonly record: FileRecord
  readonly version: string | null
}

/** The records of files, read and changed by all instances of a service at once. */
export interface Records {
  read (fileId: string): Promise<Seen>
  /** Puts a record in the place of the very one that was seen. Resolves to whether nobody else was faster. */
  set (fileId: string, record: FileRecord, seen: Seen, options?: { readonly durable: boolean }): Promise<boolean>
  /**
   * Changes a record as often as it takes until nobody else was faster. A change that gives the same object back changes
   * nothing. Resolves to the record as it is now; rejects with what the change throws.
   */
  change (fileId: string, change: (record: FileRecord) => FileRecord, options?: { readonly durable: boolean }): Promise<FileRecord>
}

/** What a crash of the machine may take back: it costs a question to the document server, or a comparison of bytes. */
export const EPHEMERAL = { durable: false } as const

/** Each time somebody else was faster: more than this is no coincidence. */
const MAX_ATTEMPTS = 1000

const Text = Type.String()
const Optional = Type.Optional(Text)
const Save = Type.Object({ key: Text, status: Type.Union([Type.Literal(2), Type.Literal(6)]), path: Optional, lastsave: Optional, revision: Optional, at: Type.Number() })
const Untold = Type.Object({ event: Type.Object({ id: Text, fileId: Text }), teller: Text, owner: Optional, at: Type.Number() })
const Stored = Type.Object({
  live: Type.Array(Type.Object({ key: Text, base: Optional, heard: Type.Number(), refused: Type.Optional(Type.Boolean()), conflictFileId: Optional, conflictRevision: Optional })),
  saves: Type.Array(Save),
  untold: Type.Optional(Type.Array(Untold)),
  lock: Type.Optional(Type.Object({ id: Text, owner: Optional, publishing: Type.Optional(Type.Object({ save: Save, untold: Type.Optional(Untold), ticket: Optional })) }))
})

function isRecord (value: unknown): value is FileRecord {
  return Check(Stored, value)
}

export function fileRecords (state: StateStore): Records {
  async function read (fileId: string): Promise<Seen> {
    const { value, version = null } = await state.get(fileId) ?? {}
    // What someone else has put there is no record, and nothing can be learned from it.
    return { record: isRecord(value) ? value : EMPTY, version }
  }

  return {
    read,
    set: async (fileId, record, { version }, options) => await state.set(fileId, record, version, options) !== null,
    async change (fileId, change, options) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { record, version } = await read(fileId)
        const changed = change(record)
        if (changed === record || await state.set(fileId, changed, version, options) !== null) return changed
      }
      throw new Error('The record of a document could not be changed: others were always faster')
    }
  }
}
