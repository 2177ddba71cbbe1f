import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import editor, { fileStorage } from 'fastify-onlyoffice'
import { createDocuments } from './documents.js'
import { login, userOf } from './login.js'
import { routes } from './routes.js'

const PUBLIC = { config: { public: true } }

/**
 * @param {object} options
 * @param {string} options.cookieSecret
 * @param {string} options.corsOrigin Origin of another site of the company, whose pages may read `/api`.
 * @param {number} options.perMinute Requests per minute and client.
 * @param {string} options.directory Of the documents.
 * @param {import('fastify-onlyoffice').EditorOptions} options.editor
 */
export async function createApp ({ cookieSecret, corsOrigin, perMinute, directory, editor: editorOptions }) {
  const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: 'idle' })
  const documents = createDocuments()
  const { origin: documentServer } = new URL(editorOptions.editorApiUrl ?? '')

  // Plugins with hooks for all routes come first: a hook applies to the routes that are registered after it.
  await app.register(underPressure, {
    maxEventLoopDelay: 1000,
    retryAfter: 10,
    exposeStatusRoute: { url: '/status', routeOpts: PUBLIC }
  })
  await app.register(rateLimit, { max: perMinute, timeWindow: '1 minute', allowList: isDocumentServer })
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false, // they would turn http: into https:, also where the document server has only http:
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", documentServer], // the page's module, and api.js
        frameSrc: [documentServer], // the editor
        connectSrc: ["'self'"], // what the module asks of the plugin
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"]
      }
    },
    referrerPolicy: { policy: 'same-origin' } // the editor's close button leads back
  })
  // Only for /api: no other site needs the plugin's routes, least of all with cookies.
  await app.register(cors, {
    delegator: ({ url = '' }, callback) =>
      callback(null, { origin: url.startsWith('/api/') ? corsOrigin : false, credentials: true })
  })
  await app.register(multipart, { limits: { files: 1, fileSize: 10 * 1024 * 1024 } })
  await app.register(swagger, { openapi: { info: { title: 'Company documents', version: '1.0.0' } } })
  await app.register(login, { secret: cookieSecret })

  await app.register(editor, {
    ...editorOptions,
    path: '/editor',
    storage: fileStorage({ directory }),
    openapi: true,
    // The login hook lets the handler's route through for the document server. Pages use it as well, to fetch files:
    // only with a login.
    authorize: (request, { action }) => action === 'proxy' && !userOf(request) ? false : undefined,
    actions: {
      documentName: ({ fileId }) => documents.get(fileId)?.name,
      rename ({ fileId, title, user }) {
        documents.rename(fileId, title, user?.id)
      }
    }
  })
  await app.register(routes, { documents })
  return app
}

/**
 * It saves everybody's documents, and the plugin refuses what it has not signed before reading it. examples/rate-limit
 * tells it by its IP address.
 * @param {import('fastify').FastifyRequest} request
 */
function isDocumentServer ({ routeOptions }) {
  return routeOptions.config.editor?.caller === 'document-server'
}
