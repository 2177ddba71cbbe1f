import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import '../types/fastify.js'
import type { HttpClient } from '../types/http.js'
import type { EditorOptions } from '../types/options.js'
import type { Storage } from '../types/storage.js'
import { createControl } from './control/control.js'
import { createCommands } from './document-server/commands.js'
import { createPdfConverter } from './document-server/conversion.js'
import { tokenSigner } from './document-server/token.js'
import { AlreadyRegisteredError } from './errors.js'
import { bodyReader } from './handler/body-reader.js'
import { parseCallbackBody } from './handler/callback-body.js'
import { createCallbackHandler } from './handler/callback.js'
import { createCredentials, type Credentials } from './handler/credentials.js'
import { createDownloadHandler } from './handler/download.js'
import { createProxyHandler } from './handler/proxy.js'
import { hostListeners } from './handler/listeners.js'
import { routeNearMisses } from './handler/near-misses.js'
import { type HandlerActions, type HandlerRequest, handlerRoute, requestWithoutQuery } from './handler/route.js'
import { undiciClient } from './http-client/undici-client.js'
import { resolveOptions, type Settings } from './options.js'
import { createOutbound } from './outbound/outbound.js'
import { documentKeys } from './sessions/document-key.js'
import { createSaving } from './save/saves.js'
import { stagingStorage } from './save/staging.js'
import { handlerUrls } from './security/handler-urls.js'
import { fileStorage } from './storage/file-storage.js'
import { memoryState } from './storage/memory-state.js'
import { spool } from './storage/spool.js'

const BROWSER_MODULES = fileURLToPath(new URL('./browser/', import.meta.url))

/** Of the latest files, where the storage remembers nothing. */
const MOST_RECORDS_IN_MEMORY = 10_000

async function registerEditor (app: FastifyInstance, options: EditorOptions): Promise<void> {
  if (app.hasDecorator('editorControl')) throw new AlreadyRegisteredError()
  const settings = resolveOptions(options)
  const storage = plug<Storage>(app, 'editorStorage', options.storage, () => fileStorage({ directory: 'App_Data/uploads' }))
  const httpClient = plug(app, 'editorHttpClient', options.httpClient, () => undiciClient({ timeouts: settings.timeouts, tls: settings.tls }))
  await storage.ready?.()
  const prefix = app.prefix.replace(/\/$/, '') + settings.prefix
  const urls = handlerUrls({ ...settings, path: prefix + settings.path })

  const tokens = tokenSigner(settings.secrets)
  const outbound = createOutbound(httpClient, settings)
  const keys = documentKeys(settings.publicBaseUrl + prefix + settings.path, settings.editorApiUrl.origin)
  const over = new AbortController()
  const credentials = createCredentials({ settings, tokens, urls, keys, over: over.signal })
  const { isKnown } = createCommands({ outbound, tokens, editorApiUrl: settings.editorApiUrl, log: app.log })
  const tell = hostListeners(settings, app.log, over.signal)
  const staging = stagingStorage(storage, { spool, timeouts: settings.timeouts, over: over.signal })
  const saving = createSaving({
    settings,
    storage: staging,
    state: memoryState({ most: MOST_RECORDS_IN_MEMORY }),
    outbound,
    keys,
    isKnown,
    onSaved: settings.onSaved && (async event => await tell('onSaved', event)),
    over
  })
  const { sessions } = saving
  let stopped: Promise<void> | undefined
  // Not awaited yet: Fastify gives a preClose hook no more time than `pluginTimeout`, an onClose hook any.
  app.addHook('preClose', async () => { stopped = saving.stop() })
  app.addHook('onClose', () => stopped)
  const convertToPdf = createPdfConverter({ outbound, tokens, editorApiUrl: settings.editorApiUrl })
  const addresses = { editorApiUrl: settings.editorApiUrl.href, handlerPath: urls.path, modulePath: `${urls.path}/assets/editor.js` }

  app.decorate('editorControl', defaults => createControl({ storage, sessions, tokens, urls, convertToPdf, addresses, keys }, defaults))
  const actions: HandlerActions = {
    callback: createCallbackHandler({ settings, credentials, saving, tell }),
    download: createDownloadHandler({ credentials, storage: staging, idle: settings.timeouts.idle }),
    proxy: createProxyHandler({ credentials, outbound })
  }
  await app.register(handlerScope({ settings, actions, credentials, over: over.signal, isStopping: () => stopped !== undefined }, options), {
    prefix: settings.prefix,
    logSerializers: { req: requestWithoutQuery as (request: FastifyRequest) => never }, // an object is fine, only Fastify's type wants text
    ...(options.logLevel && { logLevel: options.logLevel })
  })
  if (settings.profile === 'classic') app.log.warn(CLASSIC_WARNING)
}

interface ScopeParts {
  readonly settings: Settings
  readonly actions: HandlerActions
  readonly credentials: Credentials
  readonly over: AbortSignal
  readonly isStopping: () => boolean
}

/** fastify-plugin ignores a prefix and shares its scope with the host: what is ours alone lives in a scope below. */
function handlerScope ({ settings, actions, credentials, over, isStopping }: ScopeParts, { constraints }: EditorOptions) {
  const readBody = bodyReader({ settings, credentials, over })
  const routeOptions = constraints ? { constraints } : {}
  return async function handler (scope: FastifyInstance): Promise<void> {
    // A connection that is kept alive would keep the server from closing.
    scope.addHook('onSend', async (_request, reply) => { if (isStopping()) reply.header('connection', 'close') })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => parseCallbackBody(await readBody(request as HandlerRequest, payload)))
    scope.route(handlerRoute(settings.path, actions, credentials, routeOptions))
    routeNearMisses(scope, settings.path, routeOptions)
    await scope.register(fastifyStatic, {
      root: BROWSER_MODULES,
      prefix: `${settings.path}/assets/`,
      decorateReply: false,
      index: false,
      ...routeOptions
    })
  }
}

/** The host's own part, by option or by decorator; else the default one, which is closed with the app. */
function plug<Part extends Storage | HttpClient> (app: FastifyInstance, name: string, given: Part | undefined, createDefault: () => Part): Part {
  const decorated = app.hasDecorator(name) ? app.getDecorator<Part>(name) : undefined
  const plugged = given ?? decorated
  const part = plugged ?? createDefault()
  if (!plugged) app.addHook('onClose', () => part.close?.())
  if (part !== decorated) app.decorate<object>(name, part)
  return part
}

const CLASSIC_WARNING = 'fastify-onlyoffice runs with the classic profile: callbacks and downloads need no credential, the proxy fetches any address, ' +
  'certificates are not verified, and a failed or unexpected save is acknowledged. Use it on a closed network only.'

/** The Fastify plugin: one handler route, `editorStorage`, `editorHttpClient` and `editorControl()`. */
export const editor = fp(registerEditor, { fastify: '5.x', name: 'fastify-onlyoffice' })
