import createError from '@fastify/error'

/** A package is needed that is not installed: the message names it. */
export const MissingPackageError = createError<[string, string, options?: ErrorOptions]>(
  'FST_EDITOR_MISSING_PACKAGE', '%s needs a package that is not installed: npm install --save-dev %s', 501)

/** What the document server answers an editor it refuses. `code` is the code the real one sends. */
export interface DocumentServerError extends Error {
  /** 4004 access denied, 4005 token expired, 4006 bad token, 4007 dropped by the host, 4008 saved meanwhile, -10 too large, -81 download failed, -82 bad document key. */
  readonly code: number
}

export function documentServerError (code: number, message: string, cause?: unknown): DocumentServerError {
  const error = new Error(message, cause === undefined ? {} : { cause })
  return Object.assign(error, { name: 'DocumentServerError', code })
}

export function isDocumentServerError (error: unknown): error is DocumentServerError {
  return error instanceof Error && error.name === 'DocumentServerError'
}
