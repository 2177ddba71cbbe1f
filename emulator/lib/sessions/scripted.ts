import { documentServerError } from '../errors.js'
import { NOTHING_SENT } from '../host/callbacks.js'
import { trustedConfig } from '../tokens/config-token.js'
import type { Tokens } from '../tokens/tokens.js'
import type { EditorConfig, UserConfig } from '../../types/document-server.js'
import { messages } from './messages.js'
import type { ParticipantEvent } from './documents.js'
import { editorOf } from './editor.js'
import type { Sessions } from './sessions.js'
import type { EditorEvent, Session } from '../../types/session.js'

/** An editor that the host dropped. Source: docs/document-server-protocol.md#the-configuration-and-its-token */
const DROPPED = 4007

/** Opens a document as a script: the same steps as a browser's, without one. */
export async function openScripted (sessions: Sessions, tokens: Tokens, baseUrl: string, given: EditorConfig, user?: UserConfig): Promise<Session> {
  const config = user === undefined ? given : { ...given, editorConfig: { ...given.editorConfig, user } }
  const trusted = trustedConfig(config, tokens)
  const events = messages<EditorEvent>()
  let isDropped = false
  const connection = {
    baseUrl,
    notify (event: ParticipantEvent) {
      if (event.type === 'operation' || event.type === 'content') return
      events.add(event)
      if (event.type !== 'dropped') return
      isDropped = true
      // An editor that is dropped closes.
      editor.leave().catch(() => {})
    }
  }
  const editor = editorOf(sessions, await sessions.open(trusted, connection))
  const { document } = editor

  function requireMember (): void {
    if (isDropped) throw documentServerError(DROPPED, 'The host has dropped this editor')
  }

  return {
    key: trusted.key,
    userId: editor.participant().userId,
    viewOnly: editor.participant().viewOnly,
    events: events.all,
    event: async type => await events.next(type),
    content: async () => Buffer.from(await editor.content()),
    async edit (content, options) {
      requireMember()
      await editor.replace(content, options?.fileType)
    },
    async forceSave (options) {
      requireMember()
      return await editor.forceSave(options)
    },
    async mailMerge (mail) {
      requireMember()
      return await editor.mailMerge(mail)
    },
    saved: async () => await document.watch.saved(),
    async close ({ abrupt = false } = {}) {
      if (!abrupt) return await editor.leave()
      await disconnect()
      return NOTHING_SENT
    },
    disconnect,
    async reconnect () {
      requireMember()
      await editor.reconnect(connection)
    }
  }

  async function disconnect (): Promise<void> {
    events.add({ type: 'disconnected' })
    await editor.disconnect()
  }
}
