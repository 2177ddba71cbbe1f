import { type Time, TimeoutError } from '../clock/time.js'
import { documentServerError } from '../../errors.js'
import { CrashedError, type OutboundClient } from './client.js'

const ATTEMPTS = 3
const PAUSE_MS = 1000

/** Source: the document server's error "download of the document failed". */
const DOWNLOAD_FAILED = -81
/** Source: observed. The converter answers -10 in its place. */
export const DOWNLOAD_TOO_LARGE = -93

/**
 * Downloads a document in up to three attempts, one second apart. Only status 200 and 206 succeed. A broken connection
 * and a timeout are not retried. 0 bytes give an empty document of the type. Rejects with a `DocumentServerError`.
 */
export async function download (
  client: OutboundClient,
  time: Time,
  url: string,
  fileType: string,
  options: { readonly signed?: boolean } = {}
): Promise<Uint8Array> {
  let failure: unknown
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const { status, bytes } = await client.get(url, options)
      if (status === 200 || status === 206) return bytes.length === 0 ? await emptyDocument(fileType) : bytes
      failure = new Error(`The application answered ${status}`)
    } catch (error) {
      if (error instanceof CrashedError) throw error
      if (error instanceof RangeError) {
        throw documentServerError(DOWNLOAD_TOO_LARGE, 'The document is larger than 100 MB', error)
      }
      failure = error
      if (isBroken(error)) break
    }
    await time.pause(PAUSE_MS, client.crashSignal())
  }
  const reason = failure instanceof Error ? failure.message : String(failure)
  throw documentServerError(DOWNLOAD_FAILED, `The document could not be downloaded. ${reason}: ${url}`, failure)
}

async function emptyDocument (fileType: string): Promise<Uint8Array> {
  const { emptyTemplate } = await import('../../documents/empty.js')
  return emptyTemplate(fileType)
}

// Source: observed. These are codes of Node.js and undici.
const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
])

function isBroken (error: unknown): boolean {
  return error instanceof TimeoutError || BROKEN.has(String((error as { code?: unknown }).code))
}
