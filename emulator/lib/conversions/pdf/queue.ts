/** Runs tasks, a number of them at once at most; the others wait for their turn. */
export function atMost (limit: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: Array<() => void> = []

  return async task => {
    if (running === limit) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next() // takes over the place
    }
  }
}
