import type { FastifyInstance } from 'fastify'
import type { Clock, FakeClock } from '../../../types/clock.js'
import type { DocumentServerMembers } from '../../../types/document-server.js'
import { type Build, VERSION } from '../../version.js'
import { faultRoutes } from './fault-routes.js'
import { guardAgainstOtherOrigins } from './cross-origin-guard.js'
import { type LogParts, logRoutes } from './log-routes.js'
import { RemoteError, withBody, withTimeout } from './requests.js'
import { sessionRoutes } from './session-routes.js'

const MAX_ADVANCE_MS = 86_400_000 * 30

type Parts = LogParts & Pick<DocumentServerMembers, 'open' | 'fault'> & {
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

/** Advances a fake clock. */
function clockRoute (scope: FastifyInstance, clock: Clock): void {
  const advance = { type: 'number', minimum: 0, maximum: MAX_ADVANCE_MS }
  scope.post('/clock', withBody({ advance }, 'advance'), async (request, reply) => {
    const { advance } = request.body as { advance: number }
    if (!isFake(clock)) {
      throw new RemoteError(409, 'NOT_POSSIBLE', 'The clock is not a fake one: start the emulator with --fake-clock')
    }
    await withTimeout(request, reply, async () => await clock.advance(advance))
    return { now: clock.now() }
  })
}

function isFake (clock: Clock): clock is FakeClock {
  return 'advance' in clock
}
