import { randomUUID } from 'node:crypto'
import { plainSourceOf, readablePlain } from '../../documents/plain-source.js'
import { NEEDS_PASSWORD, whyUnreadable } from '../../documents/unreadable.js'
import type { Connection } from '../../editing.js'
import { documentServerError, isDocumentServerError } from '../../errors.js'
import { download } from '../outbound/download.js'
import type { TrustedConfig } from '../tokens/config-token.js'
import { callbackUrlOf, startPresence } from './callbacks.js'
import type { OpenDocument } from './open-document.js'
import type { Parts } from '../parts.js'
import { editors, notifyAll, type Participant, userIds, usersOf } from './participants.js'

export interface Joined {
  readonly document: OpenDocument
  readonly participant: Participant
  /** The key was saved a short while ago: the document is shown, but editing needs a new key. */
  readonly outdated: boolean
}

const VIEW_ONLY_AFTER_SAVE_MS = 300_000
const CACHED_MS = 86_400_000
const UNKNOWN_ERROR = -1
// Source: recorded message to the editor.
const HAS_FORGOTTEN = { type: 'warning', code: -201, message: 'File not assembled' } as const
const VERSION_CHANGED = 4008
// Source: observed.
const NAME_MAX_LENGTH = 255

/** Adds a participant. The content is loaded afterwards, by `loadFor`. Runs in the document's turn. */
export async function join (
  parts: Parts,
  document: OpenDocument,
  config: TrustedConfig,
  connection: Connection
): Promise<Joined> {
  // Source: docs/document-server-protocol.md#opening-a-key-again; viewers can always open it.
  const outdated = !config.viewOnly && isKeyViewOnly(parts, document)
  const userId = config.user.id ?? `uid-${randomUUID()}`
  const participant: Participant = {
    ...connection,
    connectionId: `${userId}${document.connectionOpened(config.callbackUrl, connection.baseUrl)}`,
    userId,
    userName: config.user.name.slice(0, NAME_MAX_LENGTH),
    viewOnly: config.viewOnly || outdated,
    outdated,
    callbackUrl: config.callbackUrl
  }
  // Source: recorded. Viewers are not notified.
  const hasForgotten = !participant.viewOnly && parts.forgotten.has(document.key)
  if (!outdated) await enter(parts, document, participant)
  if (hasForgotten) participant.notify(HAS_FORGOTTEN)
  if (!outdated && document.changes.length > 0) {
    participant.notify({ type: 'unsavedChanges', count: document.changes.length })
  }
  participant.notify({ type: 'joined', users: usersOf(document), hasForgotten })
  return { document, participant, outdated }
}

/**
 * Loads the content for a participant who has joined, once for all who wait for it. Rejects with a
 * `DocumentServerError`.
 */
export async function loadFor (
  parts: Parts,
  { document, participant, outdated }: Joined,
  config: TrustedConfig
): Promise<void> {
  try {
    await document.loadOnce(async () => await parts.tasks.alongside(async () => await load(parts, document, config)))
  } catch (error) {
    participant.notify({
      type: 'failed',
      code: isDocumentServerError(error) ? error.code ?? UNKNOWN_ERROR : UNKNOWN_ERROR
    })
    throw error
  }
  if (outdated) document.enter(participant)
  participant.notify({ type: 'ready', outdated })
}

/**
 * Lets a participant whose connection was cut come back. Rejects with code 4008 when the document has been saved or
 * removed since, or is being saved.
 */
export async function rejoin (
  parts: Parts,
  document: OpenDocument | undefined,
  connectionId: string,
  connection: Connection
): Promise<Joined> {
  const known = document?.disconnected.get(connectionId)
  if (document === undefined || known === undefined || (!known.viewOnly && isKeyViewOnly(parts, document))) {
    throw documentServerError(
      VERSION_CHANGED,
      'The document was saved or closed after the connection was lost: open it again'
    )
  }
  const participant = { ...known, ...connection }
  await enter(parts, document, participant)
  participant.notify({ type: 'joined', users: usersOf(document), hasForgotten: false })
  return { document, participant, outdated: false }
}

async function enter (parts: Parts, document: OpenDocument, participant: Participant): Promise<void> {
  document.enter(participant)
  notifyAll(document, { type: 'users', users: usersOf(document) }, participant)
  if (participant.viewOnly) return
  document.cancelSave()
  await startPresence(parts, document, callbackUrlOf(document, participant), {
    key: document.key,
    status: 1,
    users: userIds(editors(document)),
    actions: [{ type: 1, userid: participant.userId }]
  })
}

/** Takes the content from the cache, else from a forgotten file, else downloads it. */
async function load (parts: Parts, document: OpenDocument, config: TrustedConfig): Promise<void> {
  const { forgotten, time } = parts
  const { loaded, participants, changes } = document
  const isInUse = participants.size > 1 || changes.length > 0
  if (loaded !== null && (isInUse || time.now() - loaded.loadedAt <= CACHED_MS)) return
  const forgottenFile = forgotten.get(document.key)
  const { bytes, fileType } = forgottenFile ??
    { bytes: await converted(parts, document, config), fileType: config.fileType }
  document.contentLoaded({ bytes, fileType, loadedAt: time.now() }, forgottenFile !== undefined)
}

/**
 * Downloads the content and converts it for the editor. A failed conversion stays with the key for good; a missing
 * password does not.
 */
async function converted (
  { client, faults, time }: Parts,
  document: OpenDocument,
  { url, fileType, options }: TrustedConfig
): Promise<Uint8Array> {
  const failed = (code: number) =>
    documentServerError(code, `The document could not be converted for the editor: ${code}`)
  if (document.failure !== null) throw failed(document.failure)
  const bytes = await download(client, time, url, fileType)
  const code = faults.take('opening')?.error ?? whyUnreadable(bytes, fileType)
  if (code === null) return readablePlain(bytes, fileType, plainSourceOf(options))
  if (code !== NEEDS_PASSWORD) document.openingFailed(code)
  throw failed(code)
}

/** True while a finished save is posted and for five minutes after it was accepted. */
function isKeyViewOnly ({ time }: Parts, document: OpenDocument): boolean {
  if (document.viewOnlySince === null) return false
  if (document.save !== null || time.now() - document.viewOnlySince < VIEW_ONLY_AFTER_SAVE_MS) return true
  document.reopenKey()
  return false
}
