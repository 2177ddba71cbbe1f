import type { FastifyReply } from 'fastify'
import { InvalidReportError } from '../errors.js'
import { MAX_FILE_ID_BYTES } from '../security/names.js'
import { createLimiter } from '../util/limits.js'
import type { Parts } from '../parts.js'
import { type HandlerRequest, untrustedContentHeaders } from './request.js'

/** A code of the page's module or of the editor. */
const CODE = /^(slow|no-frame|csp|-?\d{1,4})$/

/**
 * Logs why a document did not open in a browser, which only the browser knows. Adds what the requests to the handler
 * show about it.
 */
export function createReportHandler ({ credentials, openings, openingExplainer }: Parts) {
  // Anybody with an editor page can report as often as they like.
  const allLines = createLimiter({ amount: 100, interval: 60_000 })
  const equalLines = createLimiter({ amount: 1, interval: 60_000 })
  const isDue = (line: string) => equalLines(line).wait === 0 && allLines('').wait === 0

  return async function handleReport (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { code = '' } = request.query
    if (!CODE.test(code)) {
      throw new InvalidReportError('its code must be slow, no-frame, csp, or an integer of at most 4 digits')
    }
    const isProven = await credentials.authorizeReport(request)

    const fileId = request.query.fileId?.slice(0, MAX_FILE_ID_BYTES) ?? ''
    if (isDue(`${failures[code] ? code : 'unknown'} ${fileId}`)) {
      const { meaning, remedy, isAboutApplication } = failures[code] ?? unknown
      if (isProven) openings.reported(fileId, `code ${code}: ${meaning}`)
      const seen = isAboutApplication && openingExplainer.summary(fileId)
      request.log.warn(
        { fileId, code },
        [`a document did not open in the browser: ${meaning}.`, remedy, seen].filter(Boolean).join(' ')
      )
    }
    return reply.code(204).headers(untrustedContentHeaders).send()
  }
}

/** Why a document did not open in a browser, for the operator. */
interface OpeningFailure {
  readonly meaning: string
  /** Whole sentences. */
  readonly remedy: string
  /** Whether the cause may be this application's answer to the document server, or a request that never reached it. */
  readonly isAboutApplication?: true
}

const RUN_DOCTOR = 'Run `npx fastify-onlyoffice doctor`.'

const unreachable: OpeningFailure = {
  meaning: 'the browser could not load the document server\'s api.js',
  remedy:
    `Open editorApiUrl in that browser. It must answer with a script, over https if the page has https. If it does, the user may have been offline. ${RUN_DOCTOR}`
}
const notDownloaded: OpeningFailure = {
  meaning: 'the document server could not download the document from this application',
  remedy:
    `If this log has no download of the file, the document server cannot reach publicBaseUrl: in a container, localhost is the container itself. Otherwise the line of that download says why it was refused. ${RUN_DOCTOR}`,
  isAboutApplication: true
}
const rejectedToken: OpeningFailure = {
  meaning: 'the document server rejected the token of the configuration',
  remedy:
    `Make jwtSecret the secret that the document server uses for browsers, services.CoAuthoring.secret.inbox.string (JWT_SECRET of its container), and restart it after a change. ${RUN_DOCTOR}`
}
const expiredToken: OpeningFailure = {
  meaning: 'the document server regards the token of the configuration as expired',
  remedy: 'Reload the page, and compare the clocks of this application and of the document server.'
}

const unconverted: OpeningFailure = {
  meaning: 'the document server could not convert the document for the editor, and remembers the failure under the document key',
  remedy:
    `"Try again" in the page opens it under a new key for a user who may change the document, at most once in a minute and only if nobody has it open. If that fails, too, the file is damaged, its content does not match its extension, or the converter is broken: look at the log of the document server's converter. ${RUN_DOCTOR}`
}

/** By the code of the editor's `onError`. Source: emulator/docs/document-server-protocol.md#the-editor-in-the-page */
const failures: Readonly<Partial<Record<string, OpeningFailure>>> = {
  0: unreachable,
  '-4': notDownloaded,
  '-81': notDownloaded,
  '-20': rejectedToken,
  '-80': unconverted,
  '-82': unconverted,
  4006: rejectedToken,
  '-21': expiredToken,
  4005: expiredToken,
  4004: {
    meaning: 'the document server denied access',
    remedy:
      'Pass the configuration of the control to the editor unchanged. A documentKey that you assign may have only letters, digits and . _ = -'
  },
  4007: {
    meaning: 'the document server ended the session of this user',
    remedy: 'The command drop was sent, or the callbackUrl that you assigned is not an http(s) URL.'
  },
  4008: {
    meaning: 'the document has been saved since the page was made',
    remedy: 'Reload the page, and send pages with Cache-Control: no-store.'
  },
  csp: {
    meaning: 'the page\'s Content-Security-Policy blocks the document server\'s api.js or the editor\'s frame',
    remedy:
      'Add the origin of editorApiUrl to script-src and frame-src of that policy, or pass its nonce to render() and the origin to frame-src.'
  },
  'no-frame': {
    meaning: 'the document server\'s api.js made no frame for the editor',
    remedy:
      'It does not know the format of the document, or refuses another field of the configuration: an alert in the browser names it.'
  },
  slow: {
    meaning: 'the editor was not ready after 30 seconds',
    remedy:
      `The document server may be busy or wait for this application, or a proxy may block its connection to the browser (WebSocket). ${RUN_DOCTOR}`,
    isAboutApplication: true
  }
}

const unknown: OpeningFailure = {
  meaning: 'the editor reported an error',
  remedy: `Look at the log of the document server. ${RUN_DOCTOR}`,
  isAboutApplication: true
}
