import type http from 'node:http'
import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('a download is a plain GET: no HEAD before, no Range, no body token', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await server.open(host.config('K'))
  t.strictSame(host.received.map(({ method }) => method), ['POST', 'GET'])
  const { headers } = host.received[1]!
  t.equal('range' in headers, false)
  t.match(headers, { accept: 'application/json, text/plain, */*', 'user-agent': 'Node.js/6.13', 'accept-encoding': 'gzip, compress, deflate, br' })
})

for (const status of [200, 206]) {
  t.test(`HTTP ${status} is accepted`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    host.routes.set('/files/notes.txt', (_request, response) => { response.writeHead(status).end('content') })
    t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).toString(), 'content')
  })
}

for (const status of [201, 204, 304, 401, 403, 404, 500, 503]) {
  t.test(`HTTP ${status} is not accepted: three attempts one second apart, then -81`, async t => {
    const host = await startFakeHost(t)
    const clock = fakeClock({ autoAdvance: true })
    const server = await startDocumentServer(t, { clock })
    const times: number[] = []
    host.routes.set('/files/notes.txt', (_request, response) => {
      times.push(clock.now())
      response.writeHead(status).end()
    })
    await t.rejects(server.open(host.config('K', { name: 'notes.txt' })), { code: -81 })
    t.strictSame(times.map(time => time - times[0]!), [0, 1000, 2000])
  })
}

t.test('the content of the last attempt is used', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  let attempt = 0
  host.routes.set('/files/notes.txt', (_request, response) => {
    if (++attempt < 3) response.writeHead(503).end()
    else response.end('at last')
  })
  t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).toString(), 'at last')
})

const ends: Record<string, (response: http.ServerResponse) => void> = {
  reset: response => { response.socket!.resetAndDestroy() },
  closed: response => { response.socket!.end() },
  'cut off by a reset': response => { response.writeHead(200, { 'content-length': 6501 }).write('half', () => response.socket!.resetAndDestroy()) },
  'cut off by its end': response => { response.writeHead(200, { 'content-length': 6501 }).write('half', () => response.socket!.end()) }
}

for (const [how, end] of Object.entries(ends)) {
  t.test(`a connection that is ${how} is one attempt, then -81 at once`, async t => {
    const host = await startFakeHost(t)
    const clock = fakeClock()
    const server = await startDocumentServer(t, { clock })
    const before = clock.now()
    host.routes.set('/files/notes.txt', (_request, response) => { end(response) })
    await t.rejects(server.open(host.config('K', { name: 'notes.txt' })), { code: -81 })
    t.strictSame(host.received.map(({ method, body }) => body?.status ?? method), [1, 'GET', 4])
    t.equal(clock.now(), before)
  })
}

t.test('an attempt is abandoned after 2 minutes, and is the last', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  host.routes.set('/files/notes.txt', (_request, response) => { response.writeHead(200).write('never whole') })
  const opening = server.open(host.config('K', { name: 'notes.txt' }))
  const attempt = async () => {
    while ((await host.next()).method !== 'GET');
  }
  await attempt()
  clock.jump(119_999)
  t.equal(server.sentRequests.at(-1)!.error, undefined, 'still waiting')
  clock.jump(1)
  await t.rejects(opening, { code: -81 })
  t.match(server.sentRequests.map(({ error }) => error?.message), [undefined, 'No answer within 120000 ms', undefined])
  t.strictSame(host.received.map(({ method, body }) => body?.status ?? method), [1, 'GET', 4])
})
