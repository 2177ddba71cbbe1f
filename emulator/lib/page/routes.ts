import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const EDITOR_PATH = '/web-apps/apps/documenteditor/main/'
export const API_PATH = '/web-apps/apps/api/documents/api.js'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'"
].join('; ')

/** The script that hosts embed, and the editor page that it frames. */
export async function pageRoutes (app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: fileURLToPath(new URL('../browser/', import.meta.url)),
    prefix: EDITOR_PATH,
    index: 'index.html',
    setHeaders (reply, path) {
      if (path.endsWith('api.js')) return
      reply.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      reply.setHeader('X-Content-Type-Options', 'nosniff')
    }
  })
  // Source: recorded: these headers and no others.
  app.get(API_PATH, {
    onSend: async (request, reply) => { reply.type('application/javascript; charset=UTF-8') }
  }, async (request, reply) => await reply.sendFile('api.js'))
}
