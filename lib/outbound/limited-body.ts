import { finished, Readable } from 'node:stream'
import { TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import { deferErrors, discard, hasArrived } from '../streams.js'

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
 * error that occurs before the body is read is kept for its reader. A body that has arrived, and keeps the rules, is returned as
 * it is.
 */
export function limitedBody (body: Readable, { limit, length, signal }: BodyRules): Readable {
  if (hasArrived(body) && body.readableLength <= limit && body.readableLength === (length ?? body.readableLength)) return body
  let isReading = false
  let size = 0

  const limited = deferErrors(new Readable({
    highWaterMark: 64 * 1024,
    read () {
      if (isReading) body.resume()
      else startReading()
    },
    destroy (error, callback) {
      signal.removeEventListener('abort', onAbort)
      body.off('data', onData)
      discard(body)
      callback(error)
    }
  }))
  deferErrors(body)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  return limited

  function startReading (): void {
    isReading = true
    finished(body, { writable: false }, onEnd)
    body.on('data', onData)
  }

  function onData (chunk: Uint8Array): void {
    size += chunk.length
    if (size > limit) limited.destroy(new TooLargeError(limit))
    else if (length !== undefined && size > length) limited.destroy(new UpstreamError(`too long: received more than the announced ${length} bytes`))
    else if (!limited.push(chunk)) body.pause()
  }

  function onEnd (error: Error | null | undefined): void {
    signal.removeEventListener('abort', onAbort) // the reader may take his time
    if (error) limited.destroy(asUpstreamError(error))
    else if (length !== undefined && size !== length) limited.destroy(new UpstreamError(`truncated: received ${size} of ${length} bytes`))
    else limited.push(null)
  }

  function onAbort (): void {
    limited.destroy(signal.reason)
  }
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
