import { createHash } from 'node:crypto'
import type { CallbackFields } from '../host/callbacks.js'
import type { ResultFiles } from '../results/files.js'
import { currentBytes } from './content.js'
import type { Change, OpenDocument, Participant } from './documents.js'
import type { SessionParts } from './parts.js'

export const SERVER_VERSION = '9.3.0'

// A zip file without entries: the editor's own change format is not emulated.
const EMPTY_ZIP = Buffer.from('504b0506000000000000000000000000000000000000', 'hex')

/** A document as it was put together to be saved. */
export interface Built {
  readonly bytes: Uint8Array
  readonly folder: string
  readonly edits: number
  /** Its fields of a callback, with newly signed addresses below this one. */
  fields (baseUrl: string): Pick<CallbackFields, 'url' | 'changesurl' | 'history' | 'filetype'>
}

/** Puts the document together and keeps it at an expiring address. `null` when that fails without a result. */
export async function build ({ files, faults }: SessionParts, document: OpenDocument, folder: string): Promise<Built | 'failed' | { corrupted: Built }> {
  const fault = faults.take('assembly')
  if (fault !== undefined && fault.corrupted !== true) return 'failed'
  const edits = document.watch.edits()
  const whole = currentBytes(document)
  const bytes = fault === undefined ? whole : whole.subarray(0, whole.length >> 1)
  const built = { bytes, folder, edits, fields: publish(files, document, folder, bytes) }
  return fault === undefined ? built : { corrupted: built }
}

function publish (files: ResultFiles, { key, fileType, changes }: OpenDocument, folder: string, bytes: Uint8Array): Built['fields'] {
  const output = files.put(`${folder}/output.${fileType}`, `output.${fileType}`, bytes, fileType)
  const archive = changes.length > 0 ? files.put(`${folder}/changes.zip`, 'changes.zip', EMPTY_ZIP, 'zip') : null
  const history = changes.length > 0 ? historyOf(changes, bytes) : {}
  return baseUrl => ({
    url: files.urlOf(output, baseUrl, key),
    changesurl: archive === null ? undefined : files.urlOf(archive, baseUrl, key),
    history,
    filetype: fileType
  })
}

/** One entry for each run of changes of one user, dated by its first. */
function historyOf (changes: readonly Change[], bytes: Uint8Array): object {
  const documentSha256 = createHash('sha256').update(bytes).digest('hex')
  const runs = changes.filter(({ user }, index) => changes[index - 1]?.user.userId !== user.userId)
  return {
    serverVersion: SERVER_VERSION,
    changes: runs.map(({ user, at }) => ({
      documentSha256,
      created: wholeSeconds(at).replace('T', ' '),
      user: { id: user.userId, name: user.userName }
    }))
  }
}

/** The last one's who changed something: a save is announced as theirs, at their address. */
export function lastChanger ({ changes }: OpenDocument): Participant | undefined {
  return changes.at(-1)?.user
}

/** When it was changed last, or now. */
export function lastSave ({ changes }: OpenDocument, now: number): string {
  const change = changes.at(-1)
  return change === undefined ? new Date(now).toISOString() : `${wholeSeconds(change.at)}.000Z`
}

function wholeSeconds (at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}
