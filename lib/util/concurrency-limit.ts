/** Runs a task as soon as it is its turn. Resolves or rejects as the task does. */
type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>

interface Limits {
  /** How many tasks run at once. */
  readonly concurrency: number
  /** Milliseconds after which a task runs although others still do: a few that hang must not hold up all others. */
  readonly maxWait?: number
  /** Milliseconds after which a task that still runs does not count any more, for the same reason. */
  readonly maxRun?: number
}

/** Limits how many tasks run at once. The others wait, in the order in which they came. */
export function createTurns ({ concurrency, maxWait, maxRun }: Limits): InTurn {
  const waiting = new Set<() => void>()
  let running = 0

  return async function inTurn (task) {
    if (running >= concurrency) await turn()
    else running++
    let isCounted = true
    const timer = maxRun === undefined ? undefined : setTimeout(end, maxRun)
    try {
      return await task()
    } finally {
      end()
    }

    function end (): void {
      clearTimeout(timer)
      if (!isCounted) return
      isCounted = false
      running--
      const [next] = waiting
      if (running < concurrency) next?.()
    }
  }

  /** Resolves when the caller counts as running. */
  function turn (): Promise<void> {
    return new Promise(resolve => {
      const start = () => {
        clearTimeout(timer)
        waiting.delete(start)
        running++
        resolve()
      }
      const timer = maxWait === undefined ? undefined : setTimeout(start, maxWait)
      waiting.add(start)
    })
  }
}
