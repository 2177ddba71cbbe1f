import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  CommitOptions, Committed, Content, FileInfo, ReadResult, ReplaceOptions, StagedContent, Storage
} from '../../types/storage.js'
import { StorageTimeoutError } from '../errors.js'
import { deferErrors, discard } from '../util/streams.js'
import { type Untimed, withTimeout } from '../util/with-timeout.js'
import { tempName } from './file-system.js'

/**
 * A storage as used by saves: it can stage content, and each call has a time limit, after which it rejects with
 * `StorageTimeoutError`. The time of `beforePublish` does not count, because its own calls are limited. It is not
 * called after the limit, so that nothing is published after the caller has given up.
 */
export interface TimedStorage
  extends Pick<Storage, 'stat' | 'read' | 'create' | 'revoke' | 'state' | 'versions' | 'snapshot' | 'downloadUrl'> {
  stage: NonNullable<Storage['stage']>
  /**
   * Like `Storage.replace`, except that `beforePublish` is always called: without `info` if the storage cannot provide
   * it.
   */
  replace (fileId: string, content: StagedContent, options: StagedReplaceOptions): Promise<FileInfo | null>
  commit? (fileId: string, content: StagedContent, options: StagedCommitOptions): Promise<Committed | null>
  /** Never rejects. */
  discard (content: StagedContent): Promise<void>
}

export interface StagedCommitOptions extends CommitOptions {
  /** Describes the new content, for the history of versions. It is not passed on. */
  readonly version?: () => unknown
  /** Called if the storage commits after the time limit. */
  readonly onLate?: (committed: Committed) => void
}

export interface StagedReplaceOptions extends Pick<ReplaceOptions, 'extension'> {
  readonly ifRevision: string
  /** Describes the new content, for the history of versions. It is not passed on. */
  readonly version?: () => unknown
  readonly beforePublish?: (info?: FileInfo, ticket?: string) => Promise<void>
}

interface Limits {
  /** Milliseconds for one call (`storage`) and for the download of a saved file (`total`). */
  readonly timeouts: { readonly storage: number, readonly total: number }
  /** Ends all waiting. */
  readonly signal: AbortSignal
}

