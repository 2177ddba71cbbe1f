import { setTimeout as delay } from 'node:timers/promises'
import type { HttpResponse } from '../../types/http.js'
import { checkedContent } from '../document-server/content-check.js'
import { UpstreamError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { type Outbound, statusError } from '../outbound/outbound.js'
import { discard } from '../streams.js'

export interface SavedFile {
  readonly url: URL
  /** Format of the bytes, if the document server announced it. */
  readonly filetype: string | undefined
  /** Extension of the stored file. */
  readonly extension: string
}

type Consume<Result> = (content: AsyncIterable<Uint8Array>, response: Pick<HttpResponse, 'header'>) => Promise<Result>

/**
 * Fetches a saved file and passes its bytes to `consume`; retries after a transient failure, all within `timeouts.total`.
 * Rejects as `Outbound` does, with `UpstreamError` when the response is no such document, or with what `consume` throws.
 */
export type Fetch = <Result>(file: SavedFile, consume: Consume<Result>) => Promise<Result>

/** Statuses of success without a complete document. */
const PARTIAL_OR_EMPTY: ReadonlySet<number> = new Set([204, 205, 206])

const FIRST_PAUSE_MS = 200

interface Dependencies {
  readonly outbound: Outbound
  readonly settings: Pick<Settings, 'saveRetries' | 'timeouts'>
  /** Ends the download and all further attempts. */
  readonly signal: AbortSignal
}

export function createFetch ({ outbound, settings: { saveRetries, timeouts }, signal }: Dependencies): Fetch {
  return async function fetch (file, consume) {
    const end = performance.now() + timeouts.total
    let timeLeft = timeouts.total
    for (let retry = 0; ; retry++) {
      const pause = FIRST_PAUSE_MS * 4 ** retry
      try {
        return await fetchOnce(file, consume, timeLeft)
      } catch (error) {
        timeLeft = Math.floor(end - performance.now() - pause)
        if (retry >= saveRetries || !isTransient(error) || timeLeft < 1 || signal.aborted) throw error
      }
      await delay(pause, undefined, { signal }).catch(() => {})
    }
  }

  async function fetchOnce<Result> ({ url, filetype, extension }: SavedFile, consume: Consume<Result>, total: number): Promise<Result> {
    const response = await outbound('callback', url, { signal, total })
    try {
      const { status } = response
      if (status < 200 || status > 299 || PARTIAL_OR_EMPTY.has(status)) throw statusError(status, `status ${status} instead of a document`)
      return await consume(checkedContent(response.body, { filetype, extension, mediaType: response.header('content-type'), length: response.length }), response)
    } finally {
      discard(response.body)
    }
  }
}

/** Errors of the storage are not: some SDKs mark theirs with `retryable`, too, and have retried already. */
function isTransient (error: unknown): boolean {
  return (error instanceof UpstreamError || error instanceof UpstreamTimeoutError) && error.retryable
}
