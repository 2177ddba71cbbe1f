import { NoContent, OtherSite } from './errors.js'

/** @import { FastifyInstance } from 'fastify' */

/** A page of another site can't send these without asking this application first, which never allows it. */
const PREFLIGHTED = /^application\/(json|octet-stream)\b/i

/**
 * Lets only the demo's own pages change something. There is no login, so other sites could otherwise do it in the
 * browser of a user.
 * @param {FastifyInstance} app
 */
export function onlyOwnPagesChange (app) {
  app.addHook('onRequest', async ({ method, headers }) => {
    if (method === 'GET' || method === 'HEAD') return
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new OtherSite()
    if (!PREFLIGHTED.test(headers['content-type'] ?? '')) throw new NoContent()
  })
}
