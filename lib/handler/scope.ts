import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Readable } from 'node:stream'
import type { Settings } from '../options.js'
import type { Shutdown } from '../shutdown.js'
import { assetsScope } from './assets.js'
import { bodyReader } from './body-reader.js'
import { parseCallbackBody } from './callback-body.js'
import type { Credentials } from './credentials.js'
import type { Observer } from './observer.js'
import type { PageModules } from './page-modules.js'
import type { ProbeRequests } from './probe-requests.js'
import type { HandlerRequest } from './request.js'
import { addRequestNotes, notesOf } from './request-notes.js'
import { type HandlerActions, handlerRoutes, type HandlerTransforms } from './route.js'
import type { RouteOptionsOf } from './route-options.js'

interface Dependencies {
  readonly settings: Pick<Settings, 'bodyLimit' | 'path' | 'timeouts'>
  readonly actions: HandlerActions
  readonly credentials: Credentials
  readonly observer: Observer
  readonly probeRequests: ProbeRequests
  /** Besides the handler's own, with all their options: they have paths below it. */
  readonly otherRoutes: readonly RouteOptions[]
  /** The same, of routes that read bodies in another way. */
  readonly otherScopes: ReadonlyArray<(scope: FastifyInstance) => Promise<void>>
  readonly pageModules: PageModules
  readonly routeOptions: RouteOptionsOf
  /** By method; a method without one is hidden from API documentation. */
  readonly transforms: HandlerTransforms | undefined
  readonly shutdown: Shutdown
}

/** The scope of the handler's routes: fastify-plugin ignores a prefix, and shares its scope with the application. */
export function handlerScope ({ settings, actions, credentials, observer, probeRequests, otherRoutes, otherScopes, pageModules, routeOptions, transforms, shutdown }: Dependencies) {
  const { path } = settings
  const readBody = bodyReader({ settings, credentials, signal: shutdown.endAll })
  return async function handler (scope: FastifyInstance): Promise<void> {
    // A connection that is kept alive would keep the server from closing.
    scope.addHook('onSend', (_request, reply, _payload, done) => {
      if (shutdown.closing.aborted) reply.header('connection', 'close')
      done()
    })
    addRequestNotes(scope)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
      const notes = notesOf(request)
      notes.isReadingBody = true
      const body = probeRequests.recognizes(request) ? await probeRequests.readBody(payload) : parseCallbackBody(await readBody(request as HandlerRequest, payload))
      notes.isReadingBody = false
      return body
    })
    for (const route of handlerRoutes({ path, actions, credentials, observer, probeRequests, routeOptions, transforms })) scope.route(route)
    for (const route of otherRoutes) scope.route(route)
    for (const other of otherScopes) await scope.register(other)
    await scope.register(assetsScope({ path, modules: pageModules, routeOptions: routeOptions('page') }))
  }
}
