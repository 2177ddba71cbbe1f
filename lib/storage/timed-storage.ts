import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  CommitOptions, Committed, FileInfo, ReadResult, ReplaceOptions, StagedContent, Storage
} from '../../types/storage.js'
import { StorageTimeoutError } from '../errors.js'
import { type Untimed, withTimeout } from '../util/limits.js'
import { deferErrors, discard } from '../util/streams.js'
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

interface CallLimits<Result> {
  readonly milliseconds?: number
  /** Called with what the call resolves to in time. */
  readonly onResult?: (result: Result) => unknown
  /** Called with what it resolves to after the time limit. */
  readonly onLate?: (late: Result) => unknown
}

/** A body that arrives after the time limit is destroyed, because it would stay open. */
const reading: CallLimits<Pick<ReadResult, 'body'> | null> = {
  onResult: file => file && deferErrors(file.body),
  onLate: file => file && discard(file.body)
}

export function timedStorage (storage: Storage, { timeouts, signal }: Limits): TimedStorage {
  const { state, versions } = storage
  /** The limit of calls that read the download: its own, and then that of the storage. */
  const downloading = { milliseconds: timeouts.total + timeouts.storage }

  return {
    ...timed(storage, ['stat', 'snapshot', 'downloadUrl', 'revoke']),
    ...timed(storage, ['create'], '', storage.stage ? {} : downloading),
    ...timed(storage, ['read'], '', reading),
    ...(state && {
      state: {
        ...(state.owner !== undefined && { owner: state.owner }),
        ...(state.hasEnded && { hasEnded: owner => state.hasEnded!(owner) }),
        ...(state.list && { list: () => limitedSteps('state.list', state.list!()) }),
        ...timed(state, ['get', 'set'], 'state.')
      }
    }),
    ...(versions && {
      versions: {
        ...timed(versions, ['list', 'remove', 'prune', 'label'], 'versions.'),
        ...timed(versions, ['keep'], 'versions.', downloading),
        ...timed(versions, ['read'], 'versions.', reading)
      }
    }),
    stage: async (...args) =>
      await limited('stage', async () => await (storage.stage ? storage.stage(...args) : spool(...args)), {
        ...downloading,
        onLate: late => late.discard()
      }),
    discard: async content => {
      await limited('discard', async () => await content.discard()).catch(() => {})
    },
    replace: storage.stage ? replace : replaceSpooled,
    ...(storage.commit && { commit })
  }

  /** These methods, as far as the storage has them, with a time limit. Their names in errors have the prefix. */
  function timed<Methods extends object, Name extends keyof Methods & string> (
    methods: Methods, names: readonly Name[], prefix = '', limits: CallLimits<never> = {}
  ): Pick<Methods, Name> {
    const untimed = methods as Record<Name, (...args: unknown[]) => Promise<never>>
    return Object.fromEntries(
      names.filter(name => methods[name] !== undefined).map(name => [
        name,
        async (...args: unknown[]) => await limited(prefix + name, async () => await untimed[name](...args), limits)
      ])
    ) as Pick<Methods, Name>
  }

  async function limited<Result> (
    method: string, call: (untimed: Untimed) => Promise<Result>,
    { milliseconds = timeouts.storage, onResult, onLate }: CallLimits<Result> = {}
  ): Promise<Result> {
    let calling: Promise<Result> | undefined
    try {
      const timeoutError = (ms: number) => new StorageTimeoutError(method, ms)
      const result = await withTimeout(untimed => (calling = call(untimed)), { milliseconds, timeoutError, signal })
      onResult?.(result)
      return result
    } catch (error) {
      if (onLate) calling?.then(onLate).catch(() => {})
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

  async function commit (
    ...[fileId, content, { version, onLate, ...options }]: Parameters<NonNullable<TimedStorage['commit']>>
  ): Promise<Committed | null> {
    let isOver = false
    const record: CommitOptions['record'] = info => {
      if (isOver) throw new StorageTimeoutError('commit', timeouts.storage)
      return options.record(info)
    }
    try {
      return await limited('commit', async () => await storage.commit!(fileId, content, { ...options, record }), {
        onLate: late => { if (late) onLate?.(late) }
      })
    } finally {
      isOver = true
    }
  }

  async function replace (
    ...[fileId, content, { version, beforePublish, ...options }]: Parameters<TimedStorage['replace']>
  ): Promise<FileInfo | null> {
    return await limited('replace', async untimed => {
      const before: ReplaceOptions['beforePublish'] = async (...args) => {
        await untimed(async () => await beforePublish?.(...args))
      }
      return await storage.replace(fileId, content, { ...options, ...(beforePublish && { beforePublish: before }) })
    })
  }

  /** Without `stage`, the storage reads the spooled content, at whose end `beforePublish` is called. */
  async function replaceSpooled (
    ...[fileId, content, { version, beforePublish, ...options }]: Parameters<TimedStorage['replace']>
  ): Promise<FileInfo | null> {
    const changed = new Error('The document was changed before it could be replaced')
    async function * checkedAtEnd (untimed: Untimed): AsyncGenerator<Uint8Array> {
      yield * content
      await untimed(async () => await beforePublish?.())
      if ((await storage.stat(fileId))?.revision !== options.ifRevision) throw changed
    }
    try {
      return await limited(
        'replace',
        async untimed => await storage.replace(fileId, checkedAtEnd(untimed), options),
        downloading
      )
    } catch (error) {
      if (error === changed) return null
      throw error
    }
  }
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
  /** A stream would close the file if it is left halfway. */
  async function * read (): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }
  try {
    await handle.writeFile(content)
    return { size: (await handle.stat()).size, discard, [Symbol.asyncIterator]: read }
  } catch (error) {
    await discard()
    throw error
  }
}
