import type { ConversionRequest, ConvertOptions, ResultFile } from '../../types/conversions.js'
import type { ConvertToPdfOptions } from '../../types/control.js'
import { channels, reportEnd } from '../diagnostics.js'
import { ConversionFailedError, ConversionTimeoutError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import { parseUrl } from '../url.js'
import { unlessAborted } from '../with-timeout.js'
import { assertConvertOptions, awaitResult, pause } from './awaiting.js'
import type { DocumentServerClient } from './client.js'
import { type ConversionAnswer, parseConversionAnswer } from './conversion-answer.js'
import { assertConversionRequest, type ConversionSource, wireRequest } from './conversion-request.js'
import { type ExpectedType, expectedType, writtenAs } from './expected-type.js'
import { extensionOf } from './formats.js'
import type { FetchResult, ResultLocation } from './result-file.js'
import { serviceFailure } from './service-errors.js'

/** The document server's conversion service. */
export interface Conversions {
  /** Rejects as `EditorServer.convert` does. `fileId`: the document that is converted, where it is known. */
  convert (request: ConversionRequest, options?: ConvertOptions, fileId?: string): Promise<ResultFile>
  /** Rejects as `EditorControl.convertToPdf` does, except with `NoDocumentError`. `fileId`: as above. */
  convertToPdf (source: ConversionSource, options?: ConvertToPdfOptions, fileId?: string): Promise<Buffer>
}

interface Dependencies {
  readonly client: Pick<DocumentServerClient, 'post'>
  readonly fetchResult: FetchResult
  /** Ends conversions that are not finished. */
  readonly closing: AbortSignal
}

interface AskOptions {
  readonly signal: AbortSignal | undefined
  readonly shardKey?: string
}

type Answer = Exclude<ConversionAnswer, { readonly error: string }>
type FinishedAnswer = Answer & Required<Pick<Answer, 'fileUrl'>>

const failure = (reason: string, options?: ErrorOptions) => new ConversionFailedError(reason, options)

export function createConversions ({ client, fetchResult, closing }: Dependencies): Conversions {
  return {
    async convert (request, options = {}, fileId) {
      assertConversionRequest(request)
      assertConvertOptions(options)
      const { onProgress, ...awaitOptions } = options
      const wire = wireRequest(request)
      return await reported(fileId, wire.outputtype, ({ size }) => size, async () => {
        const answer = await awaitResult(async signal => {
          const answer = await ask(wire, { signal, shardKey: wire.key })
          if (onProgress) await unlessAborted(Promise.resolve(onProgress({ percent: answer.percent })), signal)
          return isFinished(answer) ? answer : undefined
        }, { ...awaitOptions, work: 'conversion', closing })
        return await fetchResult(locationOf(answer, expectedType(wire.outputtype, request.thumbnail), wire.outputtype), { signal: options.signal, failure })
      })
    },

    async convertToPdf (source, { maxAttempts = 15, delayMs = 1000, signal } = {}, fileId) {
      return await reported(fileId, 'pdf', ({ length }) => length, async () => {
        for (let attempt = 1; attempt <= maxAttempts; attempt++) {
          const { fileUrl } = await ask({ async: true, ...source, outputtype: 'pdf' }, { signal })
          if (fileUrl !== undefined) return await (await fetchResult({ url: fileUrl, fileType: 'pdf' }, { signal, failure })).bytes()
          if (attempt < maxAttempts) await pause(delayMs, signal)
        }
        throw new ConversionTimeoutError('PDF conversion', `${maxAttempts} attempts`)
      })
    }
  }

  async function reported<Result> (fileId: string | undefined, outputType: string, bytesOf: (result: Result) => number | undefined, convert: () => Promise<Result>): Promise<Result> {
    return await reportEnd(channels.conversion, { ...(fileId !== undefined && { fileId }), outputType }, convert, result => {
      const bytes = bytesOf(result)
      return { outcome: 'converted', ...(bytes !== undefined && { bytes }) }
    })
  }

  async function ask (request: object, options: AskOptions): Promise<Answer> {
    const { status, text } = await client.post('converter', request, options)
    if (status !== 200) throw statusError(status, `the conversion service answered status ${status}`)
    const answer = parseConversionAnswer(text)
    if (answer.error === undefined) return answer
    const { reason, ...details } = serviceFailure(answer.error)
    throw new ConversionFailedError(reason, details)
  }
}

function isFinished (answer: Answer): answer is FinishedAnswer {
  return answer.fileUrl !== undefined
}

/** Throws `ConversionFailedError` if the document server made another format. */
function locationOf ({ fileUrl, fileType: announced }: FinishedAnswer, expected: ExpectedType, outputtype: string): ResultLocation {
  const fileType = writtenAs(announced ?? expected.extension ?? extensionOf(parseUrl(fileUrl)?.pathname ?? ''))
  if (!expected.matches(fileType)) throw failure(`the result is ${fileType || 'of an unknown format'} instead of ${outputtype}`)
  return { url: fileUrl, fileType }
}
