import type { FastifyBaseLogger } from 'fastify'
import { bytesOf } from '../outbound/limited-body.js'
import type { Outbound } from '../outbound/outbound.js'
import { discard } from '../readable.js'
import type { TokenSigner } from './token.js'

/** Asks the document server's command service. */
export interface Commands {
  /**
   * Whether the document server still has something under a key: people, unsaved changes or a file whose save was refused.
   * Resolves to `undefined` when it does not say, which is logged. Never call it while a callback of that key waits for the
   * caller: the document server posts one before it answers. Source: docs/document-server-protocol.md#commands
   */
  isKnown (key: string): Promise<boolean | undefined>
}

interface Dependencies {
  readonly outbound: Outbound
  readonly tokens: TokenSigner
  readonly editorApiUrl: URL
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

const ANSWER_LIMIT = 1024 * 1024
/** A page waits for it. */
const TIMEOUT_MS = 10_000

/** Source: docs/document-server-protocol.md#commands */
const answers: ReadonlyMap<unknown, boolean> = new Map([[0, true], [1, false]])
const faults: ReadonlyMap<unknown, string> = new Map([
  [5, 'it does not know the command'],
  [6, 'it does not accept our token: jwtSecret must be its services.CoAuthoring.secret.inbox.string'],
  [7, 'our token has expired for it: compare the clocks']
])

export function createCommands ({ outbound, tokens, editorApiUrl, log }: Dependencies): Commands {
  return {
    async isKnown (key) {
      const isLive = await ask('info', key)
      return isLive === false ? await ask('getForgotten', key) : isLive
    }
  }

  async function ask (c: 'info' | 'getForgotten', key: string): Promise<boolean | undefined> {
    try {
      const { status, error } = await send(c, key)
      const answer = answers.get(error)
      if (answer === undefined) log.warn({ command: c, status, code: error }, `the document server's command service gave no usable answer: ${faults.get(error) ?? 'is there a document server at editorApiUrl?'}`)
      return answer
    } catch (err) {
      log.warn({ command: c, err }, 'the document server\'s command service could not be asked')
      return undefined
    }
  }

  async function send (c: string, key: string): Promise<{ status: number, error?: unknown }> {
    const command = { c, key }
    const { status, body } = await outbound('command', commandUrl(key), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.sign({ payload: command })}` },
      body: JSON.stringify({ ...command, token: tokens.sign(command) }),
      limit: ANSWER_LIMIT,
      signal: AbortSignal.timeout(TIMEOUT_MS)
    })
    if (status !== 200) {
      discard(body)
      return { status }
    }
    const answer = jsonIn((await bytesOf(body)).toString('utf8'))
    return typeof answer === 'object' && answer !== null && 'error' in answer ? { status, error: answer.error } : { status }
  }

  /** The older address: every version answers there. In a cluster `shardkey` leads to the server that has the document. */
  function commandUrl (key: string): URL {
    const url = new URL('/coauthoring/CommandService.ashx', editorApiUrl.origin)
    url.searchParams.set('shardkey', key)
    return url
  }
}

function jsonIn (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no cause for the log: its message quotes the text
  }
}
