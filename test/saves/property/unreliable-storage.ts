import type { StateStore, Storage } from '../../../lib/index.js'

export interface UnreliableStorage {
  readonly storage: Storage
  /** Ids of the files it made. */
  readonly created: Set<string>
  /** The nth access from now on is rejected before it does anything. */
  failAt (nth: number): void
  /** Dies at one of the moments before and after each access: whatever comes later is rejected and does nothing. */
  dieAt (nth: number, died: () => void): void
  die (): void
  /** Takes back what has not struck. */
  mend (): void
}

const dead = new Set<string>()
let incarnations = 0

/** A storage as one process has it that may die: others see what it did, and that it has ended. */
export function unreliableStorage (whole: Storage & { readonly state: StateStore }): UnreliableStorage {
  const owner = `process ${++incarnations}`
  let failing = Infinity
  let moments = Infinity
  let died = () => {}
  const created = new Set<string>()

  function moment (): void {
    if (--moments === 0) {
      dead.add(owner)
      died()
    }
    if (dead.has(owner)) throw new Error('This process has ended')
  }

  async function access<Result> (task: () => Promise<Result>): Promise<Result> {
    moment()
    if (--failing === 0) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
    const result = await task()
    moment()
    return result
  }

  const storage: Storage = {
    stat: async fileId => await access(async () => await whole.stat(fileId)),
    read: async (fileId, range) => await access(async () => await whole.read(fileId, range)),
    create: async (extension, content) => await access(async () => {
      const info = await whole.create(extension, content)
      created.add(info.fileId)
      return info
    }),
    replace: async (fileId, content, { beforePublish, ...options } = {}) => await access(async () => await whole.replace(fileId, content, {
      ...options,
      async beforePublish (info) {
        moment()
        await beforePublish?.(info)
        moment()
      }
    })),
    state: {
      get: async fileId => await access(async () => await whole.state.get(fileId)),
      set: async (fileId, value, version) => await access(async () => await whole.state.set(fileId, value, version)),
      owner,
      hasEnded: name => dead.has(name)
    }
  }

  return {
    storage,
    created,
    failAt (nth) { failing = nth },
    dieAt (nth, then) {
      moments = nth
      died = then
    },
    die () { dead.add(owner) },
    mend () { failing = moments = Infinity }
  }
}
