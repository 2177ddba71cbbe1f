import http from 'node:http'
import t from 'tap'
import { HANDLER, startHost } from '../kit/host.js'
import { exchangeGet, startUpstream } from '../kit/http.js'

const invalid = [
  '', 'url=', 'url=%20', 'url=%09%0A%20', 'url=foo', 'url=/foo', 'url=//host/x', 'url=http://', 'url=https://',
  'url=http', 'url=:', 'url=http:%2F%2F%5B', 'url=http://a%20b/', 'url=%00', 'url=http://x:99999/', 'url=1http://x/',
  'url=%5C%5Chost%5Cx', `url=http://${'a'.repeat(254)}/`
]
const schemes = [
  'file:///etc/passwd', 'file:', 'ftp://127.0.0.1/x', 'data:text/plain,x', 'data:', 'javascript:alert(1)',
  'ws://127.0.0.1/x', 'wss://127.0.0.1/x', 'gopher://127.0.0.1:1/_x', 'mailto:a@b.c', 'blob:http://127.0.0.1/x',
  'about:blank', 'view-source:http://127.0.0.1', 'httpx://127.0.0.1/'
]

t.test('a url parameter that is not an absolute URL is answered 400 "Invalid URL"', async t => {
  const host = await startHost(t)
  for (const query of invalid) {
    const response = await fetch(`${host.origin}${HANDLER}?action=proxy&${query}`)
    t.equal(response.status, 400, query)
    t.match(response.headers.get('content-type'), /^text\/plain/, query)
    t.equal(await response.text(), 'Invalid URL', query)
  }
})

t.test('a url with a scheme other than http and https is answered 400 "Unsupported URL scheme"', async t => {
  const host = await startHost(t)
  for (const url of schemes) {
    const scheme = url.slice(0, url.indexOf(':'))
    const spellings = [url, scheme.toUpperCase() + url.slice(scheme.length), scheme[0]!.toUpperCase() + url.slice(1), ` ${url}`]
    for (const spelling of spellings) {
      const response = await fetch(host.handler({ action: 'proxy', url: spelling }))
      t.equal(response.status, 400, spelling)
      t.match(response.headers.get('content-type'), /^text\/plain/, spelling)
      t.equal(await response.text(), 'Unsupported URL scheme', spelling)
    }
  }
})

t.test('only the parsed URL is used: no credentials, no fragment, no tab or newline', async t => {
  const received: Array<Pick<http.IncomingMessage, 'url' | 'headers'>> = []
  const upstream = await startUpstream(t, ({ url, headers }, response) => {
    received.push({ url: url!, headers })
    response.end('through')
  })
  const host = await startHost(t, { proxy: { allow: [upstream.origin] } })
  const { port } = upstream
  const table: Array<[url: string, path: string]> = [
    [`http://user:secret@127.0.0.1:${port}/a?b#fragment`, '/a?b'],
    [`http://127.0.0.1:${port}/a\t\n\rb`, '/ab'],
    [`\n http://127.0.0.1:${port}/x `, '/x'],
    [`http:\\\\127.0.0.1:${port}\\x\\y`, '/x/y'],
    [`HTTP://127.0.0.1:${port}/a/../b/./c`, '/b/c'],
    [`http://127.0.0.1:${port}/ü?q=ü x`, '/%C3%BC?q=%C3%BC%20x'],
    [`http://127.0.0.1:${port}/%2e%2e/x`, '/x'],
    [`http://0x7f000001:${port}/x`, '/x'],
    [`http://127.0.0.1:${port}`, '/']
  ]
  for (const [url, path] of table) {
    const response = await host.proxied(url)
    t.equal(response.status, 200, url)
    t.equal(await response.text(), 'through')
    const { url: target, headers } = received.pop()!
    t.equal(target, path, url)
    t.equal(headers.authorization, undefined, 'no credentials')
    t.equal(headers.host, `127.0.0.1:${port}`)
  }
})

t.test('the upstream request is a GET without any header of the client', async t => {
  const received: http.IncomingMessage[] = []
  const upstream = await startUpstream(t, (request, response) => { received.push(request); response.end('x') })
  const host = await startHost(t, { profile: 'classic' })
  const answer = await exchangeGet(t, host.origin, `${HANDLER}?action=proxy&url=${encodeURIComponent(upstream.origin)}`, {
    Cookie: 'session=1', Authorization: 'Bearer of-the-user', Range: 'bytes=0-0', 'X-Forwarded-For': '10.0.0.1', 'Accept-Encoding': 'gzip', Referer: 'http://x/'
  })
  t.match(answer, /^HTTP\/1\.1 200 /)
  t.equal(received[0]!.method, 'GET')
  t.strictSame(Object.keys(received[0]!.headers).sort(), ['accept-encoding', 'connection', 'host'])
  t.equal(received[0]!.headers['accept-encoding'], 'identity')
})
