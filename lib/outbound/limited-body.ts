import { Readable } from 'node:stream'
import { TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import { heard } from '../readable.js'

interface BodyRules {
  /** Bytes. */
  readonly limit: number
  /** Bytes the upstream announced. */
  readonly length: number | undefined
  /** Its reason is what the body ends with when it is aborted. */
  readonly signal: AbortSignal
}

/**
 * The same bytes, ending in a typed error when they are more than the limit, not as many as announced, or too slow. Whoever
 * reads it late is told what happened before.
 */
export function limitedBody (body: Readable, rules: BodyRules): Readable {
  const { signal } = rules
  const end = () => { body.destroy(signal.reason) }
  heard(body)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const limited = heard(Readable.from(checkedChunks(body, rules), { objectMode: false, highWaterMark: 64 * 1024 }))
  limited.once('close', () => signal.removeEventListener('abort', end))
  return limited
}

async function * checkedChunks (body: Readable, { limit, length, signal }: BodyRules): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) throw new TooLargeError(limit)
      if (length !== undefined && size > length) throw new UpstreamError(`more than ${length} bytes`)
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw asUpstreamError(error)
  }
  if (length !== undefined && size !== length) throw new UpstreamError(`${size} of ${length} bytes`)
}

/** What an outbound call failed with, as one of this library's errors. */
export function asUpstreamError (error: unknown): Error {
  if (!(error instanceof Error)) return new UpstreamError('unknown', { cause: error })
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  if (code.startsWith('FST_EDITOR_')) return error
  if (/TIMED?_?OUT$/.test(code)) return new UpstreamTimeoutError(code, { cause: error })
  return new UpstreamError(code, { cause: error })
}

/** The whole body at once: for answers that are small or wanted in memory. */
export async function bytesOf (body: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
