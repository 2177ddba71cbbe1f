import { createHash } from 'node:crypto'
import { type Action, type CallbackFields, sendCallback } from './callbacks.js'
import type { Clock } from './clock.js'
import type { OpenDocument, Participant } from './documents.js'
import { openEditable } from './editing/open.js'
import type { Editable } from './editing/types.js'
import type { HostClient } from './host.js'
import { type ResultFiles, resultFolder } from './result-files.js'
import type { CallbackResult } from './types.js'

export const SERVER_VERSION = '9.3.0'

/** Nothing was sent, because there was no one to send it to or nothing to say. */
export const NOTHING_SENT: CallbackResult = { status: null, httpStatus: null, answer: null }

// A zip file without entries: the editor's own change format is not emulated.
const EMPTY_ZIP = Buffer.from('504b0506000000000000000000000000000000000000', 'hex')

export interface SaveParts {
  readonly host: HostClient
  readonly files: ResultFiles
  readonly clock: Clock
}

/** The document as it is now. */
export async function builtBytes (document: OpenDocument): Promise<Uint8Array> {
  return document.editable === null ? document.source! : (await document.editable).bytes()
}

/** The document's editor, opened when it is first needed. */
export async function editableOf (document: OpenDocument): Promise<Editable> {
  const editable = document.editable ??= openEditable(document.fileType, document.source!)
  try {
    return await editable
  } catch (error) {
    if (document.editable === editable) document.editable = null
    throw error
  }
}

/** Builds the document, puts it at an expiring address and tells the host. */
export async function sendSave (
  { host, files, clock }: SaveParts,
  document: OpenDocument,
  bytes: Uint8Array,
  saver: Participant,
  fields: Pick<CallbackFields, 'status' | 'actions' | 'userdata' | 'forcesavetype' | 'notmodified'>
): Promise<CallbackResult> {
  if (saver.callbackUrl === null) return NOTHING_SENT
  const { key, fileType, changes } = document
  const folder = resultFolder(key)
  const output = files.put(`${folder}/output.${fileType}`, `output.${fileType}`, bytes, fileType)
  const changed = changes.length > 0
  const archive = changed ? files.put(`${folder}/changes.zip`, 'changes.zip', EMPTY_ZIP, 'zip') : undefined
  return await sendCallback(host, saver.callbackUrl, {
    key,
    url: files.urlOf(output, saver.baseUrl, key),
    changesurl: archive === undefined ? undefined : files.urlOf(archive, saver.baseUrl, key),
    history: changed ? history(document, bytes) : {},
    users: [saver.userId],
    lastsave: changed ? `${wholeSeconds(changes.at(-1)!.at)}.000Z` : new Date(clock.now()).toISOString(),
    filetype: fileType,
    ...fields
  })
}

export function left (participant: Participant): Action[] {
  return [{ type: 0, userid: participant.userId }]
}

/** One entry for each run of changes of one user. */
function history ({ changes }: OpenDocument, bytes: Uint8Array): object {
  const documentSha256 = createHash('sha256').update(bytes).digest('hex')
  const runs = changes.filter(({ user }, index) => changes[index + 1]?.user.userId !== user.userId)
  return {
    serverVersion: SERVER_VERSION,
    changes: runs.map(({ user, at }) => ({
      documentSha256,
      created: wholeSeconds(at).replace('T', ' '),
      user: { id: user.userId, name: user.userName }
    }))
  }
}

function wholeSeconds (at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}
