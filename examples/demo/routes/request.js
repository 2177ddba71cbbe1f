import { UnusableRequest } from '../errors.js'
import { cookiesIn } from '../preferences.js'
import { userOf } from '../users.js'

/** @import { FastifyRequest } from 'fastify' */

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
 * The fields of a JSON object.
 * @param {FastifyRequest} request
 * @returns {Readonly<Record<string, unknown>>}
 */
export function fieldsIn ({ body }) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new UnusableRequest()
  return /** @type {Record<string, unknown>} */ (body)
}
