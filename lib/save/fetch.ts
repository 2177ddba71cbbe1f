import { setTimeout as delay } from 'node:timers/promises'
import { UpstreamError } from '../errors.js'
import type { Settings } from '../options.js'
import { finalFailure, isFinalFailure } from '../outbound/final-failure.js'
import type { Outbound } from '../outbound/outbound.js'
import { discard } from '../readable.js'
import { checkedContent } from './content-check.js'

export interface SavedFile {
  readonly url: URL
  /** Format of the bytes, when the document server names one: they are checked for it. */
  readonly filetype: string | undefined
  /** Of the stored file. */
  readonly extension: string
}

/**
 * Fetches a saved file and hands its bytes on, again after a failure that may pass: no answer, an answer cut off, 408, 429,
 * 5xx. All of it ends within `timeouts.total`. Rejects as `outbound` does, with `UpstreamError` for anything that is no
 * document, or with what `consume` throws.
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
    const end = performance.now() + timeouts.total
    let rest = timeouts.total
    for (let retry = 0; ; retry++) {
      const pause = FIRST_PAUSE_MS * 4 ** retry
      try {
        return await once(file, consume, rest)
      } catch (error) {
        rest = Math.floor(end - performance.now() - pause)
        if (retry >= saveRetries || !isTransient(error) || rest < 1 || stopping.aborted) throw error
      }
      await delay(pause, undefined, { signal: stopping }).catch(() => {})
    }
  }

  async function once<Result> ({ url, filetype, extension }: SavedFile, consume: (content: AsyncIterable<Uint8Array>) => Promise<Result>, total: number): Promise<Result> {
    const response = await outbound('callback', url, { signal: stopping, total })
    try {
      const { status } = response
      if (status < 200 || status > 299 || PARTIAL_OR_EMPTY.has(status)) {
        const failure = new UpstreamError(`status ${status} instead of a document`)
        throw mayPass(status) ? failure : finalFailure(failure)
      }
      return await consume(checkedContent(response.body, { filetype, extension, mediaType: response.header('content-type'), length: response.length }))
    } finally {
      discard(response.body)
    }
  }
}

function mayPass (status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function isTransient (error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return (code === 'FST_EDITOR_UPSTREAM' || code === 'FST_EDITOR_UPSTREAM_TIMEOUT') && !isFinalFailure(error as Error)
}
