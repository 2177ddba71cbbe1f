/**
 * Runs tasks with the same key one after the other, in the order in which they entered. Tasks with different keys run
 * concurrently.
 */
export function createQueue () {
  /** By key, a promise that settles when every task that has entered so far has ended. */
  const tails = new Map<string, Promise<void>>()

  return { run, enter, idle }

  /** Runs a task when all earlier ones have ended. */
  async function run<Result> (key: string, task: () => Promise<Result>): Promise<Result> {
    return await enter(key, async turn => {
      await turn
      return await task()
    })
  }

  /**
   * Takes a place in the queue at once and starts the task. The task awaits `turn`, which resolves when all earlier
   * tasks have ended, before it does anything that must keep the order. Its place is free when it ends.
   */
  function enter<Result> (key: string, task: (turn: Promise<void>) => Promise<Result>): Promise<Result> {
    const turn = tails.get(key) ?? Promise.resolve()
    const result = Promise.resolve().then(async () => await task(turn))
    const tail = Promise.allSettled([turn, result]).then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    tails.set(key, tail)
    return result
  }

  /** Resolves when no task is left. */
  async function idle (): Promise<void> {
    while (tails.size > 0) await Promise.all(tails.values())
  }
}

/** Runs a task once. After a failure the next call runs it again. */
export function once<Result> (task: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | undefined
  return () => {
    started ??= task().catch(error => {
      started = undefined
      throw error
    })
    return started
  }
}

/** Callers that ask for the same key while its answer is under way share that answer. */
export function shared<Answer> (ask: (key: string) => Promise<Answer>): typeof ask {
  const questions = new Map<string, Promise<Answer>>()
  return async key => {
    const question = questions.get(key) ?? ask(key).finally(() => questions.delete(key))
    questions.set(key, question)
    return await question
  }
}

/** Runs a task as soon as its turn comes. Resolves or rejects as the task does. */
type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>

interface TurnLimits {
  /** Number of tasks that run at once. */
  readonly concurrency: number
  /** Milliseconds after which a task runs although others still do: a few hanging tasks must not hold up all others. */
  readonly maxWait?: number
  /** Milliseconds after which a task that still runs no longer counts, for the same reason. */
  readonly maxRun?: number
}

/** Limits how many tasks run at once. The others wait, in the order in which they came. */
export function limitConcurrency ({ concurrency, maxWait, maxRun }: TurnLimits): InTurn {
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
