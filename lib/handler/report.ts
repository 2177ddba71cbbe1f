import type { FastifyReply } from 'fastify'
import { InvalidReportError } from '../errors.js'
import { MAX_FILE_ID_BYTES } from '../security/file-id.js'
import type { Credentials } from './credentials.js'
import { lineLimit } from './line-limit.js'
import { explainFailure, isKnownFailure } from './opening-failures.js'
import type { HandlerRequest } from './request.js'
import { untrustedContentHeaders } from './responses.js'

interface Dependencies {
  readonly credentials: Pick<Credentials, 'authorizeReport'>
  /** What the handler saw of the last opening of a file, for the log. */
  readonly explainOpening?: (fileId: string) => string | undefined
  /** Called with what a page of this file reported, as often as it is logged. */
  readonly onReport?: (fileId: string, words: string) => void
}

/** Of the page's module, or a code of the editor. */
const CODE = /^(slow|no-frame|-?\d{1,4})$/

const INTERVAL_MS = 60_000
/** Within that interval, of all pages. */
const MAX_LINES = 100

/** Logs why a document did not open in a browser: only the browser knows. */
export function createReportHandler ({ credentials, explainOpening, onReport }: Dependencies) {
  // Anybody with an editor page can report as often as they like.
  const isDue = lineLimit({ interval: INTERVAL_MS, max: MAX_LINES })

  return async function handleReport (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { code = '' } = request.query
    if (!CODE.test(code)) throw new InvalidReportError('its code must be slow, no-frame, or an integer of at most 4 digits')
    const isProven = await credentials.authorizeReport(request)

    const fileId = request.query.fileId?.slice(0, MAX_FILE_ID_BYTES) ?? ''
    if (isDue(`${isKnownFailure(code) ? code : 'unknown'} ${fileId}`)) {
      const { meaning, remedy, isAboutApplication } = explainFailure(code)
      if (isProven) onReport?.(fileId, `code ${code}: ${meaning}`)
      const seen = isAboutApplication && explainOpening?.(fileId)
      request.log.warn({ fileId, code }, [`a document did not open in the browser: ${meaning}.`, remedy, seen].filter(Boolean).join(' '))
    }
    return reply.code(204).headers(untrustedContentHeaders).send()
  }
}
