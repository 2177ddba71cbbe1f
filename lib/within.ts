import { HostTimeoutError } from './errors.js'

/**
 * What the host's own code comes to, when it does so in time. Rejects with `HostTimeoutError` when it does not, or with the
 * reason of `over` when that is aborted: a listener or a storage that never answers must not keep anybody waiting.
 */
export async function within<Result> (milliseconds: number, name: string, call: () => Result | Promise<Result>, over?: AbortSignal): Promise<Result> {
  const { promise: late, end } = ending(milliseconds, name, over)
  try {
    return await Promise.race([call(), late])
  } finally {
    end()
  }
}

function ending (milliseconds: number, name: string, over: AbortSignal | undefined) {
  let end = () => {}
  const promise = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new HostTimeoutError(name, milliseconds)), milliseconds)
    const giveUp = () => reject(over?.reason)
    over?.addEventListener('abort', giveUp, { once: true })
    if (over?.aborted) giveUp()
    end = () => {
      clearTimeout(timer)
      over?.removeEventListener('abort', giveUp)
    }
  })
  promise.catch(() => {})
  return { promise, end }
}
