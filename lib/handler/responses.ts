import type { FastifyError, FastifyReply } from 'fastify'
import type { RequestNotes } from './request.js'

/** For bytes that users or other servers supplied: the browser must not execute them in this origin. */
export const untrustedContentHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store'
} as const

/**
 * The status that answers an error. Errors of other libraries have a `statusCode` of another service, which may even be
 * that of a success.
 */
export function errorStatus ({ statusCode }: { readonly statusCode?: unknown }): number {
  return typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400 && statusCode <= 599
    ? statusCode
    : 500
}

/** What was thrown: code that is not ours may throw nothing. */
export function thrownError (thrown: FastifyError | null): FastifyError {
  return thrown ?? Object.assign(new Error('null or undefined was thrown'), { code: '', name: 'Error' })
}

/**
 * Answers a callback. With 0 the document server deletes its copy of a save, with 1 it keeps it.
 * Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
export function answerCallback (reply: FastifyReply, error: 0 | 1): FastifyReply {
  if (reply.sent) return reply // by the application itself: Fastify would log the URL, with its signature
  // As bytes: Fastify would add a charset to the content type of a string.
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}

/** Of our own errors. Their messages contain no secrets. */
export const OWN_CODE = /^FST_EDITOR_/
/** Of Fastify itself, such as for a header that it cannot parse; plugins have other ones. */
const FASTIFY_CODE = /^FST_ERR_/

/**
 * Whether a request to the handler, which has been answered or has failed, was ended by a hook of the application for
 * certain.
 */
export function isEndedByHook ({ hasReachedAction, isReadingBody, error }: RequestNotes): boolean {
  if (hasReachedAction) return false
  return !error || !(isReadingBody || OWN_CODE.test(error.code) || FASTIFY_CODE.test(error.code))
}

/**
 * Media type of what `control.render()` returns, for a route that `<document-editor src>` fetches from. The element
 * takes no other answer: what users upload is never sent with this type.
 * @example
 * ```js
 * app.get('/documents/report/editor', async (_request, reply) => {
 *   const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
 *   return reply.type(fragmentType).header('cache-control', 'no-store').send(control.render())
 * })
 * ```
 */
export const fragmentType = 'text/vnd.fastify-onlyoffice.fragment+html'
