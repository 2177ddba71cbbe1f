import { parse as parseContentDisposition } from 'content-disposition'
import type { ConvertToPdfOptions } from '../../types/control.js'
import type { ConversionRequest, ConvertOptions, ResultFile } from '../../types/conversions.js'
import { channels, reportEnd } from '../diagnostics.js'
import { ConversionFailedError, ConversionTimeoutError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import { pause, unlessAborted } from '../util/limits.js'
import { bytesOf, bytesOfContent, contentFrom, discard } from '../util/streams.js'
import { parseUrl } from '../util/url.js'
import { assertOptions } from '../util/validate.js'
import type { PostOptions } from './client.js'
import {
  assertConversionRequest, type ConversionAnswer, type ConversionSource, parseConversionAnswer, serviceFailure,
  type WireRequest, wireRequest
} from './conversion-service.js'
import { isOfficeOpenXml } from './file-signatures.js'
import { extensionOf } from './formats.js'
import { type ConversionServices, convertRules } from './files.js'

/** A conversion as it is asked for, and how its result is awaited. */
interface Conversion {
  readonly wire: WireRequest
  readonly options: ConvertOptions
}

/** The progress of a conversion, and how to get its result once there is one. */
interface Step {
  readonly percent: number
  readonly result?: () => Promise<ResultFile>
}

type Answer = Exclude<ConversionAnswer, { readonly error: string }>

const failure = (reason: string, options?: ErrorOptions) => new ConversionFailedError(reason, options)

/** The document server's conversion service. */
export type Conversions = ReturnType<typeof createConversions>

export function createConversions (
  { client, settings, offers, postFile, awaitResult, fetchResult, resultOf }: ConversionServices
) {
  return { convert, convertToPdf }

  /** `fileId` is the document that is converted, if it is known. Rejects as `EditorServer.convert` does. */
  async function convert (
    request: ConversionRequest, options: ConvertOptions = {}, fileId?: string
  ): Promise<ResultFile> {
    assertConversionRequest(request)
    assertOptions(convertRules, options)
    const { url, key, content, ...fields } = request
    return await reported(fileId, request.outputType.toLowerCase(), ({ size }) => size, async () => {
      if (url !== undefined) return await byUrl({ wire: wireRequest(fields, key ?? url), options }, url)
      const bytes = await bytesOfContent(contentFrom(content), settings.maxFileSize)
      const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
      return await inRequest({ wire: wireRequest(fields, hash), options }, bytes)
    })
  }

  /** Rejects as `EditorControl.convertToPdf` does, except with `NoDocumentError`. */
  async function convertToPdf (
    source: ConversionSource, { maxAttempts = 15, delayMs = 1000, signal }: ConvertToPdfOptions = {}, fileId?: string
  ): Promise<Buffer> {
    return await reported(fileId, 'pdf', ({ length }) => length, async () => {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const { fileUrl } = await ask({ async: true, ...source, outputtype: 'pdf' }, { signal })
        if (fileUrl !== undefined) {
          return await (await fetchResult({ url: fileUrl, fileType: 'pdf' }, { signal, failure })).bytes()
        }
        if (attempt < maxAttempts) await pause(delayMs, signal)
      }
      throw new ConversionTimeoutError('PDF conversion', `${maxAttempts} attempts`)
    })
  }

  async function reported<Result> (
    fileId: string | undefined, outputType: string, bytesOf: (result: Result) => number | undefined,
    convert: () => Promise<Result>
  ): Promise<Result> {
    const conversion = { ...(fileId !== undefined && { fileId }), outputType }
    return await reportEnd(channels.conversion, conversion, convert, result => {
      const bytes = bytesOf(result)
      return { outcome: 'converted', ...(bytes !== undefined && { bytes }) }
    })
  }

  /** Asks until there is a result. */
  async function awaited (
    { options: { onProgress, ...options } }: Conversion, ask: (signal: AbortSignal) => Promise<Step>
  ): Promise<ResultFile> {
    const result = await awaitResult({ ...options, name: 'conversion' }, async signal => {
      const { percent, result } = await ask(signal)
      if (onProgress) await unlessAborted(Promise.resolve(onProgress({ percent })), signal)
      return result
    })
    return await result()
  }

  /** The document server downloads the document. */
  async function byUrl (conversion: Conversion, url: string): Promise<ResultFile> {
    const { wire } = conversion
    return await awaited(conversion, async signal =>
      stepOf(await ask({ ...wire, url }, { signal, shardKey: wire.key }), conversion)
    )
  }

  /**
   * Sends the document in the first request and gets the result in the last answer. If that is not possible, the
   * document server downloads the document.
   */
  async function inRequest (conversion: Conversion, bytes: Uint8Array<ArrayBuffer>): Promise<ResultFile> {
    const { wire, options } = conversion
    const file = { name: `document.${wire.filetype}`, bytes }
    let isSent = false
    return await awaited(conversion, async signal => {
      const post = { signal, shardKey: wire.key, isRepeatable: true }
      const response = isSent
        ? await client.postForm('converter', wire, undefined, post)
        : await postFile('converter', wire, file, post)
      isSent = true
      if (response === undefined) return { percent: 0, result: async () => await byOffer(conversion, bytes) }
      const { status, header, body } = response
      if (status === 200 && !/^application\/json\b/i.test(header('content-type') ?? '')) {
        const fileType = resultType(wire, extensionOf(fileNameOf(header('content-disposition'))))
        const result = async () => await resultOf(response, fileType, { signal: options.signal, failure })
        return { percent: 100, result }
      }
      if (status === 200) return stepOf(answerOf((await bytesOf(body)).toString()), conversion)
      discard(body)
      throw statusError(status, `the conversion service answered status ${status}`)
    })
  }

  /** The document server downloads the document from this instance. */
  async function byOffer (conversion: Conversion, bytes: Uint8Array): Promise<ResultFile> {
    const { url, withdraw } = offers.offer(bytes)
    try {
      return await byUrl(conversion, url)
    } finally {
      withdraw()
    }
  }

  function stepOf ({ fileUrl, fileType: announced, percent }: Answer, { wire, options }: Conversion): Step {
    if (fileUrl === undefined) return { percent }
    const fileType = resultType(wire, announced, extensionOf(parseUrl(fileUrl)?.pathname))
    const result = async () => await fetchResult({ url: fileUrl, fileType }, { signal: options.signal, failure })
    return { percent, result }
  }

  async function ask (request: object, options: PostOptions): Promise<Answer> {
    return answerOf(await client.post('converter', request, { ...options, isRepeatable: true }))
  }
}

