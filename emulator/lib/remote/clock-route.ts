import type { FastifyInstance } from 'fastify'
import type { Clock, FakeClock } from '../../types/clock.js'
import { invalid, RemoteError } from './errors.js'
import { fieldsOf } from './fields.js'
import { within } from './waiting.js'

const LONGEST_MS = 86_400_000 * 30

/** Moves the time on, where it can be moved. */
export function clockRoute (scope: FastifyInstance, clock: Clock): void {
  scope.post('/clock', async (request, reply) => {
    const { advance } = fieldsOf(request)
    if (!isFake(clock)) throw new RemoteError(409, 'NOT_POSSIBLE', 'Time passes as it does: start the emulator with --fake-clock to move it')
    if (typeof advance !== 'number' || !(advance >= 0 && advance <= LONGEST_MS)) throw invalid(`advance must be a number of milliseconds up to ${LONGEST_MS}`)
    await within(request, reply, async () => await clock.advance(advance))
    return { now: clock.now() }
  })
}

function isFake (clock: Clock): clock is FakeClock {
  return 'advance' in clock
}
