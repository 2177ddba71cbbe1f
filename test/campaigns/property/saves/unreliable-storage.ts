import type { StorageContent } from '../../../../lib/index.js'
import type { DocumentStore, StagedContent } from '../../../../lib/store/contract.js'
import { sending } from '../../../kit/storage.js'
import { deferred } from '../../../kit/time.js'
import type { LostAnswer } from './situation.js'

/** A method of the storage, or a moment during one. */
export type Access = 'stat' | 'read' | 'create' | 'stage' | 'commit' | 'get' | 'set' | 'download' | 'publish'

export interface UnreliableStorage {
  readonly storage: DocumentStore
  die (): void
  isIdle (): boolean
  /** Removes what a dead process has left half-written, as its next start does. */
  sweep (): Promise<void>
}

export interface Moments {
  /** Called before, during and after each access. The access waits for it, and fails if it rejects. */
  moment (access: Access, isDone: boolean): void | Promise<void>
  /** Whether the answer to a commit is lost. */
  lostAnswer (): LostAnswer | undefined
  /** Whether an attempt to read a record fails. */
  readFails (): boolean
}

const dead = new Set<string>()
let incarnations = 0

/** The storage of one process, which may die. Others see what it did, and that it has ended. */
export function unreliableStorage (whole: DocumentStore, moments: Moments): UnreliableStorage {
  const owner = `process ${++incarnations}`
  const staged = new Map<StagedContent, StagedContent>()
  let underWay = 0

  /** Creates no promise where nothing happens, because there are many accesses. */
  function moment (name: Access, isDone = false): void | Promise<void> {
    const held = moments.moment(name, isDone)
    if (held !== undefined) return held.then(stayAlive)
    stayAlive()
  }

  function stayAlive (): void {
    if (dead.has(owner)) throw new Error('This process has ended')
  }

  async function access<Result> (name: Access, task: () => Promise<Result>): Promise<Result> {
    underWay++
    try {
      const before = moment(name)
      if (before !== undefined) await before
      const result = await task()
      const after = moment(name, true)
      if (after !== undefined) await after
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

  const wholeOf = (content: StorageContent) => staged.get(content as StagedContent) ?? content
  const storage: DocumentStore = {
    ...whole,
    stat: fileId => access('stat', () => whole.stat(fileId)),
    read: (fileId, range) => access('read', () => whole.read(fileId, range)),
    create: (extension, content, options) => access('create', () => whole.create(extension, wholeOf(content), options)),
    stage: (fileId, content) => access('stage', async () => {
      const inner = await whole.stage(fileId, downloading(content as AsyncIterable<Uint8Array>))
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
    snapshot: async fileId => {
      if (moments.readFails()) throw new Error('The store does not answer')
      return await access('get', () => whole.snapshot(fileId))
    },
    replace: (fileId, content, options) => access('commit', () => whole.replace(fileId, wholeOf(content), options)),
    commit: (fileId, content, options) => access('commit', async () => {
      await moment('publish')
      await moment('publish', true)
      const lost = moments.lostAnswer()
      const committing = async () => await whole.commit(fileId, wholeOf(content), options)
      if (lost === undefined) return await access('set', committing)
      await answerLost(lost, committing)
      throw new Error('The answer was lost')
    }),
    state: {
      ...whole.state,
      set: (...given) => access('set', () => whole.state.set(...given))
    }
  }

  /** Resolves before the commit is done, if it arrives late. */
  async function answerLost ({ turns }: LostAnswer, commit: () => Promise<unknown>): Promise<void> {
    const given = deferred()
    underWay++
    const arriving = sending.run(async () => {
      if (turns > 0) given.resolve()
      for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve))
    }, commit).catch(() => {}).finally(() => underWay--)
    await Promise.race([given.promise, arriving])
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
