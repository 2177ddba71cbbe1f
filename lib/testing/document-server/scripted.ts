import { trustedConfig } from './config-token.js'
import { editorOf } from './editor.js'
import type { Sessions } from './sessions.js'
import type { EditorConfig, Session } from './types.js'
import type { Tokens } from './tokens.js'

/** Opens a document as a script: the same steps as a browser's, without one. */
export async function openScripted (sessions: Sessions, tokens: Tokens, baseUrl: string, config: EditorConfig): Promise<Session> {
  const trusted = trustedConfig(config, tokens)
  const editor = editorOf(sessions, await sessions.join(trusted, { baseUrl, notify: () => {} }))
  return {
    key: trusted.key,
    userId: editor.participant.userId,
    viewOnly: editor.participant.viewOnly,
    content: async () => Buffer.from(await editor.content()),
    edit: async (content, options) => await editor.replace(content, options?.fileType),
    forceSave: async options => await editor.forceSave(options?.userdata),
    close: async () => await editor.leave()
  }
}
