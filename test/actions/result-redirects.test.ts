import t, { type Test } from 'tap'
import { type FastifyOnlyofficeOptions, memoryStorage } from '../../lib/index.js'
import { startUpstream } from '../kit/http.js'
import { startPageHost } from '../kit/host.js'

const PDF = '%PDF-1.7 content'
const FILE = '/cache/files/data/x/output.pdf'

/** A document server whose result file `…/to?url` redirects to that URL, and another server that it may lead to. */
async function start (t: Test, options: (origins: { readonly other: string }) => Partial<FastifyOnlyofficeOptions> = () => ({})) {
  const server = await startUpstream(t, ({ url = '' }, response) => {
    const target = url.split('/to?')[1]
    if (target === undefined) return response.end(PDF)
    response.writeHead(302, { location: decodeURIComponent(target) }).end()
  })
  const other = await startUpstream(t, (_request, response) => response.end(PDF))
  const host = await startPageHost(t, {
    documentServerOrigin: server.origin,
    storage: memoryStorage(),
    actions: { saveAs: true },
    versions: {},
    ...options({ other: other.origin })
  })
  const through = (target: string) => `${server.origin}/cache/files/to?${encodeURIComponent(target)}`
  return {
    host,
    server,
    other,
    through,
    /** Everything with which a page has a result file fetched. Each resolves to the status of its answer. */
    ways: {
      saveAs: async (url: string) => (await host.ask('saveAs', { url, title: 'Copy.pdf', fileType: 'pdf' })).status,
      restore: async (url: string) => (await host.ask('restore', { version: 1, url, fileType: 'pdf' })).status,
      proxy: async (url: string) => (await host.proxied(url)).status
    }
  }
}

for (const way of ['saveAs', 'restore', 'proxy'] as const) {
  t.test(`${way}: where a redirect of a result file leads is requested only if it is a result file of the document server, too`, async t => {
    const { server, other, through, ways } = await start(t, () => ({}))
    const targets = [
      '/info/info.json', '/info', '/healthcheck', '/', '/cache/files', '/cache/files/../../info', '/cache/files/%2e%2e/%2e%2e/info', '/x?/cache/files/y',
      `${server.origin}/info/info.json`, `http://localhost:${server.port}${FILE}`, `${other.origin}${FILE}`, `${other.origin}/`,
      `//127.0.0.1:${other.port}${FILE}`, `http://169.254.169.254${FILE}`, through('/info/info.json'), through(`${other.origin}${FILE}`)
    ]
    for (const target of targets) {
      server.requests.length = 0
      t.equal(await ways[way](through(target)), 403, target)
      t.ok(server.requests.every(line => line.includes('/cache/files/to?')) && server.requests.length > 0, target)
    }
    t.strictSame(other.requests, [])

    for (const target of [FILE, `${server.origin}${FILE}`, 'data/x/output.pdf', through(FILE)]) t.equal(await ways[way](through(target)), 200, target)
  })
}

t.test('saveAs and restore: no other option allows more, and a further origin of the document server as much', async t => {
  const any = await start(t, () => ({ proxy: { allow: 'any' }, documentServer: { origins: 'any' }, allowPrivateAddresses: true }))
  const named = await start(t, ({ other }) => ({ documentServer: { origins: [other] } }))
  for (const way of ['saveAs', 'restore'] as const) {
    for (const target of ['/info/info.json', `${any.other.origin}${FILE}`]) t.equal(await any.ways[way](any.through(target)), 403, `${way} ${target}`)
    t.equal(await named.ways[way](named.through(`${named.other.origin}${FILE}`)), 200, way)
    t.equal(await named.ways[way](named.through(`${named.other.origin}/info`)), 403, way)
  }
  t.strictSame(any.other.requests, [])
  t.strictSame(named.other.requests.filter(line => !line.includes(FILE)), [])
})

t.test('a result file at another origin is refused with the headers that the proxy of the document server must set', async t => {
  const { host, server } = await start(t)
  for (const origin of [server.origin.replace('http', 'https'), 'http://documentserver']) {
    for (const [action, body] of [['saveAs', { title: 'Copy.pdf' }], ['restore', { version: 1 }]] as const) {
      const { status, body: { message } } = await host.ask(action, { url: origin + FILE, fileType: 'pdf', ...body })
      t.equal(status, 403)
      t.equal(message, `Blocked: ${origin} is not an origin of the document server: set X-Forwarded-Host and X-Forwarded-Proto at its proxy, or add it to documentServer.origins`)
    }
  }
  t.strictSame(server.requests, [])
})
