import http from 'node:http'
import t from 'tap'
import { type AuthorizeTarget, type EditorOptions, undiciClient } from '../../lib/index.js'
import { startHost } from '../helpers/host.js'
import { startUpstream } from '../helpers/listen.js'

t.test('secure: only the allowed origins are fetched, by default the document server\'s', async t => {
  const documentServer = await startUpstream(t, (_request, response) => response.end('document server'))
  const other = await startUpstream(t, (_request, response) => response.end('other'))
  const table: Array<[options: Partial<EditorOptions>, documentServer: number, other: number]> = [
    [{}, 200, 403],
    [{ documentServer: { origins: [other.origin] } }, 200, 200],
    [{ proxy: { allow: [] } }, 403, 403],
    [{ proxy: { allow: [`${other.origin}/`] } }, 403, 200],
    [{ proxy: { allow: 'any' } }, 200, 403],
    [{ proxy: { allow: 'any' }, allowPrivateAddresses: true }, 200, 200],
    [{ profile: 'classic', proxy: { allow: [other.origin] } }, 403, 200]
  ]
  for (const [options, ...statuses] of table) {
    const host = await startHost(t, { documentServerOrigin: documentServer.origin, ...options })
    for (const [index, upstream] of [documentServer, other].entries()) {
      upstream.requests.length = 0
      const response = await fetch(host.handler({ action: 'proxy', url: `${upstream.origin}/file` }))
      t.equal(response.status, statuses[index], JSON.stringify(options))
      t.equal(upstream.requests.length, response.status === 200 ? 1 : 0)
      if (response.status === 403) t.equal(await response.text(), `The address ${upstream.origin} is not allowed`)
    }
  }
})

t.test('secure: an origin that only looks like an allowed one is refused without a request', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('inside'))
  const host = await startHost(t, { documentServerOrigin: 'http://docs.example.com' })
  const { port } = upstream
  for (const url of [
    `http://127.0.0.1:${port}/docs.example.com`, `http://docs.example.com@127.0.0.1:${port}/`, `http://docs.example.com:80@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}#docs.example.com`, `http://127.0.0.1:${port}\\@docs.example.com/`, `http://127.0.0.1:${port}?http://docs.example.com`,
    'http://docs.example.com.evil.invalid/', 'http://evil-docs.example.com/', 'https://docs.example.com/', 'http://docs.example.com:8080/', 'http://docs.example.com./'
  ]) {
    const response = await fetch(host.handler({ action: 'proxy', url }))
    t.equal(response.status, 403, url)
  }
  t.strictSame(upstream.requests, [])
})

