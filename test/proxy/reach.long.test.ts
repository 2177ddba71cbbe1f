import t, { type Test } from 'tap'
import { type HostOptions, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { noWayOut } from '../kit/network.js'

/** Of a document server; some of them it gives to its own machine only. */
const PRIVATE = [
  '/info/info.json', '/internal/cluster/inactive', '/internal/connections/edit',
  '/web-apps/apps/api/documents/api.js', '/healthcheck', '/coauthoring/CommandService.ashx', '/doc/key/c/info',
  '/index.html', '/example/', '/'
]

/** Each has something of a result file in it, or is read as the path of one by some server and not by another. */
const DISGUISED = [
  '/cache/files', '/cache/files/', '/cache/files//', '/cache/files/../../info/info.json',
  '/cache/files/%2e%2e/%2e%2e/info/info.json', '/cache/files/..%2f..%2finfo/info.json',
  '/cache/files/..%2F..%2Finfo%2Finfo.json', '/cache/files/..%5c..%5cinfo%5cinfo.json', '/cache/files/x%5c..',
  '/cache/files/x%2fy', '/cache/files/..;/..;/info/info.json', '/cache/files/..;a=b/..;/info',
  '/cache/files/..%3b/..%3b/info', '/info;/cache/files/x', '/info/info.json;/cache/files/x',
  '/cache/files/%252e%252e/%252e%252e/info/info.json', '/cache/files/..%252f..%252finfo',
  '/cache/files/..%25252f..%25252finfo', '/cache/files/..%25%32%66..%25%32%66info', '/cache/files/..%255c..%255cinfo',
  '/cache/files/..%253b/info', '/cache/files/..%c0%af..%c0%afinfo', '/cache/files/%c0%ae%c0%ae/info',
  '/cache/files/..%u002finfo', '/cache/files/．．/．．/info', '/cache/files/..／..／info', '/cache/files/..%00/info',
  '/cache/files/x%0d%0aHost:%20inside', '/x%2fcache/files/y', '/x%2Fcache%2Ffiles%2Fy', '/info%2f..%2fcache/files/y',
  '/%63ache/files/y', '/info%3f/cache/files/x', '/info%23/cache/files/x', '/info%00/cache/files/x', '/Cache/files/x',
  '/cache/Files/x', '/CACHE/FILES/x', '///cache/files/x', '/cache//files/x', '/xcache/files/x', '/cache/filesx',
  '/info/info.json?/cache/files/x', '/info/info.json?url=/cache/files/x', '/info/info.json#/cache/files/x',
  '/?x=/cache/files/x'
]

const RESULT_FILES = [
  '/cache/files/data/key_1/output.docx/output.docx?md5=x&expires=1',
  '/9.3.0-abc/cache/files/data/key_1/output.docx/a.docx', '/editors/cache/files/x', '/a/b-c/9.3.0-1/cache/files/x',
  '/only%5foffice/cache/files/x', '//cache/files/x', '/docs//storage-cache/files/x',
  '/cache/my/own/files/data/key_1/output.docx/a.docx', '/cache/files/My%20title%20%E2%80%93%20100%25.pdf',
  '/cache/files/Q1%252fQ2.pdf?filename=Q1%252fQ2.pdf', '/cache/files/x?to=..%2f..%2finfo', '/cache/files/x?a=/../b;..'
]

/** A service, the document server behind it, and where connections were begun to, other than to the service. */
async function start (t: Test, options: (origin: string) => HostOptions) {
  const documentServer = await startUpstream(t, ({ url = '' }, response) => {
    const [, target] = /\/moved\?(.*)$/.exec(url) ?? []
    if (target === undefined) response.end('from the document server')
    else response.writeHead(302, { location: decodeURIComponent(target).replace(/[^ -~]/g, encodeURIComponent) }).end()
  })
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, ...options(documentServer.origin) })
  const begun = noWayOut(t)
  return { host, documentServer, begun: () => begun.filter(address => address !== new URL(host.origin).host) }
}