export function timedStorage (storage: Storage, { timeouts, signal }: Limits): TimedStorage {
  const { state, versions } = storage
  /**
   * Limit for calls that read the download: `timeouts.total` for the download and then `timeouts.storage` for the
   * storage.
   */
  const downloadTime = timeouts.total + timeouts.storage

  async function limited<Result> (
    method: string,
    call: Parameters<typeof withTimeout<Result>>[0],
    milliseconds = timeouts.storage
  ): Promise<Result> {
    return await withTimeout(call, { milliseconds, timeoutError: ms => new StorageTimeoutError(method, ms), signal })
  }

  return {
    stat: async fileId => await limited('stat', async () => await storage.stat(fileId)),
    read: async (...args) => await limitedRead('read', async () => await storage.read(...args)),
    ...(state && {
      state: {
        ...(state.owner !== undefined && { owner: state.owner }),
        ...(state.hasEnded && { hasEnded: owner => state.hasEnded!(owner) }),
        ...(state.list && { list: () => limitedSteps('state.list', state.list!()) }),
        get: async fileId => await limited('state.get', async () => await state.get(fileId)),
        set: async (...args) => await limited('state.set', async () => await state.set(...args))
      }
    }),
    ...(versions && {
      versions: {
        list: async (...args) => await limited('versions.list', async () => await versions.list(...args)),
        keep: async (...args) => await limited('versions.keep', async () => await versions.keep(...args), downloadTime),
        read: async (...args) => await limitedRead('versions.read', async () => await versions.read(...args)),
        remove: async (...args) => await limited('versions.remove', async () => await versions.remove(...args)),
        ...(versions.prune &&
          { prune: async (...args) => await limited('versions.prune', async () => await versions.prune!(...args)) })
      }
    }),
    ...(storage.snapshot &&
      { snapshot: async fileId => await limited('snapshot', async () => await storage.snapshot!(fileId)) }),
    ...(storage.downloadUrl &&
      { downloadUrl: async fileId => await limited('downloadUrl', async () => await storage.downloadUrl!(fileId)) }),
    ...(storage.commit && { commit }),
    discard: async content => {
      await limited('discard', async () => await content.discard()).catch(() => {})
    },
    ...(storage.revoke &&
      { revoke: async (...args) => await limited('revoke', async () => await storage.revoke!(...args)) }),
    ...(storage.stage ? native() : spooling())
  }

  async function commit (
    ...[fileId, content, { version, onLate, ...options }]: Parameters<NonNullable<TimedStorage['commit']>>
  ): Promise<Committed | null> {
    let isOver = false
    let committing: Promise<Committed | null> | undefined
    const record: CommitOptions['record'] = info => {
      if (isOver) throw new StorageTimeoutError('commit', timeouts.storage)
      return options.record(info)
    }
    try {
      return await limited(
        'commit',
        async () => await (committing = storage.commit!(fileId, content, { ...options, record }))
      )
    } catch (error) {
      isOver = true
      committing?.then(late => { if (late) onLate?.(late) }).catch(() => {})
      throw error
    }
  }

  async function * limitedSteps<Value> (method: string, values: AsyncIterable<Value>): AsyncGenerator<Value> {
    const iterator = values[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await limited(method, async () => await iterator.next())
        if (done === true) return
        yield value
      }
    } finally {
      iterator.return?.().catch(() => {}) // this would never resolve if a step does not end
    }
  }

  /** Destroys a body that arrives after the time limit, because it would stay open. */
  async function limitedRead<Result extends Pick<ReadResult, 'body'>> (
    method: string,
    read: () => Promise<Result | null>
  ): Promise<Result | null> {
    let reading: Promise<Result | null> | undefined
    try {
      const file = await limited(method, async () => await (reading = read()))
      if (file) deferErrors(file.body)
      return file
    } catch (error) {
      reading?.then(late => { if (late) discard(late.body) }).catch(() => {})
      throw error
    }
  }

  /** Discards content that is staged after the time limit. */
  function limitedStage (stage: NonNullable<Storage['stage']>): NonNullable<Storage['stage']> {
    return async function (fileId, content) {
      let staging: Promise<StagedContent> | undefined
      try {
        return await limited('stage', async () => await (staging = stage(fileId, content)), downloadTime)
      } catch (error) {
        staging?.then(late => late.discard()).catch(() => {})
        throw error
      }
    }
  }

  function native (): Pick<TimedStorage, 'stage' | 'create' | 'replace'> {
    return {
      stage: limitedStage((fileId, content) => storage.stage!(fileId, content)),
      create: async (...args) => await limited('create', async () => await storage.create(...args)),
      replace: async (fileId, content, { version, beforePublish, ...options }) =>
        await limited('replace', async untimed =>
          await storage.replace(fileId, content, {
            ...options,
            ...(beforePublish &&
              { beforePublish: async (...args) => await untimed(async () => await beforePublish(...args)) })
          }))
    }
  }

  /**
   * Without `stage`, the storage reads the spooled content in `replace`, and `beforePublish` is called at the end of
   * that content.
   */
  function spooling (): Pick<TimedStorage, 'stage' | 'create' | 'replace'> {
    return {
      stage: limitedStage(spool),
      create: async (...args) => await limited('create', async () => await storage.create(...args), downloadTime),
      async replace (fileId, content, { beforePublish, version, ...options }) {
        const changed = new Error('The document was changed before it could be replaced')
        async function atEnd (untimed: Untimed): Promise<void> {
          await untimed(async () => await beforePublish?.())
          if ((await storage.stat(fileId))?.revision !== options.ifRevision) throw changed
        }
        try {
          return await limited(
            'replace',
            async untimed =>
              await storage.replace(fileId, followedBy(content, async () => await atEnd(untimed)), options),
            downloadTime
          )
        } catch (error) {
          if (error === changed) return null
          throw error
        }
      }
    }
  }
}

async function * followedBy (
  content: Content & AsyncIterable<Uint8Array>,
  atEnd: () => Promise<void>
): AsyncGenerator<Uint8Array> {
  yield * content
  await atEnd()
}

const CHUNK_BYTES = 64 * 1024

/**
 * Stages content for a storage without `stage`, in a file in the system's temp directory that only this user can read.
 * The file has no name, so that it disappears when the process ends.
 */
export async function spool (_fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
  const path = join(tmpdir(), tempName())
  const handle = await open(path, 'wx+', 0o600)
  const isUnlinked = await unlink(path).then(() => true, () => false) // Windows cannot remove an open file
  const discard = async () => {
    await handle.close().catch(() => {})
    if (!isUnlinked) await unlink(path).catch(() => {})
  }
  try {
    await handle.writeFile(content)
    return { size: (await handle.stat()).size, discard, [Symbol.asyncIterator]: readChunks }
  } catch (error) {
    await discard()
    throw error
  }

  async function * readChunks (): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}
