import http from 'node:http'
import https from 'node:https'
import net, { type LookupFunction } from 'node:net'
import t, { type Test } from 'tap'
import { fetch as undiciFetch, interceptors, request } from 'undici'
import { guardedDispatcher, type GuardedDispatcherOptions, undiciClient } from '../../lib/index.js'
import { answerWith, listen, startUpstream } from '../kit/http.js'
import { createAuthority, createCertificate, noWayOut, startNameServer } from '../kit/network.js'

const BLOCKED = { code: 'FST_EDITOR_ADDRESS_BLOCKED' }

function guarded (t: Test, options?: GuardedDispatcherOptions) {
  const dispatcher = guardedDispatcher(options)
  t.teardown(() => dispatcher.destroy())
  return dispatcher
}

/** Every name is on loopback. */
const onLoopback: LookupFunction = (_name, { all }, callback) => all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)

t.test('the application\'s own request and fetch through guardedDispatcher() reach no special IP address', async t => {
  const begun = noWayOut(t)
  const inside = await startUpstream(t, answerWith('inside'))
  const dispatcher = guarded(t)
  for (const host of ['127.0.0.1', '127.1', '0', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'localhost.', '169.254.169.254']) {
    const url = `http://${host}:${inside.port}/`
    await t.rejects(request(url, { dispatcher }), BLOCKED, url)
    await t.rejects(undiciFetch(url, { dispatcher }), { name: 'TypeError', cause: BLOCKED }, url)
    await t.rejects(request(url.replace('http', 'https'), { dispatcher }), BLOCKED)
  }
  t.strictSame(begun, [])
  t.equal(inside.connections(), 0)
})

t.test('allow is compared as an origin, never as a URL prefix', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const { port } = inside
  const dispatcher = guarded(t, {
    lookup: onLoopback,
    allow: [
      `http://docs.test:${port}`, `http://127.0.0.1:${String(port).slice(0, -1)}/`, 'http://docs.test',
      'https://other.test'
    ]
  })
  const allowed = await request(`http://docs.test:${port}/x`, { dispatcher })
  t.equal(await allowed.body.text(), 'inside')
  for (const host of ['docs.test.evil.test', 'evil-docs.test', 'docs.test.', 'www.docs.test', 'other.test', '127.0.0.1', `docs.test:${port}@evil.test`]) {
    await t.rejects(request(`http://${host}:${port}/http://docs.test:${port}/`, { dispatcher }), BLOCKED, host)
  }
  t.equal(inside.connections(), 1)
  for (const allow of ['docs.test', 'http://docs.test/path', 'http://docs.test?x', 'http://user@docs.test', 'ftp://docs.test', '*', '']) {
    t.throws(() => guardedDispatcher({ allow: [allow] }), { code: 'FST_EDITOR_INVALID_OPTION' }, allow)
  }
})

t.test('a redirect that undici follows is checked like any request', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const upstream = await startUpstream(t, (request, response) => {
    if (request.url === '/end') response.end('arrived')
    else response.writeHead(302, { location: request.url === '/within' ? '/end' : `${inside.origin}/x` }).end()
  })
  const dispatcher = guarded(t, { allow: [upstream.origin] })
  const following = dispatcher.compose(interceptors.redirect({ maxRedirections: 3 }))
  const within = await request(`${upstream.origin}/within`, { dispatcher: following })
  t.equal(await within.body.text(), 'arrived')
  await t.rejects(request(`${upstream.origin}/off`, { dispatcher: following }), BLOCKED)
  await t.rejects(undiciFetch(`${upstream.origin}/off`, { dispatcher }), { cause: BLOCKED })
  t.equal(inside.connections(), 0)
})

t.test('a host name is resolved once, and refused if any of its IP addresses is, without naming them', async t => {
  const begun = noWayOut(t)
  const inside = await startUpstream(t, answerWith('inside'))
  const { lookup, looks } = await startNameServer(t, { 'both.test': () => ['8.8.8.8', '127.0.0.1'] })
  const dispatcher = guarded(t, { lookup })
  await t.rejects(request(`http://both.test:${inside.port}/`, { dispatcher }), { ...BLOCKED, message: 'Blocked: both.test is not allowed' })
  t.strictSame(looks, ['both.test'])
  t.strictSame(begun.filter(address => address.startsWith('127.')), [])
})

t.test('the application\'s lookup function may return a single IP address, as the older API does', async t => {
  const begun = noWayOut(t)
  const answers = ['127.0.0.1', '8.8.8.8']
  const lookup: LookupFunction = (_name, _options, callback) => callback(null, answers.shift()!, 4)
  const dispatcher = guarded(t, { lookup })
  await t.rejects(request('http://one.test:9/', { dispatcher }), BLOCKED)
  await t.rejects(request('http://one.test:9/', { dispatcher }), { code: 'ECONNREFUSED' })
  t.strictSame(begun, ['8.8.8.8:9'])
})

t.test('a connection diverted to another IP address than the checked one is ended before anything is sent', async t => {
  let received = ''
  const server = net.createServer(socket => { socket.on('data', data => { received += data }) })
  const { port } = await listen(t, server)
  const ended = new Promise<void>(resolve => server.once('connection', socket => socket.once('close', () => resolve())))
  const connect = net.Socket.prototype.connect
  t.teardown(() => { net.Socket.prototype.connect = connect })
  net.Socket.prototype.connect = function (this: net.Socket) { return Reflect.apply(connect, this, [{ host: '127.0.0.1', port }]) } as typeof connect

  await t.rejects(request('http://8.8.8.8/secret', { dispatcher: guarded(t) }), { ...BLOCKED, message: 'Blocked: http://8.8.8.8 is not allowed' })
  await ended
  t.equal(received, '')
})

t.test('guardedDispatcher() accepts TLS options and timeouts as undiciClient() does', async t => {
  const authority = createAuthority()
  const { cert, key } = createCertificate({ issuer: authority })
  const { origin } = await listen(t, https.createServer({ cert, key }, (_request, response) => { response.end('over TLS') }))
  const overTls = origin.replace('http', 'https')
  const sound = await request(overTls, { dispatcher: guarded(t, { allow: [overTls], tls: { ca: authority.cert } }) })
  t.equal(await sound.body.text(), 'over TLS')
  await t.rejects(request(overTls, { dispatcher: guarded(t, { allow: [overTls] }) }), { code: /CERT|SIGNATURE|VERIFY/ })

  const silent = await listen(t, http.createServer(() => {}))
  await t.rejects(request(silent.origin, { dispatcher: guarded(t, { allow: [silent.origin], timeouts: { headers: 100 } }) }), { code: 'UND_ERR_HEADERS_TIMEOUT' })
})

t.test('undiciClient() over the application\'s guardedDispatcher() checks host names for every request', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const client = undiciClient({
    dispatcher: guarded(t, { lookup: onLoopback, allow: [`http://docs.test:${inside.port}`] })
  })
  const get = (name: string, publicOnly: boolean) =>
    client.request({
      purpose: 'proxy',
      method: 'GET',
      url: new URL(`http://${name}:${inside.port}/`),
      publicOnly,
      signal: new AbortController().signal
    })
  for (const publicOnly of [true, false]) await t.rejects(get('evil.test', publicOnly), BLOCKED)
  t.equal(inside.connections(), 0)
  const { body } = await get('docs.test', false)
  body.resume()
  t.equal(inside.connections(), 1)
})
