import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../../types/clock.js'
import type { DocumentServerMembers } from '../../../types/document-server.js'
import type { callbackQueue } from '../request-log/callback-queue.js'
import { type Build, VERSION } from '../../version.js'
import { clockRoute } from './clock-route.js'
import { faultRoutes } from './fault-routes.js'
import { guardAgainstOtherOrigins } from './cross-origin-guard.js'
import { logRoutes } from './log-routes.js'
import { sessionRoutes } from './session-routes.js'

type Parts = Pick<DocumentServerMembers, 'sentRequests' | 'receivedRequests' | 'forgotten' | 'open' | 'fault'> & {
  readonly nextCallback: ReturnType<typeof callbackQueue>['next']
  readonly clock: Clock
  readonly build: Build
  readonly url: () => string
  readonly editorApiUrl: () => string
}

/**
 * The HTTP interface below `/emulator`: what tests in JavaScript do by method calls, tests in other languages do here.
 */
export async function remoteRoutes (app: FastifyInstance, parts: Parts): Promise<void> {
  await app.register(async scope => {
    guardAgainstOtherOrigins(scope, parts.url)
    scope.get(
      '/',
      async () => ({
        name: 'onlyoffice-emulator',
        version: VERSION,
        documentServer: { version: parts.build.version, behavesAs: parts.build.behavesAs },
        url: parts.url(),
        editorApiUrl: parts.editorApiUrl()
      })
    )
    sessionRoutes(scope, parts)
    logRoutes(scope, parts)
    faultRoutes(scope, parts)
    clockRoute(scope, parts.clock)
  }, { prefix: '/emulator' })
}
