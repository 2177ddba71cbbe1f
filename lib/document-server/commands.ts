import { bytesOf } from '../outbound/limited-body.js'
import { discard, type Outbound } from '../outbound/outbound.js'
import type { TokenSigner } from './token.js'

/** Asks the document server's command service. */
export interface Commands {
  /**
   * Whether the document server still has something under a key: people, unsaved changes or a file whose save was refused.
   * Resolves to true when it does not say. Never call it while a callback of that key waits for the caller: the document
   * server posts one before it answers (protocol, section 7).
   */
  isKnown (key: string): Promise<boolean>
}

interface Dependencies {
  readonly outbound: Outbound
  readonly tokens: TokenSigner
  readonly editorApiUrl: URL
}

const ANSWER_LIMIT = 1024 * 1024
/** A page waits for it. */
const TIMEOUT_MS = 10_000
/** Source: protocol, section 7. */
const UNKNOWN_KEY = 1

export function createCommands ({ outbound, tokens, editorApiUrl }: Dependencies): Commands {
  // The older address: every version answers there.
  const commandUrl = new URL('/coauthoring/CommandService.ashx', editorApiUrl.origin)

  return {
    async isKnown (key) {
      return await errorOf('info', key) !== UNKNOWN_KEY || await errorOf('getForgotten', key) !== UNKNOWN_KEY
    }
  }

  /** `undefined` when there is no answer that can be understood. */
  async function errorOf (c: 'info' | 'getForgotten', key: string): Promise<unknown> {
    try {
      const command = { c, key }
      const response = await outbound('command', commandUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.sign({ payload: command })}` },
        body: JSON.stringify({ ...command, token: tokens.sign(command) }),
        limit: ANSWER_LIMIT,
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      if (response.status !== 200) {
        discard(response.body)
        return undefined
      }
      const answer: unknown = JSON.parse((await bytesOf(response.body)).toString('utf8'))
      return typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined
    } catch {
      return undefined
    }
  }
}
