import { Readable } from 'node:stream'
import type { PollingOptions, ConvertOptions, ResultFile } from '../../types/conversions.js'
import { ConversionTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { type Outbound, type OutboundResponse, statusError } from '../outbound/outbound.js'
import { pause } from '../util/limits.js'
import { bytesOf, deferErrors, discard, resumed } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { AnyFunction, Milliseconds, type Rules, Signal } from '../util/validate.js'
import type { DocumentServerClient, FormFile, FromFileService, PostOptions } from './client.js'
import type { Commands } from './commands.js'
import { checkedContent } from './content-check.js'
import type { DocumentKeys } from './document-key.js'
import { resultMediaTypeOf } from './formats.js'

/** Services for conversions and document builds. */
export interface ConversionServices extends Results {
  readonly settings: Settings
  readonly client: DocumentServerClient
  readonly commands: Commands
  readonly keys: DocumentKeys
  readonly offers: FileOffers
  readonly postFile: PostFile
}

/** Lets the document server download files from this instance of the application. */
export interface FileOffers {
  /** Serves a file at a URL that cannot be guessed, until it is withdrawn. */
  offer (bytes: Uint8Array): { readonly url: string, withdraw (): void }
}

/** The first version with these endpoints. Source: emulator/docs/document-server-protocol.md#files-in-requests */
const FIRST_MAJOR_VERSION = 10

/** These statuses say nothing about the next request: this one was too large for a proxy, or one of too many. */
const ABSENT_THIS_TIME: ReadonlySet<number> = new Set([413, 429])

const REMEMBERED_MS = 10 * 60_000
/** Used after an unusable answer: the document server may be starting. */
const REMEMBERED_FAILURE_MS = 60_000

/**
 * Whether the document server's service has answered, or is out of order. Any other answer comes from a server without
 * these endpoints, a proxy or a firewall: then the file can still be downloaded.
 */
function isFromService ({ status, header }: Pick<OutboundResponse, 'status' | 'header'>): boolean {
  if (status === 200) return !/^text\/html\b/i.test(header('content-type') ?? '')
  return status >= 500 && status !== 501
}

/** The endpoints of the document server that take a file in the request, instead of downloading it. */
export type PostFile = ReturnType<typeof createPostFile>

export function createPostFile (client: DocumentServerClient, commands: Commands) {
  let isNewEnough: Promise<boolean> | undefined
  let until = -Infinity
  const absentUntil = new Map<FromFileService, number>()

  /**
   * Posts a request with its file. Resolves to `undefined` if the document server has no such endpoint: it is older
   * than 10.0, the service is switched off, or a proxy does not pass it on. Rejects as `DocumentServerClient.postForm`
   * does.
   */
  return async function postFile (
    service: FromFileService, request: object, file: FormFile, options: PostOptions
  ): Promise<OutboundResponse | undefined> {
    if (performance.now() < (absentUntil.get(service) ?? -Infinity) || !await supported()) return undefined
    const response = await client.postForm(service, request, file, options)
    if (isFromService(response)) return response
    discard(response.body)
    if (!ABSENT_THIS_TIME.has(response.status)) absentUntil.set(service, performance.now() + REMEMBERED_MS)
    return undefined
  }

  async function supported (): Promise<boolean> {
    if (isNewEnough === undefined || performance.now() >= until) {
      until = performance.now() + REMEMBERED_MS
      isNewEnough = commands.send({ c: 'version' }).then(
        ({ version }) => Number.parseInt(version) >= FIRST_MAJOR_VERSION,
        () => {
          until = performance.now() + REMEMBERED_FAILURE_MS
          return false
        }
      )
    }
    return await isNewEnough
  }
}

export interface ResultLocation {
  /** As the document server sent it. */
  readonly url: string
  /** Format that the content must look like. */
  readonly fileType: string
}

export interface FetchOptions {
  /** Whether a page has named the URL and the format: see `OutboundRequest` and `checkedContent`. */
  readonly namedByPage?: boolean
  readonly signal?: AbortSignal | undefined
  /** Makes the error for an unusable URL or content. */
  readonly failure: (reason: string, options?: ErrorOptions) => Error
}

/** A conversion or a document build that is under way. */
export interface Work extends PollingOptions {
  /** Names it in the error message. */
  readonly name: string
}

const DEFAULT_TIMEOUT_MS = 2 * 60_000
const DEFAULT_INTERVAL_MS = 1000

export const awaitRules: Rules<PollingOptions> = { timeout: Milliseconds, interval: Milliseconds, signal: Signal }
export const convertRules: Rules<ConvertOptions> = { ...awaitRules, onProgress: AnyFunction }

type Results = ReturnType<typeof createResults>

/** `closing` aborts what is still awaited, and results that nobody has read. */
export function createResults (outbound: Outbound, closing: AbortSignal) {
  return { awaitResult, fetchResult, resultOf }

  /**
   * Asks for a result until there is one. Rejects with `ConversionTimeoutError`, with the reason of one of the signals,
   * or as `ask` does.
   */
  async function awaitResult<Result> (
    { name, timeout = DEFAULT_TIMEOUT_MS, interval = DEFAULT_INTERVAL_MS, signal: callerSignal }: Work,
    ask: (signal: AbortSignal) => Promise<Result | undefined>
  ): Promise<Result> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new ConversionTimeoutError(name, `${timeout} ms`)), timeout)
    const signal = AbortSignal.any([deadline.signal, untilClosing(callerSignal)])
    try {
      for (let requests = 0; ; requests++) {
        signal.throwIfAborted()
        const result = await ask(signal)
        if (result !== undefined) return result
        await pause(Math.min(interval, interval / 8 * 2 ** requests), signal)
      }
    } catch (error) {
      deadline.abort(error) // ends requests that are still open
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Fetches a file that the document server made. Resolves when its first bytes have arrived and look like its format.
   * Rejects with an error of `failure`, as `Outbound` does, or with `UpstreamError` for a status other than 200.
   */
  async function fetchResult ({ url, fileType }: ResultLocation, options: FetchOptions): Promise<ResultFile> {
    const { namedByPage = false, failure, signal } = options
    const response = await outbound('conversion', resultUrl(url, failure), {
      signal: untilClosing(signal),
      namedByPage
    })
    return await resultOf(response, fileType, options)
  }

  /** The file in a response, as `fetchResult` resolves to it. The signal stops reading it. */
  async function resultOf (
    { status, body, length, header }: OutboundResponse, fileType: string,
    { signal, namedByPage = false, failure }: FetchOptions
  ): Promise<ResultFile> {
    try {
      if (status !== 200) throw statusError(status, `the result answered status ${status}`)
      const chunks = checkedContent(body, {
        fileType,
        storedType: fileType,
        mediaType: header('content-type'),
        mayBeEmpty: length === 0,
        namedByPage,
        mismatchError: found => failure(`the result is ${found}`)
      })
      const checked = resumed(await chunks.next(), chunks)
      return resultFile(fileType, length, abortable(body, checked, untilClosing(signal)))
    } catch (error) {
      discard(body)
      throw error
    }
  }

  function untilClosing (signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, closing]) : closing
  }
}

function resultFile (fileType: string, length: number | undefined, body: Readable): ResultFile {
  return {
    fileType,
    mediaType: resultMediaTypeOf(fileType),
    ...(length !== undefined && { size: length }),
    body,
    async bytes () {
      if (body.readableDidRead) throw new TypeError('The file can be read once, and was already read')
      return await bytesOf(body)
    }
  }
}

/**
 * A stream of the checked bytes of a response. Destroying it ends the request, and so does the signal, even before
 * anything is read.
 */
function abortable (source: Readable, checked: AsyncIterable<Uint8Array>, signal: AbortSignal): Readable {
  const body = deferErrors(Readable.from(checked, { objectMode: false, highWaterMark: 64 * 1024 }))
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
