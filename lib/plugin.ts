import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import '../types/fastify.js'
import type { HttpClient } from '../types/http.js'
import type { EditorOptions } from '../types/options.js'
import type { Storage } from '../types/storage.js'
import { createControl } from './control/control.js'
import { createDocumentServerClient } from './document-server/client.js'
import { createCommands } from './document-server/commands.js'
import { createEditorServer } from './document-server/editor-server.js'
import { createPdfConverter } from './document-server/conversion.js'
import { tokenSigner } from './document-server/token.js'
import { AlreadyRegisteredError } from './errors.js'
import { bodyReader } from './handler/body-reader.js'
import { parseCallbackBody } from './handler/callback-body.js'
import { createCallbackHandler } from './handler/callback.js'
import { createCredentials, type Credentials } from './handler/credentials.js'
import { createDownloadHandler } from './handler/download.js'
import { createHooks } from './handler/hooks.js'
import { routeNearMisses } from './handler/near-misses.js'
import { createProxyHandler } from './handler/proxy.js'
import type { HandlerRequest } from './handler/request.js'
import { type HandlerActions, handlerRoute, requestWithoutQuery } from './handler/route.js'
import { undiciClient } from './http-client/undici-client.js'
import { resolveOptions, type Settings } from './options.js'
import { createOutbound } from './outbound/outbound.js'
import { createSaves } from './save/saves.js'
import { stagingStorage } from './save/staging.js'
import { handlerUrls } from './security/handler-urls.js'
import { documentKeys } from './sessions/document-key.js'
import { createLocks } from './sessions/locks.js'
import { createRecordStore } from './sessions/record-store.js'
import { createSessions } from './sessions/sessions.js'
import { createShutdown, type Shutdown } from './shutdown.js'
import { fileStorage } from './storage/file-storage.js'
import { memoryState } from './storage/memory-storage.js'
import { spool } from './storage/spool.js'

const BROWSER_MODULES = fileURLToPath(new URL('./browser/', import.meta.url))

/** Of the most recently used files, when the storage has no `state`. */
const MAX_RECORDS_IN_MEMORY = 10_000

async function registerEditor (app: FastifyInstance, options: EditorOptions): Promise<void> {
  if (app.hasDecorator('editorControl')) throw new AlreadyRegisteredError()
  const settings = resolveOptions(options)
  const { clock, editorApiUrl, timeouts } = settings
  const pluggedStorage = plug<Storage>(app, 'editorStorage', options.storage, () => fileStorage({ directory: 'App_Data/uploads' }))
  const httpClient = plug(app, 'editorHttpClient', options.httpClient, () => undiciClient({ timeouts, tls: settings.tls }))
  await pluggedStorage.ready?.()

  const shutdown = createShutdown(timeouts.close)
  const handlerPath = app.prefix.replace(/\/$/, '') + settings.prefix + settings.path
  const urls = handlerUrls({ ...settings, path: handlerPath })
  const tokens = tokenSigner(settings.secrets, clock)
  const keys = documentKeys(settings.publicBaseUrl + handlerPath, editorApiUrl.origin)
  const outbound = createOutbound(httpClient, settings)
  const client = createDocumentServerClient({ outbound, tokens, settings })
  const commands = createCommands({ client, log: app.log })
  const hooks = createHooks({ settings, log: app.log, signal: shutdown.endAll })

  const storage = stagingStorage(pluggedStorage, { spool, timeouts, signal: shutdown.endAll })
  const state = storage.state ?? memoryState({ maxRecords: MAX_RECORDS_IN_MEMORY })
  const recordStore = createRecordStore(state)
  const locks = createLocks({ recordStore, state, storage, signal: shutdown.endSaves })
  const sessions = createSessions({ storage, recordStore, locks, keys, isKnown: commands.isKnown, askAfter: timeouts.session, clock })
  const saves = createSaves({ settings, storage, state, recordStore, locks, keys, outbound, hooks, signal: shutdown.endSaves })

  let stopped: Promise<void> | undefined
  // Awaited in onClose: Fastify limits a preClose hook to `pluginTimeout`.
  app.addHook('preClose', async () => { stopped = shutdown.start(saves.queue.idle) })
  app.addHook('onClose', () => stopped)

  const convertToPdf = createPdfConverter({ client, outbound })
  const pageUrls = { editorApiUrl: editorApiUrl.href, handlerPath: urls.path, modulePath: `${urls.path}/assets/editor.js` }
  app.decorate('editorControl', defaults => createControl({ storage: pluggedStorage, sessions, tokens, urls, convertToPdf, pageUrls, keys }, defaults))

  app.decorate('editorServer', createEditorServer({ client, commands, isOwnKey: key => keys.fileIdOf(key) !== undefined }))

  const credentials = createCredentials({ settings, tokens, urls, keys, signal: shutdown.endAll })
  const actions: HandlerActions = {
    callback: createCallbackHandler({ settings, credentials, sessions, saves, hooks }),
    download: createDownloadHandler({ credentials, storage, idle: timeouts.idle }),
    proxy: createProxyHandler({ credentials, outbound })
  }
  const { constraints, logLevel } = options
  await app.register(handlerScope({ settings, actions, credentials, shutdown, routeOptions: constraints ? { constraints } : {} }), {
    prefix: settings.prefix,
    logSerializers: { req: requestWithoutQuery as (request: FastifyRequest) => never }, // may return an object, only Fastify's type wants a string
    ...(logLevel && { logLevel })
  })
  if (settings.profile === 'classic') app.log.warn(CLASSIC_WARNING)
}