t.test('row 15 (secure): pages of another origin are refused, before a request is made', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const url = host.handler({ action: 'proxy', url: `${upstream.origin}/x` })
  const table: Array<[status: number, headers: Record<string, string>]> = [
    [403, { origin: 'https://foreign.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'no origin' }],
    [403, { origin: `${host.origin}.evil.example` }],
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [403, { 'sec-fetch-site': 'cross-site', origin: host.origin }],
    [200, {}],
    [200, { origin: host.origin }],
    [200, { 'sec-fetch-site': 'same-origin' }],
    [200, { 'sec-fetch-site': 'none' }],
    [200, { 'sec-fetch-site': 'same-origin', origin: host.origin }]
  ]
  for (const [status, headers] of table) {
    upstream.requests.length = 0
    t.equal(await statusOf(url, headers), status, JSON.stringify(headers))
    t.equal(upstream.requests.length, status === 200 ? 1 : 0)
  }
})

t.test('secure: what is proxied is no code of a page, whatever the host says of its user', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end('alert(1)'))
  const host = await startHost(t, { documentServerOrigin: upstream.origin, authorize: () => true })
  const url = host.handler({ action: 'proxy', url: `${upstream.origin}/x` })
  for (const destination of ['script', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'style', 'xslt', 'json']) {
    t.equal(await statusOf(url, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': destination }), 403, destination)
  }
  t.strictSame(upstream.requests, [])
  for (const destination of ['empty', 'document', 'image']) {
    t.equal(await statusOf(url, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': destination }), 200, destination)
  }
})

t.test('proxy.crossOrigin overrides the profile', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  for (const [options, status] of [
    [{}, 403], [{ proxy: { crossOrigin: true } }, 200], [{ requireToken: false, signedUrls: false }, 403],
    [{ profile: 'classic' }, 200], [{ profile: 'classic', proxy: { crossOrigin: false } }, 403]
  ] as const) {
    const host = await startHost(t, { documentServerOrigin: upstream.origin, ...options })
    const url = host.handler({ action: 'proxy', url: `${upstream.origin}/x` })
    t.equal(await statusOf(url, { 'sec-fetch-site': 'cross-site' }), status, JSON.stringify(options))
  }
})

t.test('secure: what is addressed to the document server goes to its internal address, path and query as they are', async t => {
  const internal = await startUpstream(t, (_request, response) => response.end('internal'))
  const lured = await startUpstream(t, (_request, response) => response.end('lured'))
  const host = await startHost(t, { documentServerOrigin: 'https://docs.invalid', documentServer: { internalUrl: internal.origin } })
  for (const path of ['/cache/files/a%20b?md5=x&expires=1', `//127.0.0.1:${lured.port}/x`, '/%2F%2Fx/', '/a//b', '/\\x'.replace('\\', '%5C')]) {
    const response = await fetch(host.handler({ action: 'proxy', url: `https://docs.invalid${path}` }))
    t.equal(await response.text(), 'internal', path)
    t.equal(internal.requests.pop(), path)
  }
  t.strictSame(lured.requests, [])
  const direct = await fetch(host.handler({ action: 'proxy', url: `${internal.origin}/direct` }))
  t.equal(await direct.text(), 'internal')
})

t.test('authorize decides for the proxy too: it sees the parsed URL', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const targets: AuthorizeTarget[] = []
  let decide: () => boolean | undefined
  const host = await startHost(t, {
    documentServerOrigin: upstream.origin,
    authorize: (_request, target) => { targets.push(target); return decide() }
  })
  const url = host.handler({ action: 'proxy', url: `http://user:pw@127.0.0.1:${upstream.port}/x#y` })
  const foreign = { 'sec-fetch-site': 'cross-site' }
  const table = [
    { decision: () => true, own: 200, cross: 200 },
    { decision: () => undefined, own: 200, cross: 403 },
    { decision: () => false, own: 403, cross: 403 },
    { decision: () => { throw new Error('down') }, own: 403, cross: 403 }
  ]
  for (const { decision, own, cross } of table) {
    decide = decision
    t.equal(await statusOf(url, {}), own)
    t.equal(await statusOf(url, foreign), cross)
  }
  t.strictSame(targets, Array(8).fill({ action: 'proxy', url: `${upstream.origin}/x` }))
})

t.test('the host\'s HTTP client makes the proxy\'s requests, and is left open', async t => {
  const sound = undiciClient()
  t.teardown(() => sound.close?.())
  const purposes: string[] = []
  let closed = false
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const host = await startHost(t, {
    documentServerOrigin: upstream.origin,
    httpClient: { request: request => { purposes.push(`${request.purpose} ${request.method} ${request.url}`); return sound.request(request) }, close: async () => { closed = true } }
  })
  const response = await fetch(host.handler({ action: 'proxy', url: `${upstream.origin}/x` }))
  t.equal(await response.text(), 'through')
  t.strictSame(purposes, [`proxy GET ${upstream.origin}/x`])
  await host.app.close()
  t.equal(closed, false)
})

/** `fetch` lets nobody set these headers. */
function statusOf (url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http.get(url, { headers }, response => { response.resume(); resolve(response.statusCode) }).on('error', reject)
  })
}
