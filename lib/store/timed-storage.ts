import type { StorageReadResult } from '../../types/storage.js'
import { StorageTimeoutError } from '../errors.js'
import { withTimeout } from '../util/limits.js'
import { deferErrors, discard } from '../util/streams.js'
import type { CommitOptions, Committed, DocumentStore, StagedContent } from './contract.js'

/** A storage with a time limit for each call, after which the call rejects with `StorageTimeoutError`. */
export interface TimedStorage
  extends Pick<DocumentStore, 'stat' | 'read' | 'create' | 'remove' | 'stage' | 'readStaged' | 'snapshot' | 'downloadUrl'> {
  readonly state: Pick<DocumentStore['state'], 'list' | 'set'>
  readonly versions: Pick<DocumentStore['versions'], 'list' | 'keep' | 'read' | 'label'>
  commit (
    fileId: string, content: StagedContent, options: CommitOptions & {
      /** Called if the storage commits after the time limit. */
      readonly onLate?: (committed: Committed) => void
    }
  ): Promise<Committed | null>
  /** Never rejects. */
  discard (content: StagedContent): Promise<void>
}

interface Limits {
  /** Milliseconds for one call (`storage`) and for the download of a saved file (`total`). */
  readonly timeouts: { readonly storage: number, readonly total: number }
  /** Ends all waiting. */
  readonly signal: AbortSignal
}

interface CallLimits<Result> {
  readonly milliseconds?: number
  /** Called with the result if it arrives in time. */
  readonly onResult?: (result: Result) => unknown
  /** Called with a result that arrives after the time limit. */
  readonly onLate?: (late: Result) => unknown
}

/** A body that arrives after the time limit is destroyed, because it would stay open. */
const reading: CallLimits<Pick<StorageReadResult, 'body'> | null> = {
  onResult: file => file && deferErrors(file.body),
  onLate: file => file && discard(file.body)
}

export function timedStorage (storage: DocumentStore, { timeouts, signal }: Limits): TimedStorage {
  const { state, versions } = storage
  return {
    stat: timed('stat', async (...args) => await storage.stat(...args)),
    read: timed('read', async (...args) => await storage.read(...args), reading),
    create: timed('create', async (...args) => await storage.create(...args)),
    remove: timed('remove', async (...args) => await storage.remove(...args)),
    snapshot: timed('snapshot', async (...args) => await storage.snapshot(...args)),
    ...(storage.downloadUrl && {
      downloadUrl: timed('downloadUrl', async (...args) => await storage.downloadUrl!(...args))
    }),
    ...(storage.readStaged && {
      readStaged: timed('readStaged', async (...args) => await storage.readStaged!(...args), {
        onLate: body => body && discard(body)
      })
    }),
    state: {
      list: () => limitedSteps('state.list', state.list()),
      set: timed('state.set', async (...args) => await state.set(...args))
    },
    versions: {
      list: timed('versions.list', async (...args) => await versions.list(...args)),
      keep: timed('versions.keep', async (...args) => await versions.keep(...args)),
      read: timed('versions.read', async (...args) => await versions.read(...args), reading),
      label: timed('versions.label', async (...args) => await versions.label(...args))
    },
    stage: timed('stage', async (...args) => await storage.stage(...args), {
      milliseconds: timeouts.total + timeouts.storage, // it reads the download
      onLate: late => late.discard()
    }),
    discard: async content => {
      await limited('discard', async () => await content.discard()).catch(() => {})
    },
    commit
  }

  function timed<Args extends unknown[], Result> (
    method: string, call: (...args: Args) => Promise<Result>, limits?: CallLimits<Result>
  ): (...args: Args) => Promise<Result> {
    return async (...args) => await limited(method, async () => await call(...args), limits)
  }

  async function limited<Result> (
    method: string, call: () => Promise<Result>,
    { milliseconds = timeouts.storage, onResult, onLate }: CallLimits<Result> = {}
  ): Promise<Result> {
    let calling: Promise<Result> | undefined
    try {
      const timeoutError = (ms: number) => new StorageTimeoutError(method, ms)
      const result = await withTimeout(() => (calling = call()), { milliseconds, timeoutError, signal })
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
      iterator.return?.().catch(() => {}) // waiting without a limit might never end
    }
  }

  async function commit (
    ...[fileId, content, { onLate, ...options }]: Parameters<TimedStorage['commit']>
  ): Promise<Committed | null> {
    let isOver = false
    const record: CommitOptions['record'] = info => {
      if (isOver) throw new StorageTimeoutError('commit', timeouts.storage)
      return options.record(info)
    }
    try {
      return await limited('commit', async () => await storage.commit(fileId, content, { ...options, record }), {
        onLate: late => { if (late) onLate?.(late) }
      })
    } finally {
      isOver = true
    }
  }
}
