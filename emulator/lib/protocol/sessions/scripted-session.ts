import type { EditingEvent } from '../../editing.js'
import { documentServerError } from '../../errors.js'
import { NOTHING_SENT } from '../outbound/callbacks.js'
import { trustedConfig } from '../tokens/config-token.js'
import type { Tokens } from '../tokens/tokens.js'
import { baseUrlOf, headersFor } from '../../url.js'
import type { ConnectionOptions, EditorConfig, UserConfig } from '../../../types/document-server.js'
import { waitingQueue } from '../waiting-queue.js'
import { editorOf } from './editor.js'
import type { Sessions } from './sessions.js'
import type { EditorEvent, EventOf, Session } from '../../../types/session.js'

/** Source: docs/document-server-protocol.md#the-configuration-and-its-token */
const DENIED = 4004
const DROPPED = 4007

/** Opens a document from a script, in the same steps as an editor page. */
export async function openScriptedSession (
  sessions: Sessions,
  tokens: Tokens,
  serverUrl: string,
  given: EditorConfig,
  user?: UserConfig,
  { headers = {} }: ConnectionOptions = {}
): Promise<Session> {
  if (typeof given !== 'object' || given === null) throw new TypeError(`open() needs the configuration of an editor, an object. It got ${given === null ? 'null' : `a value of type ${typeof given}`}. Has your application opened a document?`)
  if (!areHeaders(headers)) throw new TypeError(`headers must be an object of texts. open() got ${JSON.stringify(headers)}`)
  const config = user === undefined ? given : { ...given, editorConfig: { ...given.editorConfig, user } }
  const trusted = trustedConfig(config, tokens)
  const events: EditorEvent[] = []
  const unread = waitingQueue<EditorEvent>()
  let isDropped = false
  let isConnected = true
  const connection = {
    baseUrl: baseUrlOf({ ...headersFor(serverUrl), ...Object.fromEntries(new Headers(headers)) }),
    notify (event: EditingEvent) {
      if (!isConnected || event.type === 'operation' || event.type === 'content') return
      report(event)
      if (event.type !== 'dropped') return
      isDropped = true
      leave()
    }
  }
  /** A dropped editor closes; while it is being opened, as soon as it is open. */
  let leave = () => {}
  const editor = editorOf(
    sessions,
    await sessions.open(trusted, connection).catch((error: Error) => {
      throw Object.assign(error, { events })
    })
  )
  const { document } = editor
  leave = () => { editor.leave().catch(() => {}) }
  if (isDropped) leave()

  function requireNotDropped (): void {
    if (isDropped) throw documentServerError(DROPPED, 'This editor was dropped')
  }

  return {
    key: trusted.key,
    userId: editor.participant().userId,
    viewOnly: editor.participant().viewOnly,
    events,
    nextEvent: async type => await unread.next(event => event.type === type) as EventOf<typeof type>,
    content: async () => Buffer.from(await editor.content()),
    async edit (content, options) {
      requireNotDropped()
      if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
        throw new TypeError('edit() needs the new content, as a string or Uint8Array')
      }
      const { userName, viewOnly } = editor.participant()
      if (viewOnly) {
        // Source: recorded.
        report({ type: 'failed', code: DENIED, description: 'access deny' })
        await disconnect()
        throw documentServerError(DENIED, `${userName} has opened the document for viewing only`)
      }
      await editor.replace(content, options?.fileType)
    },
    async forceSave (options) {
      requireNotDropped()
      return await editor.forceSave(options)
    },
    saved: async () => await document.saves.untilSaved(),
    async close ({ abrupt = false } = {}) {
      if (!abrupt) return await editor.leave()
      await disconnect()
      return NOTHING_SENT
    },
    disconnect,
    async reconnect () {
      requireNotDropped()
      isConnected = true
      await editor.reconnect(connection)
    }
  }

  function report (event: EditorEvent): void {
    events.push(event)
    unread.add(event)
  }

  async function disconnect (): Promise<void> {
    report({ type: 'disconnected' })
    isConnected = false
    await editor.disconnect()
  }
}

function areHeaders (value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(one => typeof one === 'string')
}
