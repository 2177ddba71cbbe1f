import type { EditorConfig } from '../../types/document-server.js'
import type { CallbackResult } from '../../types/session.js'
import { jsonOrText } from '../json.js'
import { isAccepted } from '../protocol/outbound/callbacks.js'
import { toUrl } from '../url.js'
import { claimsOf, configIn } from './config-in.js'
import { type CheckOptions, Failure } from './types.js'

const ANSWER_WITHIN_MS = 10_000
const MAX_DOCUMENT_BYTES = 100 * 1024 * 1024
const MAX_ANSWER_BYTES = 10 * 1024 * 1024
const MAX_REDIRECTS = 10

/** A configuration, and the same with the values that its token signs. */
export interface GivenConfig {
  readonly config: EditorConfig
  readonly signed: EditorConfig
  readonly headers: Headers
}

export interface HostAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** The answer to a callback that a scenario has posted. */
export interface PostResult extends Omit<CallbackResult, 'status'> {
  readonly headers: Headers
}

/** The requests to the host, each with a deadline. They reject with a `Failure`. */
export interface Host {
  config (n: number): Promise<GivenConfig>
  content (n: number): Promise<Buffer>
  get (url: string, headers?: Readonly<Record<string, string>>): Promise<HostAnswer>
  post (url: string, body: string, headers: Readonly<Record<string, string>>): Promise<PostResult>
}

/** @param ending aborts all requests */
export function hostOf (
  { configUrl, contentUrl, headers: own }: Pick<CheckOptions, 'configUrl' | 'contentUrl' | 'headers'>,
  ending: AbortSignal
): Host {
  const urlOf = (template: string, n: number) => template.replaceAll('{n}', String(n))

  const deadline = () => AbortSignal.any([ending, AbortSignal.timeout(ANSWER_WITHIN_MS)])

  async function request (
    url: string,
    init: RequestInit,
    { limit = MAX_ANSWER_BYTES, signal = deadline() }: { readonly limit?: number, readonly signal?: AbortSignal } = {}
  ): Promise<HostAnswer> {
    const expected = `an answer from ${url.split('?', 1)[0]}`
    try {
      const response = await fetch(url, { ...init, signal, redirect: 'manual' })
      const parts: Uint8Array[] = []
      let length = 0
      for await (const part of response.body ?? []) {
        length += part.length
        if (length > limit) throw new Failure(expected, `more than ${limit / 1024 / 1024} MB`)
        parts.push(part)
      }
      return { status: response.status, headers: response.headers, bytes: Buffer.concat(parts) }
    } catch (error) {
      if (error instanceof Failure) throw error
      const { name, message, cause } = error as Error & { cause?: { code?: string } }
      const reason = name === 'TimeoutError'
        ? `no answer within ${ANSWER_WITHIN_MS / 1000} s`
        : `no answer (${cause?.code ?? message})`
      throw new Failure(expected, reason)
    }
  }

  /** Follows redirects, all within the time of one answer. The user's headers are for the origin of the URL alone. */
  async function own200 (name: string, url: string, limit: number): Promise<HostAnswer> {
    const signal = deadline()
    let current = new URL(url)
    let headers = own
    for (let redirects = 0; ; redirects++) {
      const answer = await request(current.href, { headers }, { limit, signal })
      if (answer.status === 200) return answer
      const location = answer.headers.get('location')
      const target = /^30[12378]$/.test(String(answer.status)) && location !== null && redirects < MAX_REDIRECTS
        ? toUrl(location, current)
        : undefined
      if (target === undefined || !/^https?:$/.test(target.protocol)) {
        throw new Failure(`HTTP 200 from the ${name} URL`, `HTTP ${answer.status}`)
      }
      if (target.origin !== current.origin) headers = {}
      current = target
    }
  }

  return {
    async config (n) {
      const { bytes, headers } = await own200('configuration', urlOf(configUrl, n), MAX_ANSWER_BYTES)
      const config = configIn(bytes) as EditorConfig | undefined
      if (config === undefined) {
        throw new Failure('an editor configuration with document.url as JSON or in a page', bytes.length === 0 ? 'an empty body' : 'something else')
      }
      const claims = claimsOf(config.token) as EditorConfig
      return {
        config,
        headers,
        signed: {
          ...config,
          ...claims,
          document: { ...config.document, ...claims.document },
          editorConfig: { ...config.editorConfig, ...claims.editorConfig }
        }
      }
    },
    content: async n => (await own200('content', urlOf(contentUrl, n), MAX_DOCUMENT_BYTES)).bytes,
    get: async (url, headers = {}) => await request(url, { headers }, { limit: MAX_DOCUMENT_BYTES }),
    async post (url, body, headers) {
      const { status, bytes, headers: answered } = await request(url, { method: 'POST', body, headers })
      const answer = jsonOrText(bytes)
      return { httpStatus: status, answer, accepted: isAccepted(status, answer), headers: answered }
    }
  }
}
