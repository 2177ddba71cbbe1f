import type { DocumentServerError } from '../types/document-server.js'

/** An error with a code that the editor shows. */
export function documentServerError (code: number | null, message: string, cause?: unknown): DocumentServerError {
  const error = new Error(message, cause === undefined ? {} : { cause })
  return Object.assign(error, { name: 'DocumentServerError', code })
}

export function isDocumentServerError (error: unknown): error is DocumentServerError {
  return error instanceof Error && error.name === 'DocumentServerError'
}

/** What the editor page is told of an error. */
export function told (error: unknown): { readonly code: number | null, readonly message: string } {
  return {
    code: isDocumentServerError(error) ? error.code : -1,
    message: error instanceof Error ? error.message : String(error)
  }
}

/** What a page hands over must be signed. Source: docs/document-server-protocol.md#its-order-and-its-effects */
export function badToken (message: string): Error {
  return documentServerError(-20, message)
}
