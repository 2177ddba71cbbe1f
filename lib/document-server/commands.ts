import type { FastifyBaseLogger } from 'fastify'
import { isJsonObject, parseJson } from '../json.js'
import type { DocumentServerClient } from './client.js'

/** The document server's command service. */
export interface Commands {
  /**
   * Whether the document server has anything under a key: users, unsaved changes or a forgotten file. Resolves to `undefined`,
   * and logs why, when it gives no usable answer. Never call it where a callback of that key waits for the caller: the document
   * server posts one before it answers. Source: docs/document-server-protocol.md#commands
   */
  isKnown (key: string): Promise<boolean | undefined>
}

interface Dependencies {
  readonly client: DocumentServerClient
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** A page waits for the answer. */
const TIMEOUT_MS = 10_000

/** By the `error` of the response. Source: docs/document-server-protocol.md#commands */
const isKnownByError: ReadonlyMap<unknown, boolean> = new Map([[0, true], [1, false]])
const explanations: ReadonlyMap<unknown, string> = new Map([
  [5, 'it does not know the command'],
  [6, 'it rejects our token: jwtSecret must be its services.CoAuthoring.secret.inbox.string'],
  [7, 'our token has expired: compare the clocks']
])

export function createCommands ({ client, log }: Dependencies): Commands {
  return {
    async isKnown (key) {
      const isLive = await ask('info', key)
      return isLive === false ? await ask('getForgotten', key) : isLive
    }
  }

  async function ask (c: 'info' | 'getForgotten', key: string): Promise<boolean | undefined> {
    try {
      const { status, error } = await send({ c, key })
      const isKnown = isKnownByError.get(error)
      if (isKnown === undefined) log.warn({ command: c, status, code: error }, `the document server's command service gave no usable answer: ${explanations.get(error) ?? 'is there a document server at editorApiUrl?'}`)
      return isKnown
    } catch (err) {
      log.warn({ command: c, err }, 'the document server\'s command service could not be reached')
      return undefined
    }
  }

  /** Uses the older path, which every version serves. In a cluster `shardkey` routes to the server that has the document. */
  async function send (command: { readonly c: string, readonly key: string }): Promise<{ status: number, error?: unknown }> {
    const path = `/coauthoring/CommandService.ashx?${new URLSearchParams({ shardkey: command.key })}`
    const { status, text } = await client.post('command', path, command, AbortSignal.timeout(TIMEOUT_MS))
    const answer = parseJson(text)
    return isJsonObject(answer) ? { status, error: answer.error } : { status }
  }
}
