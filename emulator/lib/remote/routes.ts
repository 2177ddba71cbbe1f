import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../types/clock.js'
import type { DocumentServerMembers } from '../../types/document-server.js'
import type { sentCallbacks } from '../log/sent-callbacks.js'
import { VERSION } from '../version.js'
import { clockRoute } from './clock-route.js'
import { faultRoutes } from './fault-routes.js'
import { guard } from './guard.js'
import { logRoutes } from './log-routes.js'
import { sessionRoutes } from './session-routes.js'

type Parts = Pick<DocumentServerMembers, 'requests' | 'received' | 'forgotten' | 'open' | 'fault'> & {
  readonly callback: ReturnType<typeof sentCallbacks>['next']
  readonly clock: Clock
  readonly url: () => string
  readonly editorApiUrl: () => string
}

/** What drives the emulator by HTTP, for tests in other languages: what a test in this process does by calls. */
export async function remoteRoutes (app: FastifyInstance, parts: Parts): Promise<void> {
  await app.register(async scope => {
    guard(scope, parts.url)
    scope.get('/', async () => ({ name: 'onlyoffice-emulator', version: VERSION, url: parts.url(), editorApiUrl: parts.editorApiUrl() }))
    sessionRoutes(scope, parts)
    logRoutes(scope, parts)
    faultRoutes(scope, parts)
    clockRoute(scope, parts.clock)
  }, { prefix: '/emulator' })
}
