import { setTimeout as delay } from 'node:timers/promises'
import { UpstreamError } from '../errors.js'
import type { Settings } from '../options.js'
import { discard, type Outbound } from '../outbound/outbound.js'
import { checkedContent } from './content-check.js'

export interface SavedFile {
  readonly url: URL
  /** Format of the bytes, when the document server names one: they are checked for it. */
  readonly filetype: string | undefined
}

/**
 * Fetches a saved file and hands its bytes on, again after a failure that may pass: no answer, an answer cut off, 408, 429,
 * 5xx. Rejects as `outbound` does, with `UpstreamError` for anything that is no document, or with what `consume` throws.
 */
export type Fetch = <Result>(file: SavedFile, consume: (content: AsyncIterable<Uint8Array>) => Promise<Result>) => Promise<Result>

/** 206 would be a part of the document, 204 and 205 none of it. */
const PARTIAL_OR_EMPTY: ReadonlySet<number> = new Set([204, 205, 206])

const FIRST_PAUSE_MS = 200

interface Dependencies {
  readonly outbound: Outbound
  readonly settings: Pick<Settings, 'saveRetries' | 'timeouts'>
  /** Ends what is under way when the service stops. */
  readonly stopping: AbortSignal
}

export function createFetch ({ outbound, settings: { saveRetries, timeouts }, stopping }: Dependencies): Fetch {
  return async function fetch (file, consume) {
    const started = performance.now()
    for (let retry = 0; ; retry++) {
      try {
        return await once(file, consume)
      } catch (error) {
        const elapsed = performance.now() - started
        if (retry >= saveRetries || !isTransient(error) || elapsed >= timeouts.total || stopping.aborted) throw error
      }
      await delay(FIRST_PAUSE_MS * 4 ** retry, undefined, { signal: stopping }).catch(() => {})
    }
  }

  async function once<Result> ({ url, filetype }: SavedFile, consume: (content: AsyncIterable<Uint8Array>) => Promise<Result>): Promise<Result> {
    const response = await outbound('callback', url, { signal: stopping })
    try {
      const { status } = response
      if (status < 200 || status > 299 || PARTIAL_OR_EMPTY.has(status)) {
        throw Object.assign(new UpstreamError(`status ${status} instead of a document`), { status })
      }
      return await consume(checkedContent(response.body, filetype, response.header('content-type')))
    } finally {
      discard(response.body)
    }
  }
}

function isTransient (error: unknown): boolean {
  const { code, status } = error as { readonly code?: unknown, readonly status?: number }
  if (code === 'FST_EDITOR_UPSTREAM_TIMEOUT') return true
  return code === 'FST_EDITOR_UPSTREAM' && (status === undefined || status === 408 || status === 429 || status >= 500)
}
