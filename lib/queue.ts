/** A place in the line of one file. */
export interface Place {
  /** Does something when everyone who came before is done, and lets the next one in when that is done. */
  run<Result> (task: () => Promise<Result>): Promise<Result>
  /** Lets the next one in, if nothing is to be done. Whoever takes a place must leave it. */
  leave (): void
}

/** Lines up those who want to change a file, in the order they came; those of different files go side by side. */
export interface Queue {
  enter (fileId: string): Place
  /** Resolves when nobody is in any line. */
  empty (): Promise<void>
}

export function createQueue (): Queue {
  const last = new Map<string, Promise<void>>()

  return {
    enter (fileId) {
      const turn = last.get(fileId) ?? Promise.resolve()
      let letNextIn = () => {}
      const left = new Promise<void>(resolve => { letNextIn = resolve })
      const done = Promise.all([turn, left]).then(() => {
        if (last.get(fileId) === done) last.delete(fileId)
      })
      last.set(fileId, done)
      let isRunning = false
      return {
        run (task) {
          isRunning = true
          return turn.then(task).finally(letNextIn)
        },
        leave () {
          if (!isRunning) letNextIn()
        }
      }
    },
    async empty () {
      while (last.size > 0) await Promise.all(last.values())
    }
  }
}
