import type { EditorConfig } from '../../types/document-server.js'
import type { CallbackResult } from '../../types/session.js'
import { jsonOrText } from '../json.js'
import { isAccepted } from '../protocol/outbound/callbacks.js'
import { claimsOf, configIn } from './config-in.js'
import { type CheckOptions, Failure } from './types.js'

const ANSWER_WITHIN_MS = 10_000

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

export type Host = ReturnType<typeof hostOf>

/** The requests to the host, each with a deadline. They reject with a `Failure`. @param ending aborts all requests */
export function hostOf (
  { configUrl, contentUrl, headers: own }: Pick<CheckOptions, 'configUrl' | 'contentUrl' | 'headers'>,
  ending: AbortSignal
) {
  const urlOf = (template: string, n: number) => template.replaceAll('{n}', String(n))

  async function request (url: string, init: RequestInit): Promise<HostAnswer> {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    try {
      const response = await fetch(url, { redirect: 'manual', ...init, signal })
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    } catch (error) {
      const { name, message, cause } = error as Error & { cause?: { code?: string } }
      const reason = name === 'TimeoutError'
        ? `no answer within ${ANSWER_WITHIN_MS / 1000} s`
        : `no answer (${cause?.code ?? message})`
      throw new Failure(`an answer from ${url.split('?', 1)[0]}`, reason)
    }
  }

  async function own200 (name: string, url: string): Promise<HostAnswer> {
    // fetch() would send them to another origin, too
    const answer = await request(url, { headers: own, redirect: Object.keys(own).length > 0 ? 'manual' : 'follow' })
    if (answer.status !== 200) throw new Failure(`HTTP 200 from the ${name} URL`, `HTTP ${answer.status}`)
    return answer
  }

  return {
    async config (n: number): Promise<GivenConfig> {
      const { bytes, headers } = await own200('configuration', urlOf(configUrl, n))
      const config = configIn(bytes) as EditorConfig | undefined
      if (config === undefined) {
        throw new Failure(
          'an editor configuration with document.url as JSON or in a page',
          bytes.length === 0 ? 'an empty body' : 'something else'
        )
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
    content: async (n: number) => (await own200('content', urlOf(contentUrl, n))).bytes,
    get: async (url: string, headers: Readonly<Record<string, string>> = {}) => await request(url, { headers }),
    async post (url: string, body: string, headers: Readonly<Record<string, string>>): Promise<PostResult> {
      const { status, bytes, headers: answered } = await request(url, { method: 'POST', body, headers })
      const answer = jsonOrText(bytes)
      return { httpStatus: status, answer, accepted: isAccepted(status, answer), headers: answered }
    }
  }
}
