import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { createAccounts } from './accounts.js'
import { createDocuments } from './documents.js'
import { editorHooks } from './editor.js'
import { NotFound } from './errors.js'
import { login, loginRoutes, PUBLIC } from './login.js'
import { errorPage, send } from './pages.js'
import { adminRoutes, documentRoutes, listRoutes } from './routes.js'

const EDITOR_PATH = '/editor'
const MAX_MEGABYTES = 10

export async function createApp ({
  database,
  sessionSecret,
  adminPassword, // of the user `admin`, whom the first start makes
  trustProxy = false,
  loginsPerMinute = 10, // of one client, as all requests
  requestsPerMinute = 600,
  maxEventLoopDelay = 1000, // in milliseconds: a busier process answers 503. 0: it never does
  editor: editorOptions
}) {
  const app = Fastify({ logger: { level: 'warn' }, trustProxy, forceCloseConnections: 'idle' })
  const accounts = createAccounts(database)
  const documents = createDocuments(database)
  await accounts.addFirst({ login: 'admin', name: 'Administrator', password: adminPassword })
  const { origin: documentServer } = new URL(editorOptions.editorApiUrl)

  // Plugins with hooks for all routes come first: a hook applies to the routes that are registered after it.
  await app.register(underPressure, {
    maxEventLoopDelay,
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

  app.setNotFoundHandler((request, reply) => sendError(new NotFound(), request, reply))
  await app.register(async pages => {
    pages.removeAllContentTypeParsers() // forms only: each field is a string
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request, body) =>
      Object.fromEntries(new URLSearchParams(body)))
    await pages.register(multipart, { limits: { files: 1, fileSize: MAX_MEGABYTES * 1024 * 1024 } })
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
  const status = /^22...$/.test(code) ? 400 : error.statusCode ?? 500 // PostgreSQL: no such value, as of an ID
  if (status >= 500) request.log.error(error)
  return send(reply.code(status), errorPage({ user: request.user, status, message: messageOf(error, status, request) }))
}

function messageOf ({ code, message }, status, { id }) {
  if (status >= 500) return `Try again later. If it happens again, tell your administrator the number of the request: ${id}.`
  if (status === 413) return `A file may have up to ${MAX_MEGABYTES} MB.`
  if (status === 429) return 'Wait a minute, then try again.'
  return /^(APP|FST_EDITOR)_/.test(code) ? message.replace(/[^.]$/, '$&.') : 'The request is wrong.'
}
