import { HostTimeoutError } from './errors.js'

/**
 * What the host's own code comes to, when it does so in time. Rejects with `HostTimeoutError` when it does not:
 * a listener that never ends must not keep the saves of a file waiting.
 */
export async function within<Result> (milliseconds: number, name: string, call: () => Result | Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HostTimeoutError(name, milliseconds)), milliseconds)
  })
  try {
    return await Promise.race([call(), late])
  } finally {
    clearTimeout(timer)
  }
}
