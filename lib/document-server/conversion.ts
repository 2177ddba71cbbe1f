import { setTimeout as delay } from 'node:timers/promises'
import type { ConvertToPdfOptions } from '../../types/control.js'
import { ConversionFailedError, ConversionTimeoutError, InvalidOptionError, UpstreamError } from '../errors.js'
import { bytesOf } from '../outbound/limited-body.js'
import type { Outbound, OutboundResponse } from '../outbound/outbound.js'
import { discard } from '../readable.js'
import { parseHttpUrl } from '../security/http-url.js'
import { type ConversionAnswer, explainConversionError, parseConversionAnswer } from './conversion-answer.js'
import type { TokenSigner } from './token.js'

export interface ConversionSource {
  /** The document server keeps a result by this key: the same key gives the old result. */
  readonly key: string
  readonly url: string
  /** Extension of the bytes at `url`. */
  readonly filetype: string
  readonly title: string
}

export type PdfConverter = (source: ConversionSource, options?: ConvertToPdfOptions) => Promise<Buffer>

interface Dependencies {
  readonly outbound: Outbound
  readonly tokens: TokenSigner
  readonly editorApiUrl: URL
}

const ANSWER_LIMIT = 1024 * 1024
const PDF_SIGNATURE = '%PDF-'

/** Converts through the document server, asking until the result is ready. */
export function createPdfConverter ({ outbound, tokens, editorApiUrl }: Dependencies): PdfConverter {
  const conversionUrl = new URL('/ConvertService.ashx', editorApiUrl.origin)

  return async function convertToPdf (source, { maxAttempts = 15, delayMs = 1000, signal } = {}) {
    if (!Number.isInteger(maxAttempts) || maxAttempts < 1) throw new InvalidOptionError('maxAttempts', 'must be a whole number, at least 1')
    if (!Number.isInteger(delayMs) || delayMs < 0) throw new InvalidOptionError('delayMs', 'must be a whole number of milliseconds, at least 0')

    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { fileUrl } = await ask(source, signal)
      if (fileUrl !== undefined) return fetchPdf(fileUrl, signal)
      if (attempt < maxAttempts) await pause(delayMs, signal)
    }
    throw new ConversionTimeoutError(maxAttempts)
  }

  async function ask (source: ConversionSource, signal: AbortSignal | undefined): Promise<ConversionAnswer> {
    const request = { async: true, ...source, outputtype: 'pdf' }
    const response = await outbound('conversion', conversionUrl, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${tokens.sign({ payload: request })}`
      },
      body: JSON.stringify({ ...request, token: tokens.sign(request) }),
      limit: ANSWER_LIMIT,
      ...(signal && { signal })
    })
    assertOk(response, 'the conversion service')
    const answer = parseConversionAnswer((await bytesOf(response.body)).toString('utf8'))
    if (answer.error !== undefined) throw new ConversionFailedError(explainConversionError(answer.error))
    return answer
  }

  async function fetchPdf (fileUrl: string, signal: AbortSignal | undefined): Promise<Buffer> {
    const response = await outbound('conversion', addressOf(fileUrl), signal && { signal })
    assertOk(response, 'the converted file')
    const pdf = await bytesOf(response.body)
    if (!pdf.subarray(0, PDF_SIGNATURE.length).equals(Buffer.from(PDF_SIGNATURE))) throw new ConversionFailedError('the result is not a PDF')
    return pdf
  }
}

function addressOf (fileUrl: string): URL {
  try {
    return parseHttpUrl(fileUrl)
  } catch (cause) {
    throw new ConversionFailedError('its result has no usable address', { cause })
  }
}

/** Rejects with the signal's reason, as everything else here does; the timer itself would reject with an error of its own. */
async function pause (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal && { signal }).catch(() => {})
  signal?.throwIfAborted()
}

function assertOk (response: OutboundResponse, what: string): void {
  if (response.status === 200) return
  discard(response.body)
  throw new UpstreamError(`${what} answered status ${response.status}`)
}
