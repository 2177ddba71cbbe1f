import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { Agent, interceptors, request } from 'undici'
import type { Tokens } from './tokens.js'
import type { HostRequest } from './types.js'

export interface HostAnswer {
  readonly status: number
  readonly bytes: Buffer
}

/** Makes the requests a document server makes, and keeps a log of them. Rejects when there is no answer. */
export interface HostClient {
  readonly requests: readonly HostRequest[]
  get (url: string): Promise<HostAnswer>
  post (url: string, body: Record<string, unknown>, headerToken: string): Promise<HostAnswer>
  /** A token over the claims, valid for five minutes. */
  token (claims: object): string
  close (): Promise<void>
}

const MAX_REDIRECTIONS = 21
const DOWNLOAD_TIMEOUT_MS = 120_000
const CALLBACK_TIMEOUT_MS = 600_000
const MAX_ANSWER_BYTES = 1024 * 1024

export function hostClient (tokens: Tokens): HostClient {
  const agent = new Agent({ connect: { timeout: 10_000 } })
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTIONS }))
  const requests: HostRequest[] = []

  async function send (entry: HostRequest, timeout: number, limit: number, readBody: (bytes: Buffer) => unknown): Promise<HostAnswer> {
    requests.push(entry)
    try {
      const url = new URL(entry.url)
      url.username = url.password = ''
      const { statusCode, headers, body } = await request(url, {
        dispatcher,
        method: entry.method,
        headers: entry.headers,
        body: entry.body === null ? null : JSON.stringify(entry.body),
        headersTimeout: timeout,
        bodyTimeout: timeout
      })
      const bytes = decoded(await limited(body, limit), headers['content-encoding'])
      if (bytes.length > limit) throw tooLarge(limit)
      entry.answer = { status: statusCode, body: readBody(bytes) }
      return { status: statusCode, bytes }
    } catch (error) {
      entry.error = error as Error
      throw error
    }
  }

  return {
    requests,
    token: tokens.sign,
    async get (url) {
      const headers = { ...commonHeaders(), Authorization: authorization(url, tokens.sign({ payload: { url } })), ...acceptEncoding }
      return await send({ method: 'GET', url, headers, body: null, answer: null }, DOWNLOAD_TIMEOUT_MS, MAX_DOWNLOAD_BYTES, bytes => bytes)
    },
    async post (url, body, headerToken) {
      const { Accept, ...others } = commonHeaders()
      const headers = { Accept, 'Content-Type': 'application/json', ...others, Authorization: authorization(url, headerToken), ...acceptEncoding }
      return await send({ method: 'POST', url, headers, body, answer: null }, CALLBACK_TIMEOUT_MS, MAX_ANSWER_BYTES, jsonOrText)
    },
    async close () {
      await agent.close()
    }
  }
}

/** Source: the document server's limit of a download, 100 MB. */
const MAX_DOWNLOAD_BYTES = 104_857_600

export function isTooLarge (error: unknown): boolean {
  return error instanceof RangeError
}

export function jsonOrText (bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const acceptEncoding = { 'Accept-Encoding': 'gzip, compress, deflate, br' }

function commonHeaders () {
  return { Accept: 'application/json, text/plain, */*', 'User-Agent': 'Node.js/6.13', Connection: 'Keep-Alive' }
}

/** Credentials in the URL replace the token, as in the document server. */
function authorization (address: string, token: string): string {
  const { username, password } = new URL(address)
  if (username === '' && password === '') return `Bearer ${token}`
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function tooLarge (limit: number): RangeError {
  return new RangeError(`The answer exceeds ${limit} bytes`)
}

async function limited (body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decoded (bytes: Buffer, encoding: string | string[] | undefined): Buffer {
  const options = { maxOutputLength: MAX_DOWNLOAD_BYTES + 1 }
  switch (encoding) {
    case 'gzip': return gunzipSync(bytes, options)
    case 'deflate': return inflateSync(bytes, options)
    case 'br': return brotliDecompressSync(bytes, options)
    default: return bytes
  }
}
