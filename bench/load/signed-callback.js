import { createSigner } from 'fast-jwt'
import { JWT_SECRET } from '../framework/secret.js'

const sign = createSigner({ key: JWT_SECRET, algorithm: 'HS256', noTimestamp: true })
const LIFETIME_SECONDS = 3600

/**
 * The body of a callback, as the document server sends it.
 * @param {string} key of the document
 * @param {number} status
 * @param {object} [fields]
 */
export function signedCallback (key, status, fields) {
  const payload = { key, status, users: ['ada'], ...fields, exp: Math.floor(Date.now() / 1000) + LIFETIME_SECONDS }
  return JSON.stringify({ ...payload, token: sign(payload) })
}