const messageOf = async (response: Response) => (await response.json() as { message: unknown }).message

const BEHIND: HostOptions = { documentServerOrigin: 'https://docs.invalid' }

/** The document server at the address that browsers know, and behind one. */
const setups: Record<string, (origin: string) => HostOptions> = {
  'at its public address': () => ({}),
  'at an internal address': internalUrl => ({ ...BEHIND, documentServer: { internalUrl } })
}

for (const [setup, options] of Object.entries(setups)) {
  t.test(`of the document server only paths of result files are fetched; for any other path no connection is made, ${setup}`, async t => {
    const { host, documentServer, begun } = await start(t, options)
    const named = options(documentServer.origin).documentServerOrigin ?? documentServer.origin
    for (const method of ['GET', 'HEAD']) {
      for (const path of [...PRIVATE, ...DISGUISED]) {
        const response = await host.proxied(named + path, { method })
        t.equal(response.status, 403, `${method} ${path}`)
        if (method === 'GET') t.equal(await messageOf(response), `Blocked: at ${named} the proxy fetches only result files, and proxy.allow does not name this path`)
      }
    }
    t.strictSame(begun(), [])
    for (const path of RESULT_FILES) {
      const response = await host.proxied(named + path)
      t.equal(await response.text(), 'from the document server', path)
      // At an internal address there is nothing before the path of a result file.
      t.equal(documentServer.requests.pop(), named === BEHIND.documentServerOrigin ? path.replace(/^.*?(?=\/(?:storage-)?cache\/)/, '') : path)
    }
  })

  t.test(`a redirect from a result file to any other path of the document server is not followed, ${setup}`, async t => {
    const { host, documentServer } = await start(t, options)
    const named = options(documentServer.origin).documentServerOrigin ?? documentServer.origin
    const through = (target: string) => host.proxied(`${named}/cache/files/moved?${encodeURIComponent(target)}`)
    for (const path of [...PRIVATE, ...DISGUISED]) {
      for (const target of path.startsWith('//') ? [named + path] : [path, named + path]) {
        const response = await through(target)
        t.equal(response.status, 403, target)
        t.equal(await messageOf(response), 'Blocked: a redirect leads to a URL that is not allowed')
      }
    }
    t.strictSame(documentServer.requests.filter(path => !path.startsWith('/cache/files/moved?')), [])

    const found = await through('/9.3.0-abc/cache/files/x')
    t.equal(await found.text(), 'from the document server', 'a redirect to another result file is followed')
  })
}

t.test('neither a page nor a redirect may name the document server\'s internal URL', async t => {
  const { host, documentServer, begun } = await start(t, setups['at an internal address']!)
  const { origin, port } = documentServer
  for (const base of [origin, `http://127.1:${port}`, `http://user@127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const response = await host.proxied(`${base}/cache/files/x`)
    t.equal(response.status, 403, base)
    t.equal(await messageOf(response), `Blocked: ${new URL(base).origin} is not allowed`)
  }
  t.strictSame(begun(), [])

  const moved = await host.proxied(`https://docs.invalid/cache/files/moved?${encodeURIComponent(`${origin}/cache/files/x`)}`)
  t.equal(moved.status, 403)
  t.strictSame(documentServer.requests.splice(0), [`/cache/files/moved?${encodeURIComponent(`${origin}/cache/files/x`)}`])

  const response = await host.proxied('https://docs.invalid/cache/files/x?md5=y')
  t.equal(await response.text(), 'from the document server', 'by its public address it is')
  t.strictSame(documentServer.requests, ['/cache/files/x?md5=y'])

  const same = await start(t, internalUrl => ({ documentServer: { internalUrl } }))
  t.equal((await same.host.proxied(`${same.documentServer.origin}/cache/files/x`)).status, 200, 'unless it is the public one')
})
