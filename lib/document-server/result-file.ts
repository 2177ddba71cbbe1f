import { Readable } from 'node:stream'
import type { ResultFile } from '../../types/conversions.js'
import { type Outbound, type OutboundResponse, statusError } from '../outbound/outbound.js'
import { bytesOf, deferErrors, discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { checkedContent } from './content-check.js'
import { resultMediaTypeOf } from './formats.js'

interface ResultLocation {
  /** As the document server sent it. */
  readonly url: string
  /** Format that the content must look like. */
  readonly fileType: string
}

interface FetchOptions {
  /** Whether a page has named the URL and the format: see `OutboundRequest` and `checkedContent`. */
  readonly namedByPage?: boolean
  readonly signal?: AbortSignal | undefined
  /** Makes the error for an unusable URL or content. */
  readonly failure: (reason: string, options?: ErrorOptions) => Error
}

/**
 * Fetches a file that the document server made. Resolves when its first bytes have arrived and look like its format.
 * Rejects with an error of `failure`, as `Outbound` does, or with `UpstreamError` for a status other than 200.
 */
export type FetchResult = (location: ResultLocation, options: FetchOptions) => Promise<ResultFile>

interface Dependencies {
  readonly outbound: Outbound
  /** Aborts results that nobody has read. */
  readonly closing: AbortSignal
}

export function createResultFetch ({ outbound, closing }: Dependencies): FetchResult {
  return async function fetchResult ({ url, fileType }, { signal: callerSignal, namedByPage = false, failure }) {
    const signal = callerSignal ? AbortSignal.any([callerSignal, closing]) : closing
    const response = await outbound('conversion', resultUrl(url, failure), { signal, namedByPage })
    return await resultOf(response, fileType, { signal, namedByPage, failure })
  }
}

/** The file in a response, as `FetchResult` resolves to it. The signal stops reading it. */
export async function resultOf (
  { status, body, length, header }: OutboundResponse,
  fileType: string,
  { signal, namedByPage = false, failure }: FetchOptions & { readonly signal: AbortSignal }
): Promise<ResultFile> {
  try {
    if (status !== 200) throw statusError(status, `the result answered status ${status}`)
    const chunks = checkedContent(body, {
      filetype: fileType,
      extension: fileType,
      mediaType: header('content-type'),
      length,
      namedByPage,
      mismatchError: found => failure(`the result is ${found}`)
    })
    const first = await chunks.next()
    return resultFile(fileType, length, resumed({ source: body, first, rest: chunks, signal }))
  } catch (error) {
    discard(body)
    throw error
  }
}

function resultFile (fileType: string, length: number | undefined, body: Readable): ResultFile {
  return {
    fileType,
    mediaType: resultMediaTypeOf(fileType),
    ...(length !== undefined && { size: length }),
    body,
    async bytes () {
      if (body.readableDidRead) throw new TypeError('The file can be read once, and was read before')
      return await bytesOf(body)
    }
  }
}

interface Begun {
  readonly source: Readable
  readonly first: IteratorResult<Uint8Array>
  readonly rest: AsyncGenerator<Uint8Array>
  readonly signal: AbortSignal
}

/**
 * A stream of chunks whose first one was already read. Destroying it ends the request, and so does the signal, even
 * before anything is read.
 */
function resumed ({ source, first, rest, signal }: Begun): Readable {
  async function * chunks () {
    if (first.done !== true) yield first.value
    yield * rest
  }
  const body = deferErrors(Readable.from(chunks(), { objectMode: false, highWaterMark: 64 * 1024 }))
  const end = () => { body.destroy(signal.reason) }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  body.once('close', () => {
    signal.removeEventListener('abort', end)
    discard(source)
  })
  return body
}

function resultUrl (url: string, failure: FetchOptions['failure']): URL {
  try {
    return parseHttpUrl(url)
  } catch (cause) {
    throw failure('the URL of its result is invalid', { cause })
  }
}
