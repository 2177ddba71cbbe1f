import type { Time } from '../clock/time.js'
import { CrashedError } from '../outbound/client.js'

export type Tasks = ReturnType<typeof createTasks>

/** Runs the work on documents. A fake clock waits for it. Rejects with a `CrashedError` once the server has crashed. */
export function createTasks (time: Time, crashSignal: () => AbortSignal) {
  const turns = new Map<string, Promise<unknown>>()
  const others = new Set<Promise<unknown>>()

  /** Makes `settled` wait for a promise, too. */
  function track<Result> (promise: Promise<Result>): Promise<Result> {
    const settled = promise.catch(() => {}).finally(() => others.delete(settled))
    others.add(settled)
    return promise
  }

  async function run<Result> (task: () => Promise<Result>): Promise<Result> {
    return await time.during(async () => {
      if (crashSignal().aborted) throw new CrashedError()
      return await task()
    })
  }

  return {
    /** Runs the tasks of one document key one after the other, so that its callbacks keep their order. */
    inTurn<Result> (key: string, task: () => Promise<Result>): Promise<Result> {
      const turn = (turns.get(key) ?? Promise.resolve()).then(async () => await run(task))
      const settled = turn.catch(() => {})
      turns.set(key, settled)
      settled.then(() => { if (turns.get(key) === settled) turns.delete(key) })
      return turn
    },
    /** Runs a task at once, beside the turns of its document. */
    alongside: async <Result>(task: () => Promise<Result>): Promise<Result> => await track(run(task)),
    track,
    /** Resolves when everything started so far has ended. */
    async settled (): Promise<void> {
      while (turns.size + others.size > 0) await Promise.all([...turns.values(), ...others])
    }
  }
}
