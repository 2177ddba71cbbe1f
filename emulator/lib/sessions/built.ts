import { createHash } from 'node:crypto'
import type { CallbackFields } from '../host/callbacks.js'
import { CrashedError } from '../host/client.js'
import type { ResultFiles } from '../results/files.js'
import { SERVER_VERSION } from '../version.js'
import { currentBytes, isForgotten } from './content.js'
import type { Change, OpenDocument, Participant } from './documents.js'
import type { SessionParts } from './parts.js'

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

export interface Assembly {
  /** Null when it failed without a result. */
  readonly built: Built | null
  /** Whether there is a result that is known to be good. */
  readonly succeeded: boolean
}

/** Puts the document together as it is now, with a history of the changes told, and keeps it at an expiring address. */
export async function assemble (parts: SessionParts, document: OpenDocument, folder: string, told: readonly Change[] = document.changes): Promise<Assembly> {
  const { closing, faults, files, host, time } = parts
  const slow = faults.take('assembly', ({ type }) => type === 'slow')
  const failure = faults.take('assembly', ({ type }) => type === 'fail')
  const edits = document.watch.edits()
  const whole = currentBytes(document)
  const bytes = failure === undefined ? whole : whole.subarray(0, whole.length >> 1)
  const changes = isForgotten(parts, document) ? [] : [...told]
  const { fileType, key } = document
  const life = host.life()
  if (slow?.type === 'slow') await time.pause(slow.ms, AbortSignal.any([closing, life]))
  if (life.aborted) throw new CrashedError()
  if (failure?.type === 'fail' && failure.corrupted !== true) return { built: null, succeeded: false }
  const fields = publish(files, { key, fileType, changes }, folder, bytes)
  return { built: { bytes, folder, edits, fields }, succeeded: failure === undefined }
}

/** Of what came from a forgotten file no changes are told: they are not those of the host's document. */
function publish (files: ResultFiles, { key, fileType, changes }: Pick<OpenDocument, 'key' | 'fileType'> & { readonly changes: readonly Change[] }, folder: string, bytes: Uint8Array): Built['fields'] {
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
export function lastSave ({ changes }: { readonly changes: readonly Change[] }, now: number): string {
  const change = changes.at(-1)
  return change === undefined ? new Date(now).toISOString() : `${wholeSeconds(change.at)}.000Z`
}

function wholeSeconds (at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}
