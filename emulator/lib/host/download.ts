import { type Time, TimeoutError } from '../clock/time.js'
import { emptyTemplate } from '../documents/empty/template.js'
import { documentServerError } from '../errors.js'
import { isTooLarge } from './answer.js'
import { CrashedError, type HostClient } from './client.js'

const ATTEMPTS = 3
const PAUSE_MS = 1000

/** Source: the document server's error "download of the document failed". */
const DOWNLOAD_FAILED = -81
export const DOWNLOAD_TOO_LARGE = -10

/**
 * Fetches a document: three attempts one second apart, status 200 or 206 only. A connection that ends or takes too long is the
 * last one. A document of 0 bytes is an empty template of its type. Rejects with a `DocumentServerError`.
 */
export async function download (host: HostClient, time: Time, url: string, fileType: string): Promise<Uint8Array> {
  let failure: unknown
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const { status, bytes } = await host.get(url)
      if (status === 200 || status === 206) return bytes.length === 0 ? emptyTemplate(fileType) : bytes
      failure = new Error(`The host answered ${status}`)
    } catch (error) {
      if (error instanceof CrashedError) throw error
      if (isTooLarge(error)) throw documentServerError(DOWNLOAD_TOO_LARGE, 'The document is larger than 100 MB', error)
      failure = error
      if (isCutOff(error)) break
    }
    await time.pause(PAUSE_MS, host.life())
  }
  const reason = failure instanceof Error ? failure.message : String(failure)
  throw documentServerError(DOWNLOAD_FAILED, `The document could not be downloaded. ${reason}: ${url}`, failure)
}

// Source: observed; the codes are those of Node.js and of undici.
const CUT_OFF = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

function isCutOff (error: unknown): boolean {
  return error instanceof TimeoutError || CUT_OFF.has(String((error as { code?: unknown }).code))
}
