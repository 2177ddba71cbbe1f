import { randomUUID } from 'node:crypto'
import { documentServerError, isDocumentServerError } from '../errors.js'
import { download } from '../host/download.js'
import type { TrustedConfig } from '../tokens/config-token.js'
import { aside } from './aside.js'
import { announce } from './delivery.js'
import { editors, type OpenDocument, type Participant, tell, userIds, usersOf } from './documents.js'
import { callbackUrlOf } from './leaving.js'
import type { SessionParts } from './parts.js'

/** How the document server reaches an editor. */
export type Connection = Pick<Participant, 'baseUrl' | 'notify'>

export interface Joined {
  readonly document: OpenDocument
  readonly participant: Participant
  /** The key was saved a short while ago: it is shown, but editing needs a new key. */
  readonly outdated: boolean
}

const VIEW_ONLY_AFTER_SAVE_MS = 300_000
const CACHED_MS = 86_400_000
const FAILED = -1
// Source: recorded message to the editor.
const HAS_FORGOTTEN = { type: 'warning', code: -201, message: 'File not assembled' } as const
const VERSION_CHANGED = 4008

/** Opens a document, or joins those who have it open. What is shown is loaded afterwards. Runs in the document's turn. */
export async function join (parts: SessionParts, document: OpenDocument, config: TrustedConfig, connection: Connection): Promise<Joined> {
  // Source: docs/document-server-protocol.md#opening-a-key-again; a viewer is shown what there is.
  const outdated = !config.viewOnly && isOutdated(parts, document)
  const userId = config.user.id ?? `uid-${randomUUID()}`
  const participant: Participant = {
    ...connection,
    connectionId: `${userId}${++document.joined}`,
    userId,
    userName: config.user.name,
    viewOnly: config.viewOnly || outdated,
    outdated,
    callbackUrl: config.callbackUrl
  }
  document.lastCallbackUrl = config.callbackUrl ?? document.lastCallbackUrl
  document.baseUrl = connection.baseUrl
  // Source: recorded; a viewer is not told.
  const hasForgotten = !participant.viewOnly && parts.forgotten.has(document.key)
  if (!outdated) await enter(parts, document, participant)
  if (hasForgotten) participant.notify(HAS_FORGOTTEN)
  if (!outdated && document.changes.length > 0) participant.notify({ type: 'unsavedChanges', count: document.changes.length })
  participant.notify({ type: 'joined', users: usersOf(document), hasForgotten })
  return { document, participant, outdated }
}

/** Loads what somebody who has joined is shown, once for all who wait for it. Rejects with a `DocumentServerError`. */
export async function show (parts: SessionParts, { document, participant, outdated }: Joined, config: TrustedConfig): Promise<void> {
  try {
    document.loading ??= aside(parts, async () => await load(parts, document, config)).finally(() => { document.loading = null })
    await document.loading
  } catch (error) {
    participant.notify({ type: 'failed', code: isDocumentServerError(error) ? error.code : FAILED })
    throw error
  }
  if (outdated) document.participants.set(participant.connectionId, participant)
  participant.notify({ type: 'ready', outdated })
}

/** Comes back after the connection was cut. Rejects with 4008 when the document is another one by now, or about to be. */
export async function rejoin (parts: SessionParts, document: OpenDocument | undefined, connectionId: string, connection: Connection): Promise<Joined> {
  const known = document?.disconnected.get(connectionId)
  if (document === undefined || known === undefined || (!known.viewOnly && isOutdated(parts, document))) throw documentServerError(VERSION_CHANGED, 'The document has been saved or closed since the connection was lost: open it again')
  document.disconnected.delete(connectionId)
  const participant = { ...known, ...connection }
  await enter(parts, document, participant)
  participant.notify({ type: 'joined', users: usersOf(document), hasForgotten: false })
  return { document, participant, outdated: false }
}

async function enter (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<void> {
  document.participants.set(participant.connectionId, participant)
  tell(document, { type: 'users', users: usersOf(document) }, participant)
  if (participant.viewOnly) return
  callOffSave(document)
  await announce(parts, document, callbackUrlOf(document, participant), {
    key: document.key,
    status: 1,
    users: userIds(editors(document)),
    actions: [{ type: 1, userid: participant.userId }]
  })
}

function callOffSave (document: OpenDocument): void {
  document.saving?.soon.abort()
  document.saving = null
}

/** What is cached, else the forgotten copy, else a download. */
async function load ({ forgotten, time, host }: SessionParts, document: OpenDocument, config: TrustedConfig): Promise<void> {
  const { opened, participants, changes } = document
  const isInUse = participants.size > 1 || changes.length > 0
  if (opened !== null && (isInUse || time.now() - opened.at <= CACHED_MS)) return
  const copy = forgotten.get(document.key)
  const { bytes, fileType } = copy ?? { bytes: await download(host, time, config.url, config.fileType), fileType: config.fileType }
  Object.assign(document, { fromForgotten: copy !== undefined, opened: { bytes, fileType, at: time.now() }, source: bytes, fileType, editable: null })
}

/** While a finished save is posted, and for a while after it was accepted. */
function isOutdated ({ time }: SessionParts, document: OpenDocument): boolean {
  if (document.sentAt === null) return false
  if (document.saving !== null || time.now() - document.sentAt < VIEW_ONLY_AFTER_SAVE_MS) return true
  Object.assign(document, { sentAt: null, opened: null })
  return false
}
