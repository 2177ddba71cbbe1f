import type { FastifyBaseLogger } from 'fastify'
import { isDocumentServerError } from '../../errors.js'
import { CrashedError } from '../outbound/client.js'
import { DOWNLOAD_TOO_LARGE } from '../outbound/download.js'

/** Source: docs/document-server-protocol.md#conversion */
export const ConversionCode = {
  unknown: -1,
  timeout: -2,
  conversion: -3,
  download: -4,
  password: -5,
  input: -7,
  token: -8,
  ambiguous: -9,
  tooLarge: -10
} as const

export interface Failure {
  readonly error: number
}

/** The code for a conversion or a build that has thrown. */
export function failureOf (error: unknown, key: string, log: Pick<FastifyBaseLogger, 'error'>): Failure {
  if (error instanceof CrashedError) return { error: ConversionCode.unknown }
  if (isDocumentServerError(error)) {
    return { error: error.code === DOWNLOAD_TOO_LARGE ? ConversionCode.tooLarge : ConversionCode.download }
  }
  log.error({ err: error, key }, 'conversion failed')
  return { error: ConversionCode.conversion }
}
