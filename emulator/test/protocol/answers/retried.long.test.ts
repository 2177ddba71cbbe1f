import t from 'tap'
import { fakeClock, type FakeClock } from '../../../lib/index.js'
import { type FakeHost, startDocumentServer, startFakeHost } from '../../support.js'

/** Gives the seconds from the first attempt to each. */
function attempts (host: FakeHost, clock: FakeClock): () => number[] {
  const times: number[] = []
  host.beforeAnswer = async ({ status }) => { if (status === 2 || status === 3) times.push(clock.now()) }
  return () => times.map(time => (time - times[0]!) / 1000)
}

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const server = await startDocumentServer(t, { clock })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('not to be lost')
  return { host, clock, server, session }
}

for (const status of [429, 500, 503, 599]) {
  t.test(`a status 2 answered HTTP ${status} is retried after 1, 2 and 4 s, then the file is kept as forgotten`, async t => {
    const { host, clock, server, session } = await start(t)
    const seconds = attempts(host, clock)
    host.answers[2] = { status, body: '{"error":0}' }
    t.match(await session.close(), { status: 2, httpStatus: status, accepted: false })
    t.strictSame(seconds(), [0, 1, 3, 7])
    t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'not to be lost')
  })
}

t.test('a status 2 whose connection is reset is retried after 1, 2 and 4 s', async t => {
  const { host, clock, server, session } = await start(t)
  const times: number[] = []
  host.routes.set('/cb', request => {
    times.push(clock.now())
    request.socket.resetAndDestroy()
  })
  t.match(await session.close(), { status: 2, httpStatus: null, accepted: false })
  t.strictSame(times.map(time => time - times[0]!), [0, 1000, 3000, 7000])
  t.equal(server.forgotten.size, 1)
})

t.test('a status 2 that is redirected to a closed port is finally kept as forgotten', async t => {
  const { host, server, session } = await start(t)
  host.answers[2] = { status: 302, headers: { location: 'http://127.0.0.1:1/' } }
  t.strictSame(await session.close(), { status: 2, httpStatus: null, answer: null, accepted: false })
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'not to be lost')
  t.match(server.sentRequests.at(-1), { answer: null, error: Error })
})

t.test('a status 3 answered HTTP 500 is retried like a status 2', async t => {
  const { host, clock, server, session } = await start(t)
  const seconds = attempts(host, clock)
  server.fault('assembly', { type: 'fail' })
  host.answers[3] = { status: 500, body: '' }
  t.match(await session.close(), { status: 3, httpStatus: 500 })
  t.strictSame(seconds(), [0, 1, 3, 7])
})
