import { UnusableRequest } from '../errors.js'
import { cookiesIn } from '../preferences.js'
import { userOf } from '../users.js'

/** @import { FastifyRequest } from 'fastify' */

/**
 * The user that the URL names, or the last one in this browser.
 * @param {FastifyRequest} request
 */
export function userIn ({ query, headers }) {
  return userOf(/** @type {{ user?: unknown }} */ (query).user || cookiesIn(headers).get('user'))
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
