import type { Content, StagedContent, Storage } from '../../../lib/index.js'
import type { WholeStorage } from './history.js'

/** A method of the storage, or a moment in the middle of one. */
export type Access = 'stat' | 'read' | 'create' | 'stage' | 'replace' | 'revoke' | 'get' | 'set' | 'download' | 'publish'

export interface UnreliableStorage {
  readonly storage: Storage
  die (): void
  isIdle (): boolean
  /** As the next start does with what a dead process has left half-written. */
  sweep (): Promise<void>
}

export interface Moments {
  /** Called before, in the middle of and after each access, which goes on when it resolves, and fails when it rejects. */
  moment (access: Access, isDone: boolean): void | Promise<void>
}

const dead = new Set<string>()
let incarnations = 0

/** A storage as one process has it that may die: others see what it did, and that it has ended. */
export function unreliableStorage (whole: WholeStorage, moments: Moments): UnreliableStorage {
  const owner = `process ${++incarnations}`
  const staged = new Map<StagedContent, StagedContent>()
  let underWay = 0

  async function moment (name: Access, isDone = false): Promise<void> {
    const held = moments.moment(name, isDone)
    if (held !== undefined) await held
    if (dead.has(owner)) throw new Error('This process has ended')
  }

  async function access<Result> (name: Access, task: () => Promise<Result>): Promise<Result> {
    underWay++
    try {
      await moment(name)
      const result = await task()
      await moment(name, true)
      return result
    } finally {
      underWay--
    }
  }

  async function * downloading (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      await moment('download')
      yield chunk
    }
    await moment('download')
  }

  const wholeOf = (content: Content) => staged.get(content as StagedContent) ?? content
  const { revoke } = whole
  const storage: Storage = {
    stat: async fileId => await access('stat', async () => await whole.stat(fileId)),
    read: async (fileId, range) => await access('read', async () => await whole.read(fileId, range)),
    create: async (extension, content) => await access('create', async () => await whole.create(extension, wholeOf(content))),
    stage: async (fileId, content) => await access('stage', async () => {
      const inner = await whole.stage!(fileId, downloading(content))
      const outer: StagedContent = {
        size: inner.size,
        async discard () {
          if (dead.has(owner)) return
          staged.delete(outer)
          await inner.discard()
        },
        [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator]()
      }
      staged.set(outer, inner)
      return outer
    }),
    replace: async (fileId, content, { beforePublish, ...options } = {}) => await access('replace', async () => await whole.replace(fileId, wholeOf(content), {
      ...options,
      async beforePublish (...given) {
        await moment('publish')
        await beforePublish?.(...given)
        await moment('publish', true)
      }
    })),
    ...(revoke && { revoke: async (...given: Parameters<typeof revoke>) => await access('revoke', async () => await revoke(...given)) }),
    state: {
      get: async fileId => await access('get', async () => await whole.state.get(fileId)),
      set: async (...given) => await access('set', async () => await whole.state.set(...given)),
      owner,
      hasEnded: name => dead.has(name)
    }
  }

  return {
    storage,
    die () { dead.add(owner) },
    isIdle: () => underWay === 0,
    async sweep () {
      for (const inner of staged.values()) await inner.discard()
    }
  }
}
