import { Readable } from 'node:stream'
import t from 'tap'
import type { HttpClient } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'
import { exchangeGet } from '../kit/http.js'

const origin = 'http://docs.example.com'

t.test('a custom HTTP client gets URLs without credentials and fragment, also after a redirect', async t => {
  const urls: string[] = []
  const httpClient: HttpClient = {
    async request ({ url }) {
      urls.push(url.href)
      const moved = urls.length === 1
      const location = moved ? 'http://user:password@docs.example.com/cache/files/target?x#fragment' : undefined
      return { status: moved ? 302 : 200, header: name => name === 'location' ? location : undefined, body: Readable.from(['arrived']) }
    }
  }
  const host = await startHost(t, { documentServerOrigin: origin, httpClient })
  const response = await host.proxied('http://user:password@docs.example.com/cache/files/start#fragment')
  t.equal(await response.text(), 'arrived')
  t.strictSame(urls, [`${origin}/cache/files/start`, `${origin}/cache/files/target?x`])
})

t.test('a custom HTTP client is not called for special IP addresses, and is told which host names must be public, after a redirect too', async t => {
  const asked: string[] = []
  const httpClient: HttpClient = {
    async request ({ url, publicOnly }) {
      asked.push(`${url.href} ${publicOnly ? 'public only' : 'any address'}`)
      const location = url.pathname === '/cache/files/moved' ? url.searchParams.get('to')! : undefined
      return { status: location ? 302 : 200, header: name => name === 'location' ? location : undefined, body: Readable.from(['arrived']) }
    }
  }
  const host = await startHost(t, { documentServerOrigin: origin, httpClient, proxy: { allow: 'any' } })
  const statusOf = async (url: string) => (await host.proxied(url)).status
  for (const special of ['http://10.0.0.1/', 'http://[::1]/', 'http://2852039166/', 'http://localhost/']) {
    t.equal(await statusOf(special), 403, special)
    t.equal(await statusOf(`${origin}/cache/files/moved?to=${special}`), 403, special)
    t.strictSame(asked.splice(0), [`${origin}/cache/files/moved?to=${special} any address`])
  }
  for (const url of ['http://elsewhere.example/x', 'http://8.8.8.8/x']) {
    t.equal(await statusOf(url), 200)
    t.equal(await statusOf(`${origin}/cache/files/moved?to=${url}`), 200)
    t.strictSame(asked.splice(0), [`${url} public only`, `${origin}/cache/files/moved?to=${url} any address`, `${url} public only`])
  }
  const open = await startHost(t, { documentServerOrigin: origin, httpClient, proxy: { allow: 'any' }, allowPrivateAddresses: true })
  t.equal((await open.proxied('http://10.0.0.1/')).status, 200)
  t.strictSame(asked, ['http://10.0.0.1/ any address'])
})

t.test('a header from a custom HTTP client that no HTTP parser would accept is dropped, never forwarded and never a 500', async t => {
  for (const value of ['   ', '\t', '', 'a\r\nSet-Cookie: b=c', 'a\nb', 'a\0b', 'отчёт.pdf', '\u007f']) {
    const httpClient: HttpClient = {
      request: async () => ({ status: 200, header: name => /^content-(type|disposition)$/.test(name) ? value : undefined, body: Readable.from(['body']) })
    }
    const host = await startHost(t, { documentServerOrigin: origin, httpClient })
    const response = await host.proxied(`${origin}/cache/files/x`)
    t.equal(response.status, 200, JSON.stringify(value))
    t.equal(await response.text(), 'body')
    t.equal(response.headers.get('content-type'), 'application/octet-stream')
    t.equal(response.headers.get('content-disposition'), null)
    t.equal(response.headers.get('set-cookie'), null)
  }
})

t.test('the error of a custom HTTP client decides between 502 and 504; its message is not exposed', async t => {
  const table: Array<[error: unknown, status: number]> = [
    [Object.assign(new Error('secret'), { code: 'ETIMEDOUT' }), 504],
    [Object.assign(new Error('secret'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), 504],
    [Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }), 502],
    [new DOMException('secret', 'TimeoutError'), 504],
    [new DOMException('secret', 'NetworkError'), 502],
    [new Error('secret'), 502],
    ['secret', 502],
    [undefined, 502]
  ]
  for (const [error, status] of table) {
    const host = await startHost(t, { documentServerOrigin: origin, httpClient: { request: () => Promise.reject(error) } })
    const response = await host.proxied(`${origin}/cache/files/x`)
    t.equal(response.status, status, String(error))
    t.notMatch(await response.text(), 'secret')
  }
})

t.test('a custom HTTP client that returns fewer or more bytes than announced: the client gets the announced bytes or a reset', async t => {
  const table: Array<[chunks: string[], outcomes: Array<string | number>]> = [
    [['short'], ['cut', 502]],
    [['longer than it should be'], ['cut', 502]],
    [['0123456789', 'and more'], ['cut', '0123456789']]
  ]
  for (const [chunks, outcomes] of table) {
    const httpClient: HttpClient = {
      request: async () => ({
        status: 200,
        header: name => name === 'content-length' ? '10' : undefined,
        body: Readable.from(chunks, { objectMode: false })
      })
    }
    const host = await startHost(t, { documentServerOrigin: origin, httpClient })
    const answer = await exchangeGet(t, host.origin, `${HANDLER}?action=proxy&url=${origin}/cache/files/x`, host.proxyHeaders).catch(() => '')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    const outcome = head.startsWith('HTTP/1.1 502') ? 502 : body.length < 10 ? 'cut' : body
    t.ok(outcomes.includes(outcome), `${chunks}: ${outcome}`)
  }
})
