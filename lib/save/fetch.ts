import { setTimeout as delay } from 'node:timers/promises'
import type { HttpResponse } from '../../types/http.js'
import type { StagedContent } from '../../types/storage.js'
import { checkedContent } from '../document-server/content-check.js'
import { UpstreamError, UpstreamTimeoutError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import type { Services } from '../services.js'
import { spool } from '../storage/spool.js'
import { discard } from '../streams.js'
import { withTimeout } from '../with-timeout.js'
import type { SaveRequest } from './save-request.js'

export interface SavedFile extends Pick<SaveRequest, 'url' | 'filetype'> {
  /** Of the stored file. */
  readonly extension: string
  /** A page has named the URL and the format: see `OutboundRequest` and `checkedContent`. */
  readonly namedByPage?: boolean
}

type Consume<Result> = (content: AsyncIterable<Uint8Array>, response: Pick<HttpResponse, 'header'>) => Promise<Result>

/** Statuses of success without a complete document. */
const PARTIAL_OR_EMPTY: ReadonlySet<number> = new Set([204, 205, 206])

const FIRST_PAUSE_MS = 200

/** The save, which is staged, waits for the data of its changes. */
const TIME_FOR_CHANGES_MS = 10_000

export type Fetch = ReturnType<typeof createFetch>

export function createFetch ({ outbound, settings: { saveRetries, timeouts }, shutdown: { endSaves: signal } }: Services) {
  /**
   * Fetches a saved file and passes its bytes to `consume`; retries after a transient failure, all within `timeouts.total`.
   * Rejects as `Outbound` does, with `UpstreamError` when the response is no such document, or with what `consume` throws.
   */
  return async function fetch<Result> (file: SavedFile, consume: Consume<Result>): Promise<Result> {
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

  async function fetchOnce<Result> ({ url, filetype, extension, namedByPage = false }: SavedFile, consume: Consume<Result>, total: number): Promise<Result> {
    const response = await outbound('callback', url, { signal, total, namedByPage })
    try {
      const { status } = response
      if (status < 200 || status > 299 || PARTIAL_OR_EMPTY.has(status)) throw statusError(status, `status ${status} instead of a document`)
      const announced = { filetype, extension, mediaType: response.header('content-type'), length: response.length, namedByPage }
      return await consume(checkedContent(response.body, announced), response)
    } finally {
      discard(response.body)
    }
  }
}

export function createFetchChanges ({ storage, log }: Services, fetch: Fetch) {
  // Where the storage commits content and version in one write, it also stages the changes: that write is then a short one.
  const stage = storage.commit ? storage.stage : spool

  /**
   * Fetches and stages the document server's data of the changes in a save: a zip file, whose URL expires after 15 minutes.
   * `undefined` if there are none. Never rejects: a save is stored without them. Source: docs/document-server-protocol.md#version-history
   */
  return async function fetchChanges ({ fileId, changesUrl: url }: SaveRequest): Promise<StagedContent | undefined> {
    if (url === undefined) return undefined
    const staging = fetch({ url, filetype: 'zip', extension: 'zip' }, async content => await stage(fileId, content))
    try {
      return await withTimeout(async () => await staging, {
        milliseconds: TIME_FOR_CHANGES_MS,
        timeoutError: ms => new UpstreamTimeoutError(`the changes did not arrive within ${ms} ms`)
      })
    } catch (err) {
      staging.then(late => late.discard()).catch(() => {})
      log.warn({ err, fileId }, 'the changes in a save could not be fetched: the version history cannot show them')
      return undefined
    }
  }
}

/** Errors of the storage are not: some SDKs mark theirs with `retryable`, too, and have retried already. */
function isTransient (error: unknown): boolean {
  return (error instanceof UpstreamError || error instanceof UpstreamTimeoutError) && error.retryable
}
