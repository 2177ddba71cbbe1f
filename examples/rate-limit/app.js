import Fastify from 'fastify'
import rateLimit from '@fastify/rate-limit'
import editor from 'fastify-onlyoffice'

const HANDLER = '/editor'

/**
 * A host that limits how many requests one client may send in a minute.
 * @param {object} options
 * @param {number} [options.perMinute] Of each client. Opening an editor takes one, its current version another.
 * @param {string} [options.documentServerAddress] IP address the document server's requests come from. It fetches and saves the documents of everybody.
 * @param {import('fastify').FastifyServerOptions} [options.server] Behind a reverse proxy with `trustProxy`: without it all clients have one address.
 * @param {import('fastify-onlyoffice').EditorOptions} options.editor
 */
export async function createApp ({ perMinute = 120, documentServerAddress, server, editor: editorOptions }) {
  const app = Fastify(server)
  const documentServer = new URL(editorOptions.editorApiUrl).origin
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' ${documentServer}`,
    `frame-src ${documentServer}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

  // Before the plugin: it sees only the routes that come after it, and those of the plugin's own scope too.
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: '1 minute',
    allowList: (request, address) => address === documentServerAddress || isAsset(request) || (documentServerAddress === undefined && isCallback(request))
  })
  await app.register(editor, { ...editorOptions, path: HANDLER })

  app.get('/edit/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-store')
      .send(`<!DOCTYPE html><html lang="en"><title>Editor</title><link rel="icon" href="data:,">${control.render()}</html>`)
  })

  return app
}

/**
 * The page's module: a file of some kilobytes that never changes.
 * @param {import('fastify').FastifyRequest} request
 */
function isAsset ({ routeOptions }) {
  return routeOptions.url?.startsWith(`${HANDLER}/assets/`) === true
}

/**
 * A callback carries somebody's work. As long as nobody has said where the document server is, any client may be it. What has
 * no signature in its URL the plugin refuses by itself, before it reads a body.
 * @param {import('fastify').FastifyRequest} request
 */
function isCallback ({ method, routeOptions }) {
  return method === 'POST' && routeOptions.url === HANDLER
}
