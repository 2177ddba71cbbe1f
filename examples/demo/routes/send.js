import { create as contentDisposition } from 'content-disposition'

/** @import { FastifyReply } from 'fastify' */
/** @import { Readable } from 'node:stream' */
/** @import { Html } from '../html.js' */
/** @typedef {(reply: FastifyReply, page: Html) => FastifyReply} SendPage */

/**
 * @param {string} documentServerOrigin
 * @returns {SendPage}
 */
export function pageSender (documentServerOrigin) {
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' ${documentServerOrigin}`,
    `frame-src 'self' ${documentServerOrigin}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'"
  ].join('; ')

  return function sendPage (reply, page) {
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('cache-control', 'no-store') // each time a document is opened, it needs the key of that moment
      .send(page.html)
  }
}

/**
 * Sends a file that a user made: never as a page of this application.
 * @param {FastifyReply} reply
 * @param {{ name: string, body: Readable | Buffer, mediaType?: string, size?: number | undefined, isShown?: boolean }}
 *   file
 */
export function sendFile (reply, { name, body, mediaType = 'application/octet-stream', size, isShown = false }) {
  if (size !== undefined) reply.header('content-length', size)
  return reply
    .type(mediaType)
    .header('content-disposition', contentDisposition(name, { type: isShown ? 'inline' : 'attachment' }))
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .send(body)
}
