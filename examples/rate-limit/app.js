import Fastify from 'fastify'
import rateLimit from '@fastify/rate-limit'
import editor from 'fastify-onlyoffice'

const HANDLER = '/editor'

/**
 * An application that limits how many requests per minute each client may send.
 * @param {object} options
 * @param {number} [options.perMinute] Requests per minute and client. Opening an editor takes one, fetching its current
 *   version another.
 * @param {string} [options.documentServerAddress] IP address of the document server's requests. They are not limited:
 *   it fetches and saves everybody's documents.
 * @param {import('fastify').FastifyServerOptions} [options.server] Behind a reverse proxy, with `trustProxy`: otherwise
 *   all clients have the proxy's IP address.
 * @param {import('fastify-onlyoffice').EditorOptions} options.editor
 */
export async function createApp ({ perMinute = 120, documentServerAddress, server, editor: editorOptions }) {
  const app = Fastify(server)
  const documentServer = new URL(editorOptions.editorApiUrl ?? '').origin
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' ${documentServer}`,
    `frame-src ${documentServer}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

  // Before the plugin: a rate limit applies to the routes that are registered after it, also inside the plugin.
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: '1 minute',
    allowList: (request, address) =>
      address === documentServerAddress || isAsset(request) ||
      (documentServerAddress === undefined && isCallback(request))
  })
  await app.register(editor, { ...editorOptions, path: HANDLER })

  app.get('/edit/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-store')
      .send(`<!DOCTYPE html>
        <html lang="en">
        <meta name="viewport" content="width=device-width">
        <title>Editor</title>
        <link rel="icon" href="data:,">
        ${control.render()}`)
  })

  return app
}

/**
 * The page's module: a few kilobytes that never change.
 * @param {import('fastify').FastifyRequest} request
 */
function isAsset ({ routeOptions }) {
  return routeOptions.url?.startsWith(`${HANDLER}/assets/`) === true
}

/**
 * A callback carries a user's work, and without its IP address any client may be the document server. The plugin itself
 * refuses callbacks without a URL signature, before it reads their body.
 * @param {import('fastify').FastifyRequest} request
 */
function isCallback ({ method, routeOptions }) {
  return method === 'POST' && routeOptions.url === HANDLER
}
