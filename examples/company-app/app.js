import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { createAccounts } from './accounts.js'
import { createDocuments } from './documents.js'
import { editorHooks } from './editor.js'
import { login, loginRoutes, PUBLIC } from './login.js'
import { errorPage, send } from './pages.js'
import { adminRoutes, documentRoutes, listRoutes } from './routes.js'

const EDITOR_PATH = '/editor'

export async function createApp ({
  database,
  sessionSecret,
  adminPassword, // of the user `admin`, whom the first start makes
  trustProxy = false,
  loginsPerMinute = 10, // of one client, as all requests
  requestsPerMinute = 600,
  editor: editorOptions
}) {
  const app = Fastify({ logger: { level: 'warn' }, trustProxy, forceCloseConnections: 'idle' })
  const accounts = createAccounts(database)
  const documents = createDocuments(database)
  await accounts.addFirst({ login: 'admin', name: 'Administrator', password: adminPassword })
  const { origin: documentServer } = new URL(editorOptions.editorApiUrl)

  // Plugins with hooks for all routes come first: a hook applies to the routes that are registered after it.
  await app.register(underPressure, {
    maxEventLoopDelay: 1000,
    exposeStatusRoute: { url: '/status', routeOpts: { config: PUBLIC } }
  })
  // The document server is exempt: it saves everybody's documents, and the plugin checks its signatures first.
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: '1 minute',
    allowList: ({ routeOptions }) => routeOptions.config.onlyoffice?.caller === 'document-server'
  })
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
    referrerPolicy: { policy: 'same-origin' }
  })
  await app.register(login, { accounts, secret: sessionSecret })
  await app.register(editor, { path: EDITOR_PATH, ...editorHooks(app, documents), ...editorOptions })

  await app.register(async pages => {
    pages.removeAllContentTypeParsers() // forms only: each field is a string
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request, body) =>
      Object.fromEntries(new URLSearchParams(body)))
    await pages.register(multipart, { limits: { files: 1, fileSize: 10 * 1024 * 1024 } })
    pages.addHook('preValidation', async request => { request.body ??= {} })
    pages.setErrorHandler(sendError)
    await pages.register(loginRoutes, { accounts, perMinute: loginsPerMinute })
    await pages.register(listRoutes, { accounts, documents })
    await pages.register(documentRoutes, { accounts, documents })
    await pages.register(adminRoutes, { accounts, documents, doctorPath: `${EDITOR_PATH}/doctor` })
  })
  return app
}

function sendError (error, request, reply) {
  const { code = '' } = error
  const statusCode = /^22...$/.test(code) ? 400 : error.statusCode ?? 500 // PostgreSQL: no such value, as of an ID
  if (statusCode >= 500) request.log.error(error)
  const ofUse = /^(APP|FST_EDITOR|FST_REQ)_/.test(code) ? error.message : 'The request is wrong'
  return send(reply.code(statusCode), errorPage({ message: statusCode < 500 ? ofUse : 'Try again later' }))
}