interface ScopeParts {
  readonly settings: Pick<Settings, 'bodyLimit' | 'path' | 'timeouts'>
  readonly actions: HandlerActions
  readonly credentials: Credentials
  readonly shutdown: Shutdown
  readonly routeOptions: Pick<RouteOptions, 'constraints'>
}

/** A scope of our own: fastify-plugin ignores a prefix, and shares its scope with the application. */
function handlerScope ({ settings, actions, credentials, shutdown, routeOptions }: ScopeParts) {
  const { path } = settings
  const readBody = bodyReader({ settings, credentials, signal: shutdown.endAll })
  return async function handler (scope: FastifyInstance): Promise<void> {
    // A connection that is kept alive would keep the server from closing.
    scope.addHook('onSend', async (_request, reply) => { if (shutdown.closing.aborted) reply.header('connection', 'close') })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => parseCallbackBody(await readBody(request as HandlerRequest, payload)))
    scope.route(handlerRoute({ path, actions, credentials, routeOptions }))
    routeNearMisses(scope, path, routeOptions)
    await scope.register(fastifyStatic, {
      root: BROWSER_MODULES,
      prefix: `${path}/assets/`,
      decorateReply: false,
      index: false,
      ...routeOptions
    })
  }
}

/** The application's own part, given as option or as decorator, or else the default one, which is closed with the app. */
function plug<Part extends Storage | HttpClient> (app: FastifyInstance, name: string, given: Part | undefined, createDefault: () => Part): Part {
  const decorated = app.hasDecorator(name) ? app.getDecorator<Part>(name) : undefined
  const plugged = given ?? decorated
  const part = plugged ?? createDefault()
  if (!plugged) app.addHook('onClose', () => part.close?.())
  if (part !== decorated) app.decorate<object>(name, part)
  return part
}

const CLASSIC_WARNING = 'fastify-onlyoffice runs with the classic profile: callbacks and downloads need no credentials, the proxy fetches any URL, ' +
  'certificates are not verified, and a failed or unexpected save is acknowledged. Use it on a closed network only.'

/** The Fastify plugin: one handler route, `editorStorage`, `editorHttpClient` and `editorControl()`. */
export const editor = fp(registerEditor, { fastify: '5.x', name: 'fastify-onlyoffice' })
