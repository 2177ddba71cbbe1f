import t from 'tap'
import { startBoth, startWithClock } from '../../support.js'

for (const status of [200, 206]) {
  t.test(`HTTP ${status} is accepted`, async t => {
    const { host, server } = await startBoth(t)
    host.routes.set('/files/notes.txt', (_request, response) => { response.writeHead(status).end('content') })
    t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).toString(), 'content')
  })
}

t.test('the content of the last attempt is used', async t => {
  const { host, server } = await startBoth(t)
  let attempt = 0
  host.routes.set('/files/notes.txt', (_request, response) => {
    if (++attempt < 3) response.writeHead(503).end()
    else response.end('at last')
  })
  t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).toString(), 'at last')
})

t.test('an attempt is abandoned after 2 minutes, and is the last', async t => {
  const { host, server, clock } = await startWithClock(t)
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

t.test('a Content-Length over 100 MB is refused before the body', async t => {
  const { host, server } = await startBoth(t)
  host.routes.set('/files/notes.txt', (_request, response) => { response.writeHead(200, { 'content-length': 100 * 1024 * 1024 + 1 }).flushHeaders() })
  await t.rejects(server.open(host.config('K', { name: 'notes.txt' })), { code: -93 })
  t.equal(host.received.filter(({ method }) => method === 'GET').length, 1)
})
