/** A promise with its ends in hand. Node 20 has no `Promise.withResolvers`. */
export function deferred<Value = void> () {
  let resolve!: (value: Value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<Value>((_resolve, _reject) => { resolve = _resolve; reject = _reject })
  return { promise, resolve, reject }
}
