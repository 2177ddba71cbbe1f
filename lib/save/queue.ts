/** A place in the line of one file. */
export interface Place {
  /** Resolves when everyone who came before has left. */
  readonly turn: Promise<void>
  /** Lets the next one in. Leaving twice, or before one's turn, is fine. */
  leave (): void
}

/** Lines up those who want to change a file, in the order they came; those of different files go side by side. */
export interface SaveQueue {
  enter (fileId: string): Place
  /** Resolves when nobody is in any line. */
  empty (): Promise<void>
}

export function saveQueue (): SaveQueue {
  const last = new Map<string, Promise<void>>()

  return {
    enter (fileId) {
      const turn = last.get(fileId) ?? Promise.resolve()
      let leave = () => {}
      const left = new Promise<void>(resolve => { leave = resolve })
      const done = Promise.all([turn, left]).then(() => {
        if (last.get(fileId) === done) last.delete(fileId)
      })
      last.set(fileId, done)
      return { turn, leave }
    },
    async empty () {
      while (last.size > 0) await Promise.all(last.values())
    }
  }
}
