import t from 'tap'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

const FILES = '/cache/files'

/** Of the names in that folder `n` redirects to `n-1` … `0`; `to?url` redirects there; `loop` to itself. */
function redirector (status = 302) {
  return (request: { url?: string | undefined, headers: { authorization?: string | undefined } }, response: import('node:http').ServerResponse) => {
    const { pathname, search } = new URL(request.url!, 'http://x')
    const name = pathname.slice(FILES.length + 1)
    const hops = Number(name)
    if (name === 'target' || hops === 0) return response.end(`arrived ${request.headers.authorization ?? ''}`)
    if (name === 'none') return response.writeHead(status).end('no Location')
    const location = name === 'loop' ? pathname : name === 'to' ? decodeURIComponent(search.slice(1)) : `${FILES}/${hops - 1}`
    response.writeHead(status, { location }).end('moved')
  }
}

t.test('up to five redirects of every kind are followed', async t => {
  for (const status of [301, 302, 303, 307, 308]) {
    const upstream = await startUpstream(t, redirector(status))
    const host = await startHost(t, { documentServerOrigin: upstream.origin })
    for (const path of ['/1', '/5', '/to?target', `/to?${encodeURIComponent(`${FILES}/target#fragment`)}`]) {
      const response = await host.proxied(upstream.origin + FILES + path)
      t.equal(response.status, 200, `${status} ${path}`)
      t.equal(await response.text(), 'arrived ')
    }
    t.notMatch(upstream.requests.join(), '#')
  }
})

t.test('a redirect loop, six redirects, another scheme and a missing Location are answered 502', async t => {
  const upstream = await startUpstream(t, redirector())
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const to = (url: string) => `/to?${encodeURIComponent(url)}`
  for (const path of [
    '/loop', '/6', '/100', '/none', to('file:///etc/passwd'), to('ftp://127.0.0.1/x'), to('javascript:alert(1)'),
    to('data:text/html,x'), to('http://'), to('')
  ]) {
    upstream.requests.length = 0
    const response = await host.proxied(upstream.origin + FILES + path)
    t.equal(response.status, 502, path)
    t.match(await response.json(), { code: 'FST_EDITOR_UPSTREAM' })
    t.equal(response.headers.get('location'), null)
    t.ok(upstream.requests.length <= 6, `${upstream.requests.length} requests`)
  }
})

t.test('credentials in a redirect are not sent', async t => {
  const upstream = await startUpstream(t, redirector())
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const target = `http://user:password@127.0.0.1:${upstream.port}${FILES}/target`
  const response = await host.proxied(`${upstream.origin}${FILES}/to?${encodeURIComponent(target)}`)
  t.equal(await response.text(), 'arrived ')
})

t.test('a redirect to an origin that is not allowed is answered 403 without a request there', async t => {
  const elsewhere = await startUpstream(t, (_request, response) => response.end('inside'))
  const upstream = await startUpstream(t, redirector())
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  for (const target of [
    `${elsewhere.origin}${FILES}/x`, `//127.0.0.1:${elsewhere.port}${FILES}/x`,
    `http://localhost:${upstream.port}${FILES}/target`, `http://user@127.0.0.1:${elsewhere.port}${FILES}/x`
  ]) {
    const response = await host.proxied(`${upstream.origin}${FILES}/to?${encodeURIComponent(target)}`)
    t.equal(response.status, 403, target)
    t.match(await response.json(), { message: /^Blocked: a redirect leads to a URL that is not allowed$/ }, 'the client learns nothing of it')
  }
  t.strictSame(elsewhere.requests, [])
  t.notMatch(upstream.requests.join(), '/target')
})
