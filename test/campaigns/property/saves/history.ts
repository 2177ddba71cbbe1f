import type { StorageContent } from '../../../../lib/index.js'
import type { DocumentStore, StagedContent } from '../../../../lib/store/contract.js'

/** The content of a file from some moment on. */
export interface Version {
  /** `null`: there was no such file. */
  readonly text: string | null
  /** Who stored it: an instance, somebody outside, or `RESTORED`. */
  readonly by: string
  /** Counts the versions of all files. */
  readonly at: number
}

/** Stands for an instance that has made an earlier version the present one. */
export const RESTORED = 'a restore'

/** Everything that was ever stored, in the order in which it became visible. */
export interface Histories {
  /** Oldest first. */
  of (fileId: string): readonly Version[]
  /** Changes a file while nobody else can change it. */
  change (fileId: string, text: string | null, by: string, task: () => Promise<void>): Promise<void>
  /** A storage that records what is published in it. */
  recorded (storage: DocumentStore, by: string): DocumentStore
  /** Ids of the files that saves have created. */
  readonly created: Set<string>
  /** What the application itself stores: it may overwrite anything. */
  readonly ofApplication: Set<string>
  /**
   * An instance may overwrite anything once, with this text of an earlier version: `restored` is called then. It may no
   * longer when the returned function is called.
   */
  restoring (by: string, text: string, restored: () => void): () => void
  /** Violations: contents that must not have been stored. */
  readonly faults: string[]
}

export function histories (): Histories {
  const versions = new Map<string, Version[]>()
  const turns = new Map<string, Promise<void>>()
  const texts = new WeakMap<StorageContent, string>()
  const restores = new Set<{ readonly by: string, readonly text: string, readonly restored: () => void }>()
  let count = 0

  const all: Histories = {
    created: new Set(),
    ofApplication: new Set(),
    faults: [],
    restoring (by, text, restored) {
      const restore = { by, text, restored }
      restores.add(restore)
      return () => { restores.delete(restore) }
    },
    of: fileId => versions.get(fileId) ?? [],
    async change (fileId, text, by, task) {
      const end = await enter(fileId)
      try {
        await task()
        note(fileId, text, by)
      } finally {
        end()
      }
    },
    recorded: (storage, by) => ({
      ...storage,
      async stage (fileId, content) {
        let text = ''
        const staged = await storage.stage(fileId, (async function * () {
          for await (const chunk of content as AsyncIterable<Uint8Array>) {
            text += Buffer.from(chunk).toString()
            yield chunk
          }
        })())
        texts.set(staged, text)
        return staged
      },
      async create (extension, content, options) {
        const info = await storage.create(extension, content, options)
        note(info.fileId, textOf(content), by)
        all.created.add(info.fileId)
        return info
      },
      replace: async (fileId, content, options) => await publishing(fileId, content, by, async () => await storage.replace(fileId, content, options)),
      commit: async (fileId, content, options) => await publishing(fileId, content, by, async () => await storage.commit(fileId, content, options))
    })
  }
  return all

  async function publishing<Result> (fileId: string, content: StorageContent, by: string, publish: () => Promise<Result | null>): Promise<Result | null> {
    const end = await enter(fileId)
    try {
      const result = await publish()
      if (result !== null) published(fileId, textOf(content), by)
      return result
    } finally {
      end()
    }
  }

  /** Nobody else can change the file until the returned function is called. */
  async function enter (fileId: string): Promise<() => void> {
    const before = turns.get(fileId)
    let end = () => {}
    turns.set(fileId, new Promise<void>(resolve => { end = resolve }))
    await before
    return end
  }

  function note (fileId: string, text: string | null, by: string): void {
    const known = versions.get(fileId) ?? []
    versions.set(fileId, known)
    known.push({ text, by, at: ++count })
  }

  function published (fileId: string, text: string, by: string): void {
    const before = all.of(fileId).at(-1)?.text
    const isOfApplication = all.ofApplication.has(text)
    const restore = [...restores].find(one => one.by === by && one.text === text)
    if (restore !== undefined) {
      restores.delete(restore)
      restore.restored()
    }
    note(fileId, text, restore !== undefined ? RESTORED : isOfApplication ? 'the application' : by)
    if (before === null) {
      all.faults.push(`a removed file came back with ${JSON.stringify(text)}`)
    } else if (!isOfApplication && restore === undefined && !text.startsWith(before!)) {
      all.faults.push(`${by} has overwritten ${JSON.stringify(before)} with ${JSON.stringify(text)}`)
    }
  }

  function textOf (content: StorageContent | StagedContent): string {
    return content instanceof Uint8Array ? Buffer.from(content).toString() : texts.get(content)!
  }
}
