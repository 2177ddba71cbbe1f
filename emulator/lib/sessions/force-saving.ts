import { NOTHING_SENT } from '../host/callbacks.js'
import { resultFolder } from '../results/files.js'
import { build, lastChanger, lastSave } from './built.js'
import { deliver } from './delivery.js'
import { type OpenDocument, type Participant, tell } from './documents.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult, ForceSaveOptions } from '../../types/session.js'

/** Source: the document server's `forcesavetype`. */
const TYPES = { command: 0, button: 1, timer: 2, form: 3 } as const

/** Whether there is something to save by force: not before a first change, not twice the same, not after a failure. */
export function forceSavable ({ changes, forceSave }: OpenDocument): 'yes' | 'nothing new' | 'failed before' {
  if (changes.length === 0) return 'nothing new'
  if (forceSave?.changes !== changes.length) return 'yes'
  return { accepted: 'nothing new', failed: 'failed before', refused: 'yes' }[forceSave.outcome] as ReturnType<typeof forceSavable>
}

export interface ForceSaver {
  /** Who pressed the button. */
  readonly presser?: Participant
  /** The document is put together at once, but told of only when this is settled. */
  readonly announced?: Promise<unknown>
}

/** A 6, or a 7 when the document can't be put together. Runs in the document's turn. */
export async function saveByForce (
  parts: SessionParts,
  document: OpenDocument,
  { type = 'button', userdata, formData }: ForceSaveOptions,
  { presser, announced }: ForceSaver
): Promise<CallbackResult> {
  if (forceSavable(document) !== 'yes') return NOTHING_SENT
  const { key, forceSave } = document
  const changes = document.changes.length
  const saver = type === 'button' && presser !== undefined ? presser : lastChanger(document)!
  const isRepeated = forceSave?.changes === changes && forceSave.outcome === 'refused'
  const folder = isRepeated ? forceSave.folder : resultFolder(key)
  const byEditor = type !== 'command'
  if (byEditor) tell(document, { type: 'forceSaveStarted' })
  const built = await build(parts, document, folder)
  const common = {
    key,
    users: [saver.userId],
    actions: type === 'button' ? [{ type: 2, userid: saver.userId } as const] : undefined,
    userdata,
    lastsave: lastSave(document, parts.time.now()),
    forcesavetype: TYPES[type]
  }
  await announced
  if (built === 'failed' || 'corrupted' in built) {
    document.forceSave = { changes, outcome: 'failed', folder }
    const failed = await deliver(parts, saver.callbackUrl, { ...common, status: 7 })
    if (byEditor) tell(document, { type: 'forceSaved', accepted: false })
    return failed
  }
  const result = await deliver(parts, saver.callbackUrl, {
    ...common,
    status: 6,
    encrypted: isRepeated ? false : undefined,
    formsdataurl: type === 'form' ? formsDataUrl(parts, document, folder, saver, formData) : undefined,
    ...built.fields(saver.baseUrl)
  })
  document.forceSave = { changes, outcome: result.accepted ? 'accepted' : 'refused', folder }
  if (result.accepted) document.watch.accepted(built.edits, result)
  else parts.log.warn({ key, ...result }, 'the host refused a force save')
  if (byEditor) tell(document, { type: 'forceSaved', accepted: result.accepted })
  return result
}

function formsDataUrl ({ files }: SessionParts, { key }: OpenDocument, folder: string, { baseUrl }: Participant, formData: unknown): string {
  const path = files.put(`${folder}/formsdata.json`, 'formsdata.json', Buffer.from(JSON.stringify(formData ?? [])), 'json')
  return files.urlOf(path, baseUrl, key)
}
