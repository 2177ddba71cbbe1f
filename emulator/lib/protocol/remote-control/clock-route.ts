import type { FastifyInstance } from 'fastify'
import type { Clock, FakeClock } from '../../../types/clock.js'
import { invalid, RemoteError } from './errors.js'
import { fieldsOf } from './fields.js'
import { withTimeout } from './timeout.js'

const MAX_MS = 86_400_000 * 30

/** Advances a fake clock. */
export function clockRoute (scope: FastifyInstance, clock: Clock): void {
  scope.post('/clock', async (request, reply) => {
    const { advance } = fieldsOf(request)
    if (!isFake(clock)) {
      throw new RemoteError(409, 'NOT_POSSIBLE', 'The clock is not a fake one: start the emulator with --fake-clock')
    }
    if (typeof advance !== 'number' || !(advance >= 0 && advance <= MAX_MS)) {
      throw invalid(`advance must be a number of milliseconds up to ${MAX_MS}`)
    }
    await withTimeout(request, reply, async () => await clock.advance(advance))
    return { now: clock.now() }
  })
}

function isFake (clock: Clock): clock is FakeClock {
  return 'advance' in clock
}
