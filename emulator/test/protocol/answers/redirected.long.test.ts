import t from 'tap'
import { headerClaims, startBoth } from '../../support.js'

for (const status of [301, 302, 303]) {
  t.test(`a status 2 answered ${status} becomes a GET without a body, and error 0 to that counts as success: the save is lost`, async t => {
    const { host, server } = await startBoth(t)
    const session = await server.open(host.config('K'))
    await session.edit('lost')
    host.answers[2] = { status, headers: { location: '/login' }, body: '' }
    host.files.set('/login', Buffer.from('{"error":0}'))
    t.match(await session.close(), { status: 2, httpStatus: 200, accepted: true })
    t.match(host.received.at(-1), { method: 'GET', path: '/login', body: null })
    t.equal(server.forgotten.size, 0)
  })
}

t.test('a redirect to the same URL becomes a GET too, without headers about a body', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit('lost')
  host.routes.set('/cb', ({ method }, response) => {
    if (method === 'POST') response.writeHead(303, { location: '/cb?f=1' }).end('moved')
    else response.end('{"error":0}')
  })
  t.match(await session.close(), { status: 2, httpStatus: 200, accepted: true })
  const { method, headers } = host.received.at(-1)!
  t.equal(method, 'GET')
  t.strictSame(Object.keys(headers).filter(name => name.startsWith('content-')), [])
})

t.test('a status 2 in a redirect loop is retried, and finally kept as forgotten', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit('not to be lost')
  host.routes.set('/cb', (_request, response) => { response.writeHead(307, { location: '/cb?f=1' }).end() })
  t.match(await session.close(), { status: 2, httpStatus: null, accepted: false })
  t.equal(host.callbacks(2).length, 4 * 22, 'four attempts of a request and 21 redirects')
  t.equal(server.forgotten.size, 1)
})

for (const status of [307, 308]) {
  t.test(`a status 2 answered ${status} is repeated unchanged at the new location`, async t => {
    const { host, server } = await startBoth(t)
    const session = await server.open(host.config('K'))
    await session.edit('changed')
    host.routes.set('/cb', (_request, response) => { response.writeHead(status, { location: '/moved?g=1' }).end() })
    t.match(await session.close(), { status: 2, accepted: true })
    const [first, second] = host.received.slice(-2)
    t.match(second, { method: 'POST', path: '/moved?g=1' })
    t.strictSame(second!.body, first!.body)
    t.equal(second!.headers.authorization, first!.headers.authorization)
    t.match(headerClaims(second!), { payload: { status: 2 } })
  })
}
