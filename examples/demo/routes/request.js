import { isFromThisMachine } from '../doctor.js'
import { UnusableRequest } from '../errors.js'
import { cookiesIn, preferencesIn } from '../preferences.js'
import { userOf } from '../users.js'

/** @import { FastifyReply, FastifyRequest } from 'fastify' */
/** @typedef {ReturnType<typeof visitorIn>} Visitor */

/**
 * Whom a page is for.
 * @param {FastifyRequest} request
 */
export function visitorIn (request) {
  return {
    user: userIn(request),
    preferences: preferencesIn(request.headers),
    /** Only users of this machine may look after the application. */
    isLocal: isFromThisMachine(request)
  }
}

/**
 * The user that the URL names, or the last one in this browser. A link to a place in a document names the user who made
 * it.
 * @param {FastifyRequest} request
 */
export function userIn ({ query, headers }) {
  const { user: named, 'action-link': place } = /** @type {{ user?: unknown, 'action-link'?: unknown }} */ (query)
  const last = cookiesIn(headers).get('user')
  return userOf(place === undefined ? named || last : last || named)
}

/** @param {FastifyRequest} request */
export function idIn ({ params }) {
  return /** @type {{ id: string }} */ (params).id
}

/**
 * The document that the query names.
 * @param {FastifyRequest} request
 */
export function documentIn ({ query }) {
  return /** @type {{ document?: unknown }} */ (query).document
}

/**
 * The fields of a JSON object.
 * @param {FastifyRequest} request
 * @returns {Readonly<Record<string, unknown>>}
 */
export function fieldsIn ({ body }) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new UnusableRequest()
  return /** @type {Record<string, unknown>} */ (body)
}

/**
 * Aborted when the browser goes away: nobody waits for the answer any more.
 * @param {FastifyReply} reply
 */
export function untilGone ({ raw }) {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
