import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid, RemoteError } from './errors.js'

const DEFAULT_MS = 30_000
const LONGEST_MS = 600_000

/**
 * What a task gives, if it does within the query's `timeout` in milliseconds. A task that can be given up does so by the signal, also
 * when nobody is there any longer to be answered; another goes on.
 */
export async function within<Result> (request: FastifyRequest, reply: FastifyReply, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { timeout = String(DEFAULT_MS) } = request.query as { timeout?: string }
  const milliseconds = Number(timeout)
  if (!/^\d+$/.test(timeout) || milliseconds > LONGEST_MS) throw invalid(`timeout must be a number of milliseconds up to ${LONGEST_MS}`)

  const end = new AbortController()
  const giveUp = () => end.abort(new RemoteError(504, 'TIMEOUT', `Not within ${milliseconds} ms`))
  const timer = setTimeout(giveUp, milliseconds)
  reply.raw.once('close', giveUp)
  try {
    const aborted = new Promise<never>((resolve, reject) => end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true }))
    return await Promise.race([task(end.signal), aborted])
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', giveUp)
  }
}
