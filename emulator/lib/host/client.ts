import { Agent } from 'undici'
import type { Time } from '../clock/time.js'
import type { Tokens } from '../tokens/tokens.js'
import type { HostRequest } from '../../types/document-server.js'
import { jsonOrText } from '../json.js'
import { readAnswer } from './answer.js'
import { requestFollowing } from './redirects.js'

export interface HostAnswer {
  readonly status: number
  readonly bytes: Buffer
}

/** Makes the requests a document server makes, and keeps a log of them. Rejects when there is no answer. */
export interface HostClient {
  /** Whoever wants to keep fewer of them takes the oldest out. */
  readonly requests: HostRequest[]
  get (url: string): Promise<HostAnswer>
  post (url: string, body: Record<string, unknown>, headerToken: string): Promise<HostAnswer>
  /** A token over the claims, valid for five minutes. */
  token (claims: object): string
  /** Ends all that is under way and sends nothing more, until `revive`. */
  die (): void
  revive (): void
  /** Aborted when it dies. */
  life (): AbortSignal
  close (): Promise<void>
}

/** The server died: nobody gets to know how this request ended. */
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

export interface TokenHeader {
  readonly name: string
  readonly prefix: string
}

interface Dependencies {
  readonly tokens: Tokens
  readonly time: Time
  /** In which the token is sent. */
  readonly tokenHeader: TokenHeader
  /** Called with every request when its outcome is known. */
  readonly settled: (entry: HostRequest) => void
}

export function hostClient ({ tokens, time, tokenHeader, settled }: Dependencies): HostClient {
  const dispatcher = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
  const requests: HostRequest[] = []
  let alive = new AbortController()

  async function send (entry: HostRequest, timeout: number, limit: number, readBody: (bytes: Buffer) => unknown): Promise<HostAnswer> {
    const { signal: crashed } = alive
    if (crashed.aborted) throw new CrashedError()
    requests.push(entry)
    try {
      const url = new URL(entry.url)
      url.username = url.password = ''
      const body = entry.body === null ? null : JSON.stringify(entry.body)
      const { method, headers } = entry
      const answer = await time.during(async () => await time.limited(timeout, crashed, async signal =>
        await readAnswer(await requestFollowing(url, { method, headers, body }, { dispatcher, signal }), limit)))
      entry.answer = { status: answer.status, body: readBody(answer.bytes) }
      return answer
    } catch (error) {
      entry.error = error as Error
      throw crashed.aborted ? new CrashedError({ cause: error }) : error
    } finally {
      settled(entry)
    }
  }

  return {
    requests,
    token: claims => tokens.sign(claims),
    async get (url) {
      const headers = { ...commonHeaders(), ...credentials(url, tokens.sign({ payload: { url } }), tokenHeader), ...acceptEncoding }
      return await send({ method: 'GET', url, headers, body: null, answer: null }, DOWNLOAD_TIMEOUT_MS, MAX_DOWNLOAD_BYTES, bytes => bytes)
    },
    async post (url, body, headerToken) {
      const { Accept, ...others } = commonHeaders()
      const headers = { Accept, 'Content-Type': 'application/json', ...others, ...credentials(url, headerToken, tokenHeader), ...acceptEncoding }
      return await send({ method: 'POST', url, headers, body, answer: null }, CALLBACK_TIMEOUT_MS, MAX_ANSWER_BYTES, jsonOrText)
    },
    die () { alive.abort() },
    revive () { alive = new AbortController() },
    life: () => alive.signal,
    async close () {
      await dispatcher.close()
    }
  }
}

const acceptEncoding = { 'Accept-Encoding': 'gzip, compress, deflate, br' }

function commonHeaders () {
  return { Accept: 'application/json, text/plain, */*', 'User-Agent': 'Node.js/6.13', Connection: 'Keep-Alive' }
}

/** Credentials in the URL take the place of a token in `Authorization`, percent-encoded as they are there. Source: observed. */
function credentials (address: string, token: string, { name, prefix }: TokenHeader): Record<string, string> {
  const { username, password } = new URL(address)
  const withToken = { [name]: `${prefix}${token}` }
  if (username === '' && password === '') return withToken
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  return { ...(name.toLowerCase() === 'authorization' ? {} : withToken), Authorization: `Basic ${basic}` }
}
