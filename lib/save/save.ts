import type { FileInfo, Storage } from '../../types/storage.js'
import { FileNotFoundError, UpstreamError } from '../errors.js'
import type { Settings } from '../options.js'
import { discard, type Outbound } from '../outbound/outbound.js'
import type { SaveQueue } from './queue.js'
import type { Save, Sessions } from './sessions.js'

export interface SaveDependencies {
  readonly storage: Storage
  readonly outbound: Outbound
  readonly queue: SaveQueue
  readonly sessions: Sessions
  readonly settings: Pick<Settings, 'onMissingFile' | 'onFormatChange'>
}

export interface SaveRequest {
  readonly fileId: string
  readonly status: 2 | 6
  readonly url: URL
  /** Absent in a callback that carries none, which only the `classic` profile accepts. */
  readonly key: string | undefined
  /** When the document was changed last, when the document server says so. */
  readonly lastsave: string | undefined
  /** Format of the bytes at `url`, when the document server names one. */
  readonly filetype: string | undefined
}

/** 206 would be a part of the document, 204 and 205 none of it. */
const PARTIAL_OR_EMPTY: ReadonlySet<number> = new Set([204, 205, 206])

export interface SavePlace {
  /**
   * Stores what the document server saved: after the saves of this file that came before, if it is not outdated and the
   * file still exists, streamed and all or nothing. Resolves when the content is durable, to `null` when there was
   * nothing to store. Any rejection leaves the stored content as it was. Leaves the place.
   */
  save (request: SaveRequest): Promise<FileInfo | null>
  leave (): void
}

export interface Saves {
  /** Takes a place among the saves of a file. Whoever takes one must leave it. */
  enter (fileId: string): SavePlace
}

export function createSave ({ storage, outbound, queue, sessions, settings }: SaveDependencies): Saves {
  return {
    enter (fileId) {
      const { turn, leave } = queue(fileId)
      return {
        leave,
        save: request => turn.then(() => store(request)).finally(leave)
      }
    }
  }

  async function store (request: SaveRequest): Promise<FileInfo | null> {
    const { fileId } = request
    const identity = identityOf(request)
    if (identity && sessions.isOutdated(fileId, identity)) return null

    const current = await storage.stat(fileId)
    if (!current) return missing()

    const extension = settings.onFormatChange === 'follow' && request.filetype !== undefined ? request.filetype : current.extension
    const stored = await download(request.url, content => storage.replace(fileId, content, extension === current.extension ? {} : { extension }))
    if (!stored) return missing()

    if (identity) sessions.saved(fileId, identity)
    return stored
  }

  async function download (url: URL, consume: (content: AsyncIterable<Uint8Array>) => Promise<FileInfo | null>): Promise<FileInfo | null> {
    const response = await outbound('callback', url)
    try {
      if (response.status < 200 || response.status > 299 || PARTIAL_OR_EMPTY.has(response.status)) {
        throw new UpstreamError(`status ${response.status} instead of a document`)
      }
      return await consume(response.body)
    } finally {
      discard(response.body)
    }
  }

  function missing (): null {
    if (settings.onMissingFile === 'reject') throw new FileNotFoundError()
    return null
  }
}

function identityOf ({ key, status, url, lastsave }: SaveRequest): Save | undefined {
  return key === undefined ? undefined : { key, status, path: url.pathname, ...(lastsave !== undefined && { lastsave }) }
}
