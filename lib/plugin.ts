import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EditorControl, EditorControlDefaults, EditorPageOptions } from '../types/control.js'
import type { EditorHttpClient } from '../types/http.js'
import type { FastifyOnlyofficeOptions } from '../types/options.js'
import type { EditorStorage } from '../types/storage.js'
import { actionScope, pageActions } from './actions/routes.js'
import { createControl } from './control/control.js'
import { checkedDefaults, mergedDefaults, offeredActions } from './control/defaults.js'
import { renderPage } from './control/page.js'
import { startWarnings } from './doctor/check-options.js'
import { createDoctor, doctorRoute, doctorSchema } from './doctor/doctor.js'
import { AlreadyRegisteredError, InvalidOptionError, NoDocumentError } from './errors.js'
import { readPageModules } from './handler/assets.js'
import { routeOptionsWith } from './handler/request.js'
import { handlerScope, requestWithoutQuery } from './handler/route.js'
import { undiciClient } from './http-client/undici-client.js'
import { resolveOptions, unknownNames } from './options.js'
import { createParts } from './parts.js'
import { createShutdown } from './services.js'
import { createEditorSessions } from './sessions/editor-sessions.js'
import { isDocumentStore, NO_STORAGE } from './store/contract.js'
import { fileStorage } from './store/files/file-storage.js'
import { AnyString, assertValue, rule } from './util/validate.js'

const Control = rule(
  'must be a control: await the call that opens its document',
  (value: unknown) => typeof (value as Partial<EditorControl> | undefined)?.render === 'function'
)

interface Logger {
  readonly levels?: { readonly values?: Readonly<Record<string, number>> }
}

export async function registerEditor (app: FastifyInstance, options: FastifyOnlyofficeOptions): Promise<void> {
  if (app.hasDecorator('editorControl')) throw new AlreadyRegisteredError()
  const { log } = app
  const settings = resolveOptions(options)
  assertScope(app, options)
  const { editorApiUrl, timeouts } = settings
  const { connect, headers, idle } = timeouts
  const plugged = plug<EditorStorage>(app, 'editorStorage', options.storage, () =>
    fileStorage({ directory: 'App_Data/uploads' })
  )
  const httpClient = plug(app, 'editorHttpClient', options.httpClient, () =>
    undiciClient({ timeouts: { connect, headers, idle }, tls: settings.tls })
  )
  if (!isDocumentStore(plugged)) throw new InvalidOptionError('storage', NO_STORAGE)
  await plugged.ready()

  const shutdown = createShutdown(timeouts.close)
  const handlerPath = app.prefix.replace(/\/$/, '') + settings.prefix + settings.path
  const parts = createParts({ settings, handlerPath, plugged, httpClient, log, shutdown })
  const { conversions, editorServer, formats, instanceId, openingExplainer, recovery, regularSaves, sign } = parts
  expose(app, 'editorStorage', plugged, plugged)
  expose(app, 'editorHttpClient', httpClient, httpClient)

  let stopped: Promise<void> | undefined
  // Awaited in onClose: Fastify limits a preClose hook to `pluginTimeout`.
  app.addHook('preClose', async () => {
    stopped = shutdown.start(parts.idle)
  })
  app.addHook('onClose', () => stopped)
  app.addHook('onReady', async () => {
    recovery.recoverRegularly()
    regularSaves.saveRegularly()
  })

  const pageModules = await readPageModules()
  const pagePath = () => new URL(settings.publicPath() + handlerPath, settings.publicBaseUrl()).pathname
  const controlServices = {
    ...parts,
    pageUrls: {
      editorApiUrl,
      handlerPath: pagePath,
      modulePath: () => `${pagePath()}/assets/${pageModules.get('editor')}`
    },
    offered: offeredActions(pageActions(settings), settings.actions, instanceId)
  }
  const readersSeeHistory = settings.versions?.for === 'readers'
  const control = (defaults: EditorControlDefaults, request?: FastifyRequest) =>
    createControl(controlServices, readersSeeHistory ? { history: true, ...defaults } : defaults, request)
  app.decorateReply('editor', function editor (control: EditorControl, options: EditorPageOptions = {}) {
    assertValue('control', control, Control)
    const { title = control.documentName, ...rendering } = options
    assertValue('title', title, AnyString)
    if (!control.hasDocument) throw new NoDocumentError()
    const { lang = control.config!.editorConfig.lang ?? 'en' } = rendering
    const page = renderPage(control.render(rendering), { title, lang })
    const { nonce } = rendering
    const ofControl = nonce === undefined ? control.links : control.links.map(link => `${link}; nonce="${nonce}"`)
    const links = [this.getHeader('link') ?? [], ofControl].flat() as string[]
    this.headers({ 'cache-control': 'no-store', link: links })
    return this.type('text/html; charset=utf-8').send(page)
  })
  const editorSessions = createEditorSessions(parts)
  app.decorate('editorControl', function editorControl (defaults: EditorControlDefaults = {}) {
    return control(mergedDefaults(settings.defaults, checkedDefaults(defaults)))
  })
  app.decorate('editorServer', {
    ...editorServer,
    sign,
    convert: conversions.convert,
    formats,
    recoverForgotten: recovery.recoverForgotten
  })
  app.decorate('editorSessions', editorSessions)
  app.decorate(
    'editorDoctor',
    createDoctor({
      ...parts,
      app,
      explainOpening: openingExplainer.findings,
      signal: shutdown.closing
    })
  )

  const { logLevel } = options
  const routeOptions = routeOptionsWith(options, app.initialConfig as { readonly handlerTimeout?: number })
  const doctor = settings.doctor && doctorRoute(settings.doctor, {
    settings,
    log,
    shutdown,
    examine: () => app.editorDoctor(),
    explainOpening: openingExplainer.findings
  })
  const actionServices = { ...controlServices, createControl: control, editorSessions }
  await app.register(
    handlerScope(parts, {
      otherRoutes: doctor ? [{ ...routeOptions('operator', doctorSchema), ...doctor }] : [],
      actions: actionScope(actionServices, routeOptions),
      pageModules,
      routeOptions
    }),
    {
      prefix: settings.prefix,
      // It may return an object: only Fastify's type requires a string.
      logSerializers: { req: requestWithoutQuery as (request: FastifyRequest) => never },
      ...(logLevel && { logLevel })
    }
  )
  const unknown = unknownNames(options)
  if (unknown.length > 0) {
    log.warn(`fastify-onlyoffice ignores options that it does not know: ${unknown.join(', ')}`)
  }
  if (settings.profile === 'classic') log.warn(CLASSIC_WARNING)
  const warn = () => { for (const warning of startWarnings(settings)) log.warn(warning) }
  if (typeof options.publicBaseUrl === 'function') app.addHook('onListen', async () => warn())
  else warn()
}

