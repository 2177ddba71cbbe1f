import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid, RemoteError } from './errors.js'

const DEFAULT_MS = 30_000
const MAX_MS = 600_000

/**
 * Runs a task for at most the query's `timeout` in milliseconds. The signal is aborted at the timeout and when the
 * client disconnects; a task that ignores it goes on.
 */
export async function withTimeout<Result> (
  request: FastifyRequest,
  reply: FastifyReply,
  task: (signal: AbortSignal) => Promise<Result>
): Promise<Result> {
  const { timeout = String(DEFAULT_MS) } = request.query as { timeout?: string }
  const milliseconds = Number(timeout)
  if (!/^\d+$/.test(timeout) || milliseconds > MAX_MS) {
    throw invalid(`timeout must be a number of milliseconds up to ${MAX_MS}`)
  }

  const end = new AbortController()
  const abort = () => end.abort(new RemoteError(504, 'TIMEOUT', `Timed out after ${milliseconds} ms`))
  const timer = setTimeout(abort, milliseconds)
  reply.raw.once('close', abort)
  try {
    const aborted = new Promise<never>((resolve, reject) =>
      end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true })
    )
    return await Promise.race([task(end.signal), aborted])
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', abort)
  }
}
