import type { EditorHttpResponse } from '../../types/http.js'
import { createCsvSaves } from '../csv/csv-saves.js'
import { checkedContent } from '../document-server/content-check.js'
import { isPlainText } from '../document-server/file-signatures.js'
import { UpstreamError, UpstreamTimeoutError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import type { Inspected, Services } from '../services.js'
import type { SessionServices, Snapshot } from '../sessions/record-store.js'
import type { StagedContent } from '../store/contract.js'
import { repeated, withTimeout } from '../util/limits.js'
import { createQueue, limitConcurrency, once } from '../util/queue.js'
import { discard } from '../util/streams.js'
import { withoutUndefined } from '../util/validate.js'
import { createCommitSave } from './commit.js'
import { createPublisher, type Published } from './publish.js'
import type { NothingToStore } from './rules.js'
import { hashOf, type SaveRequest } from './save-request.js'

export interface SavedFile extends Pick<SaveRequest, 'url' | 'fileType'> {
  /** Extension of the stored file. */
  readonly storedType: string
  /** Whether a page supplied the URL and the format: see `OutboundRequest` and `checkedContent`. */
  readonly namedByPage?: boolean
}

type Consume<Result> = (
  content: AsyncIterable<Uint8Array>, response: Pick<EditorHttpResponse, 'header'>
) => Promise<Result>

/** Success statuses without a complete document. */
const PARTIAL_OR_EMPTY: ReadonlySet<number> = new Set([204, 205, 206])

/** Time limit for the data of the changes, because the staged save waits for it. */
const TIME_FOR_CHANGES_MS = 10_000

export type Fetch = ReturnType<typeof createFetch>

function createFetch ({ outbound, settings: { saveRetries, timeouts }, shutdown: { endSaves: signal } }: Services) {
  /**
   * Fetches a saved file and passes its bytes to `consume`. Retries after a transient failure, all attempts within
   * `timeouts.total`. Rejects like `Outbound`, with `UpstreamError` if the response is not such a document, or with any
   * error of `consume`. A text file is accepted as empty only if it is empty twice, in complete responses without a
   * length: a proxy may lose the content once and still complete the response.
   */
  return async function fetch<Result> (file: SavedFile, consume: Consume<Result>): Promise<Result> {
    const seen = { empty: false }
    return await repeated(async timeLeft => await fetchOnce(file, consume, timeLeft, seen), {
      retries: saveRetries,
      total: timeouts.total,
      signal,
      isTransient: async attempted => await attempted.then(() => false, isTransient)
    })
  }

  async function fetchOnce<Result> (
    { url, fileType, storedType, namedByPage = false }: SavedFile, consume: Consume<Result>, total: number,
    seen: { empty: boolean }
  ): Promise<Result> {
    const response = await outbound('callback', url, { signal, total, namedByPage })
    try {
      const { status } = response
      if (status < 200 || status > 299 || PARTIAL_OR_EMPTY.has(status)) {
        throw statusError(status, `status ${status} instead of a document`)
      }
      const isChunked = /\bchunked\b/i.test(response.header('transfer-encoding') ?? '')
      const announced = {
        fileType,
        storedType,
        mediaType: response.header('content-type'),
        mayBeEmpty: response.length === 0 || (isChunked && seen.empty),
        namedByPage,
        mismatchError (found: string) {
          seen.empty = found === 'empty' && isChunked && isPlainText(fileType ?? '')
          return new UpstreamError(`the response is ${found}`, { retryable: seen.empty })
        }
      }
      return await consume(checkedContent(response.body, announced), response)
    } finally {
      discard(response.body)
    }
  }
}

function createFetchChanges ({ storage, log }: Services, fetch: Fetch) {
  /**
   * Fetches and stages the document server's data about the changes in a save: a zip file, whose URL expires after 15
   * minutes. Resolves to `undefined` if there is none. Never rejects, because a save can be stored without it. Source:
   * emulator/docs/document-server-protocol.md#version-history
   */
  return async function fetchChanges ({ fileId, changesUrl }: SaveRequest): Promise<StagedContent | undefined> {
    if (changesUrl === undefined) return undefined
    const staging = (async () => await fetch({ url: changesUrl(), fileType: 'zip', storedType: 'zip' }, async content =>
      await storage.stage(fileId, content)))()
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

/** Storage errors are excluded: some SDKs also set `retryable`, and have already retried. */
function isTransient (error: unknown): boolean {
  return (error instanceof UpstreamError || error instanceof UpstreamTimeoutError) && error.retryable
}

/** Where a save is stored, or why there is nothing to store. */
export type SaveOutcome = Published | NothingToStore

export interface SavedContents {
  /** What is stored. */
  readonly staged: StagedContent
  /** The content from the document server; the same as `staged`, unless `inspect` replaced it. */
  readonly fetched: StagedContent
  /** The document server's data about the changes. */
  readonly changes?: StagedContent | undefined
}

/** A save that has waited this long for its turn is fetched regardless. */
const MAX_WAIT_FOR_TURN_MS = 10_000

function inspectedOf ({ fileId, key, status, users, fileType }: SaveRequest, storedType: string): Inspected {
  const reason = status === 6 ? 'force-save' : 'save'
  return { fileId, reason, fileType: fileType ?? storedType, ...withoutUndefined({ key, users }) }
}

/** The saves of all files. */
export type Saves = ReturnType<typeof createSaves>

export function createSaves (services: SessionServices) {
  const { storage, recordStore, inspected, settings: { concurrentSaves, versions } } = services
  const fetch = createFetch(services)
  const fetchChanges = versions && createFetchChanges(services, fetch)
  const { stageSaved, documentOptions } = createCsvSaves(services)
  const commitSave = createCommitSave(services)
  const { publish, nothingToStore } = createPublisher(services, commitSave)
  const inTurn = limitConcurrency({ concurrency: concurrentSaves, maxWait: MAX_WAIT_FOR_TURN_MS })
  /** Keeps the callbacks of each file in order of arrival. */
  const queue = createQueue()
  return { save, store, fetch, inTurn, stageSaved, documentOptions, commitSave, queue }

  /**
   * Fetches and stores a save, completely or not at all. It is decided where to store it after fetching, immediately
   * before publishing. Resolves when the content is durable and the event was delivered. If it rejects, the stored
   * content is unchanged, unless the storage completes the write after reporting failure.
   */
  async function save (request: SaveRequest): Promise<SaveOutcome> {
    const early = await recordStore.read(request.fileId)
    const skipped = await nothingToStore(request, early)
    if (skipped !== undefined) return skipped

    const { fileType: storedType } = early.file!
    const { staged, changes } = await inTurn(async () => ({
      staged: await stageSaved(
        early.file!,
        async stage => await fetch({ ...request, storedType }, async content => await stage(content, request.fileType))
      ),
      changes: fetchChanges ? await fetchChanges(request) : undefined
    }))
    try {
      return await inspected(staged, inspectedOf(request, storedType), async content => {
        const shown = content === staged ? changes : undefined // they would show changes in the replaced content
        const contents = { staged: content, fetched: staged, changes: shown }
        return await store(request, contents, early)
      })
    } finally {
      await storage.discard(staged)
      if (changes) await storage.discard(changes)
    }
  }

  /**
   * Stores staged content like `save`, but does not discard it. `early`: a snapshot from before the content was
   * fetched. Publishing fails if the file or its record has changed since.
   */
  async function store (
    request: SaveRequest, { staged, fetched, changes }: SavedContents, early?: Snapshot
  ): Promise<SaveOutcome> {
    const isReplaced = staged !== fetched
    const hash = once(async () => await hashOf(services, fetched))
    return await recordStore.decide(request.fileId, 'a save was being published', async snapshot =>
      await nothingToStore(request, snapshot) ??
        await publish({
          request, staged, isReplaced, hash, changes, snapshot, current: snapshot.file!, isEarlyLook: snapshot === early
        }), early)
  }
}
