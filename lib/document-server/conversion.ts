import { setTimeout as delay } from 'node:timers/promises'
import type { ConvertToPdfOptions } from '../../types/control.js'
import { digest } from '../digest.js'
import { ConversionFailedError, ConversionTimeoutError, InvalidOptionError } from '../errors.js'
import { type Outbound, statusError } from '../outbound/outbound.js'
import { bytesOf, discard } from '../streams.js'
import { parseHttpUrl } from '../url.js'
import type { DocumentServerClient } from './client.js'
import { type ConversionAnswer, explainConversionError, parseConversionAnswer } from './conversion-answer.js'

export interface ConversionSource {
  /** The document server caches the result under this key. */
  readonly key: string
  readonly url: string
  /** Extension of the bytes at `url`. */
  readonly filetype: string
  readonly title: string
}

/**
 * Converts a document to PDF. Rejects with `InvalidOptionError`, `ConversionTimeoutError`, `ConversionFailedError`, as `Outbound`
 * does, or with the reason of the signal.
 */
export type PdfConverter = (source: ConversionSource, options?: ConvertToPdfOptions) => Promise<Buffer>

interface Dependencies {
  readonly client: DocumentServerClient
  readonly outbound: Outbound
}

const PATH = '/ConvertService.ashx'
const PDF_SIGNATURE = Buffer.from('%PDF-')

/** The result is cached by its key alone: the key must depend on everything that shapes the result. */
export function conversionKey (...parts: readonly string[]): string {
  return digest(...parts)
}

export function createPdfConverter ({ client, outbound }: Dependencies): PdfConverter {
  return async function convertToPdf (source, { maxAttempts = 15, delayMs = 1000, signal } = {}) {
    if (!Number.isInteger(maxAttempts) || maxAttempts < 1) throw new InvalidOptionError('maxAttempts', 'must be a whole number, at least 1')
    if (!Number.isInteger(delayMs) || delayMs < 0) throw new InvalidOptionError('delayMs', 'must be a whole number of milliseconds, at least 0')

    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { fileUrl } = await ask(source, signal)
      if (fileUrl !== undefined) return await fetchPdf(fileUrl, signal)
      if (attempt < maxAttempts) await pause(delayMs, signal)
    }
    throw new ConversionTimeoutError(maxAttempts)
  }

  async function ask (source: ConversionSource, signal: AbortSignal | undefined): Promise<ConversionAnswer> {
    const { status, text } = await client.post('conversion', PATH, { async: true, ...source, outputtype: 'pdf' }, { signal })
    if (status !== 200) throw statusError(status, `the conversion service answered status ${status}`)
    const answer = parseConversionAnswer(text)
    if (answer.error !== undefined) throw new ConversionFailedError(explainConversionError(answer.error))
    return answer
  }

  async function fetchPdf (fileUrl: string, signal: AbortSignal | undefined): Promise<Buffer> {
    const { status, body } = await outbound('conversion', resultUrl(fileUrl), signal && { signal })
    if (status !== 200) {
      discard(body)
      throw statusError(status, `the converted file answered status ${status}`)
    }
    const pdf = await bytesOf(body)
    if (!pdf.subarray(0, PDF_SIGNATURE.length).equals(PDF_SIGNATURE)) throw new ConversionFailedError('the result is not a PDF')
    return pdf
  }
}

function resultUrl (fileUrl: string): URL {
  try {
    return parseHttpUrl(fileUrl)
  } catch (cause) {
    throw new ConversionFailedError('the URL of its result is invalid', { cause })
  }
}

/** Rejects with the signal's reason; `delay` alone would reject with an `AbortError`. */
async function pause (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal && { signal }).catch(() => {})
  signal?.throwIfAborted()
}
