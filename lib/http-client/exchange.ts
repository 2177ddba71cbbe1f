import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { endArrived } from '../streams.js'

/** As much as is kept for a reader that does not read. */
const HIGH_WATER_MARK = 64 * 1024

export interface ExchangeResponse {
  readonly status: number
  /** The first value of a header. */
  header (name: string): string | undefined
  readonly body: Readable
}

/**
 * Sends one request and resolves when the response headers have arrived. Aborting the signal or destroying the body ends the
 * request. An error that occurs while nobody listens is kept for the reader of the body.
 *
 * The handler has the callbacks that undici's own `request` uses: every dispatcher up to undici 7 knows them.
 */
export function exchange (dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    let endRequest: ((reason?: Error) => void) | undefined
    let body: Readable | undefined

    function onAbort (): void {
      reject(signal.reason)
      if (body) body.destroy(signal.reason)
      else endRequest?.(signal.reason)
    }

    signal.throwIfAborted()
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(request, {
      onConnect (abort) {
        endRequest = abort
        if (signal.aborted) abort(signal.reason)
      },

      onHeaders (status, headers, resume) {
        if (status < 200) return true
        body = new Readable({
          highWaterMark: HIGH_WATER_MARK,
          read: resume,
          destroy (error, callback) {
            endRequest?.(error ?? undefined)
            callback(error)
          }
        })
        body.on('error', () => {})
        resolve({ status, header: name => firstValue(headers, name.toLowerCase()), body })
        return true
      },

      onData: chunk => body!.push(chunk),

      onComplete () {
        endRequest = undefined
        signal.removeEventListener('abort', onAbort)
        endArrived(body!)
      },

      onError (error) {
        signal.removeEventListener('abort', onAbort)
        reject(error)
        body?.destroy(error)
      }
    })
  })
}

/** The names and values of raw headers take turns. An interceptor may put the values of a repeated header into one array. */
function firstValue (headers: ReadonlyArray<Buffer | Buffer[]>, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    const isNamed = headers[index]!.length === name.length && headers[index]!.toString('latin1').toLowerCase() === name
    if (isNamed) return [headers[index + 1]!].flat()[0]?.toString('latin1')
  }
  return undefined
}
