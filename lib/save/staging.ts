import type { Content, FileInfo, ReadResult, ReplaceOptions, StagedContent, Storage } from '../../types/storage.js'
import { discard, heard } from '../readable.js'
import { within } from '../within.js'

/** A storage as saves use it: content can be staged in it, and every call ends. Rejects with `HostTimeoutError`. */
export interface StagingStorage extends Pick<Storage, 'stat' | 'read' | 'create' | 'revoke' | 'state'> {
  stage: NonNullable<Storage['stage']>
  /** As `Storage.replace`. `beforePublish` is always called; without the info where the storage can't tell it. */
  replace (fileId: string, content: StagedContent, options: StagedReplaceOptions): Promise<FileInfo | null>
  discard (content: StagedContent): Promise<void>
}

export interface StagedReplaceOptions extends Pick<ReplaceOptions, 'extension'> {
  readonly ifRevision: string
  readonly beforePublish?: (info?: FileInfo, ticket?: string) => Promise<void>
}

interface Dependencies {
  /** Stages content for a storage that can't. */
  readonly spool: NonNullable<Storage['stage']>
  /** Milliseconds: of one call, and of the download of a saved file. */
  readonly timeouts: { readonly storage: number, readonly total: number }
  /** Ends what is under way when the service has waited for long enough. */
  readonly over: AbortSignal
}

export function stagingStorage (storage: Storage, { spool, timeouts, over }: Dependencies): StagingStorage {
  const { state } = storage
  const ending = async <Result>(name: string, call: () => Promise<Result>, milliseconds = timeouts.storage) => await within(milliseconds, `The storage's ${name}`, call, over)
  /** The download has `timeouts.total`, the storage has its own time after that. */
  const whileDownloading = timeouts.total + timeouts.storage

  return {
    stat: async fileId => await ending('stat', async () => await storage.stat(fileId)),
    read,
    ...(state && {
      state: {
        ...(state.owner !== undefined && { owner: state.owner }),
        ...(state.hasEnded && { hasEnded: owner => state.hasEnded!(owner) }),
        get: async fileId => await ending('state.get', async () => await state.get(fileId)),
        set: async (...given) => await ending('state.set', async () => await state.set(...given))
      }
    }),
    discard: async content => { await ending('discard', async () => await content.discard()).catch(() => {}) },
    ...(storage.revoke && { revoke: async (...given) => await ending('revoke', async () => await storage.revoke!(...given)) }),
    ...(storage.stage ? native() : spooling())
  }

  /** A body that comes when nobody waits for it any more would stay open. */
  async function read (...given: Parameters<Storage['read']>): Promise<ReadResult | null> {
    let reading: Promise<ReadResult | null> | undefined
    try {
      const file = await ending('read', async () => await (reading = storage.read(...given)))
      if (file) heard(file.body)
      return file
    } catch (error) {
      reading?.then(late => { if (late) discard(late.body) }).catch(() => {})
      throw error
    }
  }

  /** What is staged after nobody waits for it any more is of no use. */
  function stageBy (stage: NonNullable<Storage['stage']>): NonNullable<Storage['stage']> {
    return async function (fileId, content) {
      let staging: Promise<StagedContent> | undefined
      try {
        return await ending('stage', async () => await (staging = stage(fileId, content)), whileDownloading)
      } catch (error) {
        staging?.then(late => late.discard()).catch(() => {})
        throw error
      }
    }
  }

  function native (): Pick<StagingStorage, 'stage' | 'create' | 'replace'> {
    return {
      stage: stageBy((fileId, content) => storage.stage!(fileId, content)),
      create: async (extension, content) => await ending('create', async () => await storage.create(extension, content)),
      replace: async (fileId, content, options) => await ending('replace', async () => await storage.replace(fileId, content, options))
    }
  }

  /** It reads what it stores only now: whoever is about to publish is asked when it has read all of it. */
  function spooling (): Pick<StagingStorage, 'stage' | 'create' | 'replace'> {
    return {
      stage: stageBy(spool),
      create: async (extension, content) => await ending('create', async () => await storage.create(extension, content), whileDownloading),
      async replace (fileId, content, { beforePublish, ...options }) {
        const changed = new Error('The document was changed before it could be replaced')
        async function atEnd (): Promise<void> {
          await beforePublish?.()
          if ((await storage.stat(fileId))?.revision !== options.ifRevision) throw changed
        }
        try {
          return await ending('replace', async () => await storage.replace(fileId, followedBy(content, atEnd), options), whileDownloading)
        } catch (error) {
          if (error === changed) return null
          throw error
        }
      }
    }
  }
}

async function * followedBy (content: Content & AsyncIterable<Uint8Array>, atEnd: () => Promise<void>): AsyncGenerator<Uint8Array> {
  yield * content
  await atEnd()
}