function answerOf (text: string): Answer {
  const answer = parseConversionAnswer(text)
  if (answer.error === undefined) return answer
  const { reason, ...details } = serviceFailure(answer.error)
  throw new ConversionFailedError(reason, details)
}

function fileNameOf (disposition = ''): string {
  try {
    return parseContentDisposition(disposition).parameters.filename ?? ''
  } catch { // the name is not needed if the format is known
    return ''
  }
}

/** Output types that leave the choice of the format to the document server. */
const FAMILIES = { ooxml: isOfficeOpenXml, odf: (fileType: string) => /^od[tspg]$/.test(fileType) }

const IMAGES: ReadonlySet<string> = new Set(['bmp', 'gif', 'jpg', 'png', 'tiff'])

/**
 * Formats that the document server writes with another extension.
 * Source: emulator/docs/document-server-protocol.md#conversion
 */
const WRITTEN_AS: ReadonlyMap<string, string> = new Map([
  ['pdfa', 'pdf'], ['htm', 'html'], ['mhtml', 'mht'], ['jpeg', 'jpg'], ['jpe', 'jpg'], ['tif', 'tiff'],
  ['wps', 'doc'], ['xml', 'txt'], ['xslt', 'txt'], ['dps', 'ppt'], ['et', 'xls'], ['xltb', 'xlsb']
])

/**
 * The format of a result: what the document server says or, if that is unknown, what was asked for or `otherwise`.
 * Throws `ConversionFailedError` if it is not what was asked for.
 */
function resultType ({ outputtype, thumbnail }: WireRequest, announced?: string, otherwise = ''): string {
  const isFamily = outputtype === 'ooxml' || outputtype === 'odf'
  const written = isFamily ? '' : writtenAs(outputtype)
  const expected = thumbnail?.first === false && IMAGES.has(written) ? 'zip' : written
  const fileType = writtenAs(announced || expected || otherwise)
  const matches = isFamily ? FAMILIES[outputtype](fileType) : fileType === expected
  if (!matches) throw failure(`the result is ${fileType || 'of an unknown format'} instead of ${outputtype}`)
  return fileType
}

/** The extension with which the document server writes a format. */
function writtenAs (extension: string): string {
  return WRITTEN_AS.get(extension) ?? extension
}
