import t from 'tap'
import { startWithClock } from '../../support.js'

t.test('a callback is abandoned after 10 minutes without an answer, which counts as a network error', async t => {
  const { host, server, clock } = await startWithClock(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  host.routes.set('/cb', () => {})
  const attempt = async () => {
    while ((await host.next()).body?.status !== 2);
  }
  const closing = session.close()
  await attempt()
  clock.jump(599_999)
  t.equal(server.sentRequests.at(-1)!.error, undefined, 'still waiting')
  clock.jump(1)
  const { error } = await server.nextCallback(2)
  t.match(error, { message: 'No answer within 600000 ms' })

  host.routes.delete('/cb')
  await clock.advance(1000)
  t.match(await closing, { status: 2, httpStatus: 200, accepted: true }, 'the next attempt')
})
