// The error codes of the conversion service and of the document builder. Source: docs/document-server-protocol.md#conversion

import type { JsonObject } from '../json.js'

interface Meaning {
  readonly meaning: string
  /** What to do, or what follows from it. */
  readonly remedy?: string
  /** Whether the same request may succeed later. After every error but -3 the document server tries again. */
  readonly retryable?: boolean
}

const meanings: Readonly<Record<string, Meaning>> = {
  '-1': { meaning: 'unknown error', remedy: 'see the log of the document server', retryable: true },
  '-2': { meaning: 'timeout', remedy: 'the document is large, or the document server is busy', retryable: true },
  '-3': { meaning: 'conversion error', remedy: 'permanent, the document server answers the same for this content and these options' },
  '-4': { meaning: 'it could not download the source', remedy: 'check that the document server can reach publicBaseUrl, or the host of the URL', retryable: true },
  '-5': { meaning: 'wrong password', remedy: 'the document needs one, or another one' },
  '-6': { meaning: 'database error', remedy: 'see the log of the document server', retryable: true },
  '-7': { meaning: 'wrong input', remedy: 'it does not accept the key, the file type or the output type' },
  '-8': { meaning: 'invalid or expired token', remedy: 'compare jwtSecret and the clock with those of the document server' },
  '-9': { meaning: 'the output type is ambiguous', remedy: 'name a format such as docx instead of ooxml or odf' },
  '-10': { meaning: 'size limit exceeded', remedy: 'see FileConverter.converter.maxDownloadBytes and inputLimits of the document server' }
}

/** The error that an answer reports, as text; `undefined` if it reports none. */
export function reportedError ({ error }: JsonObject): string | undefined {
  if (error === undefined || error === null || error === 0) return undefined
  return typeof error === 'object' ? 'without a code' : String(error)
}

export interface ServiceFailure {
  /** The code with its explanation, if it is known. */
  readonly reason: string
  readonly serverCode?: number
  readonly retryable: boolean
}

/** `error`: as the document server sent it. */
export function serviceFailure (error: string): ServiceFailure {
  const { meaning, remedy, retryable = false } = Object.hasOwn(meanings, error) ? meanings[error]! : {} as Partial<Meaning>
  const explanation = [meaning, remedy].filter(Boolean).join(': ')
  return {
    reason: explanation ? `error ${error} (${explanation})` : `error ${error.slice(0, 20).replace(/[^ -~]/g, '?')}`,
    ...(/^-?\d{1,9}$/.test(error) && { serverCode: Number(error) }),
    retryable
  }
}
