import { Readable } from 'node:stream'
import { TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import { deferErrors } from '../streams.js'

interface BodyRules {
  /** Maximum size in bytes. */
  readonly limit: number
  /** Announced size in bytes. */
  readonly length: number | undefined
  /** Ends the body with its reason. */
  readonly signal: AbortSignal
}

/**
 * The same bytes, with an error when there are more than the limit, not as many as announced, or when the signal is aborted. An
 * error that occurs before the body is read is kept for its reader.
 */
export function limitedBody (body: Readable, rules: BodyRules): Readable {
  const { signal } = rules
  const end = () => { body.destroy(signal.reason) }
  deferErrors(body)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const limited = deferErrors(Readable.from(checkedChunks(body, rules), { objectMode: false, highWaterMark: 64 * 1024 }))
  limited.once('close', () => signal.removeEventListener('abort', end))
  return limited
}

async function * checkedChunks (body: Readable, { limit, length, signal }: BodyRules): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) throw new TooLargeError(limit)
      if (length !== undefined && size > length) throw new UpstreamError(`too long: received more than the announced ${length} bytes`)
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw asUpstreamError(error)
  }
  if (length !== undefined && size !== length) throw new UpstreamError(`truncated: received ${size} of ${length} bytes`)
}

/** Wraps the error of an HTTP client, unless it is one of ours. */
export function asUpstreamError (error: unknown): Error {
  if (!(error instanceof Error)) return new UpstreamError('unknown', { cause: error })
  const { code: ownCode } = error as { readonly code?: unknown }
  const code = typeof ownCode === 'string' ? ownCode : error.name // that of a DOMException is a number
  if (code.startsWith('FST_EDITOR_')) return error
  if (/TIMED?_?OUT$/.test(code) || error.name === 'TimeoutError') return new UpstreamTimeoutError(code, { cause: error })
  return new UpstreamError(code, { cause: error })
}
