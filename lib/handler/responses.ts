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
 * The status that answers an error. An error of another library may have the `statusCode` of another service, even of a
 * success.
 */
export function errorStatus ({ statusCode }: { readonly statusCode?: unknown }): number {
  return typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400 && statusCode <= 599
    ? statusCode
    : 500
}

/** The error that was thrown: application code may throw `null` or `undefined`. */
export function thrownError (thrown: FastifyError | null): FastifyError {
  return thrown ?? Object.assign(new Error('null or undefined was thrown'), { code: '', name: 'Error' })
}

/**
 * Answers a callback. With 0 the document server deletes its copy of a save, with 1 it keeps it.
 * Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
export function answerCallback (reply: FastifyReply, error: 0 | 1): FastifyReply {
  if (reply.sent) return reply // the application has sent one: Fastify would log the URL, with its signature
  // Sent as bytes: Fastify would add a charset to the content type of a string.
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}

/** Codes of our own errors, whose messages contain no secrets. */
export const OWN_CODE = /^FST_EDITOR_/
/** Codes of Fastify itself, such as for a header that it cannot parse. Plugins have other codes. */
const FASTIFY_CODE = /^FST_ERR_/

/** Whether an application hook, not the plugin, certainly ended the request. */
export function isEndedByHook ({ hasReachedAction, isReadingBody, error }: RequestNotes): boolean {
  if (hasReachedAction) return false
  return !error || !(isReadingBody || OWN_CODE.test(error.code) || FASTIFY_CODE.test(error.code))
}