/** Checks what depends on the application. Throws `InvalidOptionError`. */
function assertScope ({ prefix, log }: FastifyInstance, { logLevel }: FastifyOnlyofficeOptions): void {
  if (/[:*]/.test(prefix)) {
    throw new InvalidOptionError(
      'prefix',
      `of the surrounding scope is ${prefix}, but must have no parameter (:) or wildcard (*), because signed URLs contain it`
    )
  }
  // pino lists its levels, including those that the application has added. A disabled logger has none.
  const levels = (log as Logger).levels?.values
  if (logLevel === undefined || logLevel === 'silent' || levels === undefined || Object.hasOwn(levels, logLevel)) return
  throw new InvalidOptionError(
    'logLevel',
    `must be a level of the application's logger: ${Object.keys(levels).join(', ')} or silent`
  )
}

/** The application's own part, given as option or decorator, or else the default one, which is closed with the app. */
function plug<Part extends EditorStorage | EditorHttpClient> (
  app: FastifyInstance, name: string, given: Part | undefined, createDefault: () => Part
): Part {
  const decorated = app.hasDecorator(name) ? app.getDecorator<Part>(name) : undefined
  const plugged = given ?? decorated
  const part = plugged ?? createDefault()
  if (!plugged) app.addHook('onClose', () => part.close?.())
  return part
}

/** Decorates the application with a part, unless that is the application's own decorator. */
function expose (app: FastifyInstance, name: string, part: EditorStorage | EditorHttpClient, exposed: object): void {
  if (!app.hasDecorator(name) || app.getDecorator(name) !== part) app.decorate(name, exposed)
}

const CLASSIC_WARNING =
  'fastify-onlyoffice runs with the classic profile: callbacks and downloads need no credentials, the proxy fetches any URL, ' +
  'certificates are not verified, and a failed or unexpected save is acknowledged. Use it on a closed network only.'
