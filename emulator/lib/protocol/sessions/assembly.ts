import { createHash } from 'node:crypto'
import { zipOf } from '../../documents/office/zip.js'
import { CrashedError } from '../outbound/client.js'
import type { AssembledDocument, Assembly, Change, OpenDocument } from './open-document.js'
import { isFromForgottenFile } from './forgotten.js'
import type { Parts } from '../parts.js'
import type { Participant } from './participants.js'

interface AssemblyOptions {
  /** What the history has. */
  readonly changes?: readonly Change[]
  readonly isForm?: boolean
}

/** Assembles the document as it is now, with a history of the given changes, and keeps it as a result file. */
export async function assemble (
  parts: Parts,
  document: OpenDocument,
  folder: string,
  { changes: given = document.changes, isForm = false }: AssemblyOptions = {}
): Promise<Assembly> {
  const { closing, faults, client, time } = parts
  const slow = faults.take('assembly', ({ type }) => type === 'slow')
  const failure = faults.take('assembly', ({ type }) => type === 'fail')
  // Source: docs/document-server-protocol.md#forced-6-and-7. Of other formats the emulator knows no fields.
  const form = isForm && document.fileType === 'pdf' ? await document.editable() : undefined
  const edits = document.saves.editCount()
  const whole = form?.withoutFields?.() ?? document.bytes()
  const bytes = failure === undefined ? whole : whole.subarray(0, whole.length >> 1)
  // The changes of a forgotten file are not changes to the application's document.
  const changes = isFromForgottenFile(parts, document) ? [] : [...given]
  const { fileType, key } = document
  const crashSignal = client.crashSignal()
  if (slow?.type === 'slow') await time.pause(slow.ms, AbortSignal.any([closing, crashSignal]))
  if (crashSignal.aborted) throw new CrashedError()
  if (failure?.type === 'fail' && failure.corrupted !== true) return { assembled: null, succeeded: false }
  const fields = keepResult(parts, { key, fileType, changes }, folder, bytes)
  return { assembled: { bytes, folder, edits, fields }, succeeded: failure === undefined }
}

function keepResult (
  { files, build }: Parts,
  { key, fileType, changes }: Pick<OpenDocument, 'key' | 'fileType' | 'changes'>,
  folder: string,
  bytes: Uint8Array
): AssembledDocument['fields'] {
  const output = files.put(`${folder}/output.${fileType}`, `output.${fileType}`, bytes, fileType)
  const archive = changes.length > 0
    ? files.put(`${folder}/changes.zip`, 'changes.zip', archiveOf(changes), 'zip')
    : null
  const history = changes.length > 0 ? historyOf(changes, bytes, build.version) : {}
  return baseUrl => ({
    url: files.urlOf(output, baseUrl, key),
    changesurl: archive === null ? undefined : files.urlOf(archive, baseUrl, key),
    history,
    filetype: fileType
  })
}

/** The changes of one user in a row. */
type Run = readonly [Change, ...Change[]]

function runsOf (changes: readonly Change[]): Run[] {
  const runs: Array<[Change, ...Change[]]> = []
  for (const change of changes) {
    const run = runs.at(-1)
    if (run?.[0].user.userId === change.user.userId) run.push(change)
    else runs.push([change])
  }
  return runs
}

/** `changes0.json` and so on, one for each run. The changes in them are in the emulator's own format. */
function archiveOf (changes: readonly Change[]): Uint8Array {
  return zipOf(Object.fromEntries(
    runsOf(changes).map((run, index) => [`changes${index}.json`, JSON.stringify(run.map(({ made }) => made))])
  ))
}

/** One entry for each run of changes by one user, with the date of the first. */
function historyOf (changes: readonly Change[], bytes: Uint8Array, serverVersion: string): object {
  const documentSha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    serverVersion,
    changes: runsOf(changes).map(([{ user, at }]) => ({
      documentSha256,
      created: wholeSeconds(at).replace('T', ' '),
      user: { id: user.userId, name: user.userName }
    }))
  }
}

/** The user of the latest change: the save names this user and goes to this user's callback URL. */
export function lastChanger ({ changes }: OpenDocument): Participant | undefined {
  return changes.at(-1)?.user
}

/** The callback field `lastsave`: the time of the latest change, else now. */
export function lastChangeTime ({ changes }: { readonly changes: readonly Change[] }, now: number): string {
  const change = changes.at(-1)
  return change === undefined ? new Date(now).toISOString() : `${wholeSeconds(change.at)}.000Z`
}

function wholeSeconds (at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}
