import { Agent } from 'undici'
import type { Time } from '../clock/time.js'
import type { Tokens } from '../tokens/tokens.js'
import type { SentOperations, SentRequest } from '../../../types/document-server.js'
import { jsonOrText } from '../../json.js'
import { readAnswer } from './read-answer.js'
import { requestFollowing } from './redirects.js'

export interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

export type OutboundClient = ReturnType<typeof outboundClient>

/** The document server crashed: the outcome of the request is unknown. */
export class CrashedError extends Error {
  constructor (options?: ErrorOptions) {
    super('The document server has crashed', options)
  }
}

// Source: the document server's defaults.
const DOWNLOAD_TIMEOUT_MS = 120_000
const CALLBACK_TIMEOUT_MS = 600_000
const MAX_DOWNLOAD_BYTES = 104_857_600
const MAX_ANSWER_BYTES = 1024 * 1024

interface Dependencies {
  readonly tokens: Tokens
  readonly time: Time
  /** The header that carries the token. */
  readonly tokenHeader: { readonly name: string, readonly prefix: string }
  readonly operations: SentOperations
  /** Called for every request when its outcome is known. */
  readonly settled: (entry: SentRequest) => void
}

/** Makes the document server's requests and logs them. Rejects when there is no answer. */
export function outboundClient ({ tokens, time, tokenHeader, operations, settled }: Dependencies) {
  const dispatcher = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
  const requests: SentRequest[] = []
  let crash = new AbortController()

  async function send (
    entry: SentRequest,
    timeout: number,
    limit: number,
    readBody: (bytes: Buffer) => unknown
  ): Promise<Answer> {
    const { signal: crashed } = crash
    if (crashed.aborted) throw new CrashedError()
    requests.push(entry)
    try {
      const url = new URL(entry.url)
      url.username = url.password = ''
      const body = entry.body === null ? null : JSON.stringify(entry.body)
      const { method, headers } = entry
      const answer = await time.during(async () =>
        await time.limited(
          timeout,
          crashed,
          async signal =>
            await readAnswer(await requestFollowing(url, { method, headers, body }, { dispatcher, signal }), limit)
        )
      )
      entry.answer = { status: answer.status, body: readBody(answer.bytes) }
      return answer
    } catch (error) {
      entry.error = error as Error
      throw crashed.aborted ? new CrashedError({ cause: error }) : error
    } finally {
      settled(entry)
    }
  }

  /** A token over the claims, valid for five minutes; `undefined` if requests carry none. */
  const token = (claims: object) => tokens.areSent ? tokens.sign(claims) : undefined

  return {
    /** Complete; the request log removes the oldest entries to keep its limit. */
    requests,
    token,
    /** The claims `operation` of the tokens that it sends. */
    operations,
    /** @param options.signed with a token for the URL, if requests carry one */
    async get (url: string, { signed = true }: { readonly signed?: boolean } = {}): Promise<Answer> {
      const headers = {
        ...commonHeaders(),
        ...credentials(
          url,
          signed ? token({ payload: { url }, ...named(operations.download) }) : undefined,
          tokenHeader
        ),
        ...acceptEncoding
      }
      return await send(
        { method: 'GET', url, headers, body: null, answer: null },
        DOWNLOAD_TIMEOUT_MS,
        MAX_DOWNLOAD_BYTES,
        bytes => bytes
      )
    },
    async post (url: string, body: Record<string, unknown>, headerToken: string | undefined): Promise<Answer> {
      const { Accept, ...others } = commonHeaders()
      const headers = {
        Accept,
        'Content-Type': 'application/json',
        ...others,
        ...credentials(url, headerToken, tokenHeader),
        ...acceptEncoding
      }
      return await send(
        { method: 'POST', url, headers, body, answer: null },
        CALLBACK_TIMEOUT_MS,
        MAX_ANSWER_BYTES,
        jsonOrText
      )
    },
    /** Aborts every request under way and sends nothing more until `restart`. */
    crash: () => crash.abort(),
    restart: () => { crash = new AbortController() },
    /** Aborted by the next crash. */
    crashSignal: (): AbortSignal => crash.signal,
    close: async () => await dispatcher.close()
  }
}

/** The claim for an operation. */
export function named (operation: string | undefined): { readonly operation?: string } {
  return operation === undefined ? {} : { operation }
}

const acceptEncoding = { 'Accept-Encoding': 'gzip, compress, deflate, br' }

function commonHeaders () {
  return { Accept: 'application/json, text/plain, */*', 'User-Agent': 'Node.js/6.13', Connection: 'Keep-Alive' }
}

/** Credentials in the URL replace a token in `Authorization` and keep their percent-encoding. Source: observed. */
function credentials (
  target: string,
  token: string | undefined,
  { name, prefix }: Dependencies['tokenHeader']
): Record<string, string> {
  const { username, password } = new URL(target)
  const withToken: Record<string, string> = token === undefined ? {} : { [name]: `${prefix}${token}` }
  if (username === '' && password === '') return withToken
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  return { ...(name.toLowerCase() === 'authorization' ? {} : withToken), Authorization: `Basic ${basic}` }
}
