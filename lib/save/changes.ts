import type { FastifyBaseLogger } from 'fastify'
import type { StagedContent, Storage } from '../../types/storage.js'
import { UpstreamTimeoutError } from '../errors.js'
import { withTimeout } from '../with-timeout.js'
import type { Fetch } from './fetch.js'
import type { SaveRequest } from './save-request.js'

/**
 * Fetches and stages the document server's data of the changes in a save; `undefined` if there are none. Never rejects: a save is
 * stored without them.
 */
export type FetchChanges = (request: SaveRequest) => Promise<StagedContent | undefined>

interface Dependencies {
  readonly fetch: Fetch
  /** Where the storage commits content and version in one write, it also stages the changes: that write is then a short one. */
  readonly stage: NonNullable<Storage['stage']>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** The save, which is staged, waits for them. */
const TIME_LIMIT_MS = 10_000

/** A zip file, whose URL expires after 15 minutes. Source: docs/document-server-protocol.md#version-history */
export function createFetchChanges ({ fetch, stage, log }: Dependencies): FetchChanges {
  return async function fetchChanges ({ fileId, changesUrl: url }) {
    if (url === undefined) return undefined
    const staging = fetch({ url, filetype: 'zip', extension: 'zip' }, async content => await stage(fileId, content))
    try {
      return await withTimeout(async () => await staging, { milliseconds: TIME_LIMIT_MS, timeoutError: ms => new UpstreamTimeoutError(`the changes did not arrive within ${ms} ms`) })
    } catch (err) {
      staging.then(late => late.discard()).catch(() => {})
      log.warn({ err, fileId }, 'the changes in a save could not be fetched: the version history cannot show them')
      return undefined
    }
  }
}
