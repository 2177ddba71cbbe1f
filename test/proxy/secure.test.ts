import t from 'tap'
import { type FastifyOnlyofficeOptions } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { send, startUpstream } from '../kit/http.js'
import { memoryLog } from '../kit/log.js'
import { nginxProgram, startNginx } from '../kit/programs.js'

const statusOf = async (url: string, headers: Record<string, string>) => (await send(url, { headers })).status

t.test('by default only result files of the document server are fetched; proxy.allow adds URLs', async t => {
  const documentServer = await startUpstream(t, (_request, response) => response.end('document server'))
  const other = await startUpstream(t, (_request, response) => response.end('other'))
  const urls = [documentServer, other].flatMap(({ origin }) => [`${origin}/cache/files/x`, `${origin}/x`])
  const notNamed = urls.map(url => `Blocked: ${new URL(url).origin} is not allowed`)
  const noResultFile = urls.map(url => `Blocked: at ${new URL(url).origin} the proxy fetches only result files, and proxy.allow does not name this path`)
  const table: Array<[options: Partial<FastifyOnlyofficeOptions>, answers: Array<200 | string>]> = [
    [{}, [200, noResultFile[1]!, notNamed[2]!, notNamed[3]!]],
    [{ documentServer: { origins: [other.origin] } }, [200, noResultFile[1]!, 200, noResultFile[3]!]],
    [{ proxy: { allow: [] } }, [200, noResultFile[1]!, notNamed[2]!, notNamed[3]!]],
    [{ proxy: { allow: [`${other.origin}/`] } }, [200, noResultFile[1]!, 200, 200]],
    [{ proxy: { allow: [{ origin: `${other.origin}/`, path: '/x' }] } }, [200, noResultFile[1]!, notNamed[2]!, 200]],
    [{ proxy: { allow: [documentServer.origin] } }, [200, 200, notNamed[2]!, notNamed[3]!]],
    [{ proxy: { allow: [{ origin: documentServer.origin, path: '/x' }] } }, [200, 200, notNamed[2]!, notNamed[3]!]],
    [{ proxy: { allow: 'any' } }, [200, notNamed[1]!, notNamed[2]!, notNamed[3]!]],
    [{ proxy: { allow: 'any' }, allowPrivateAddresses: true }, [200, 200, 200, 200]],
    [{ profile: 'classic', proxy: { allow: [other.origin] } }, [200, noResultFile[1]!, 200, 200]],
    [{ profile: 'classic' }, [200, 200, 200, 200]]
  ]
  for (const [options, answers] of table) {
    const host = await startHost(t, { documentServerOrigin: documentServer.origin, ...options })
    for (const [index, url] of urls.entries()) {
      documentServer.requests.length = other.requests.length = 0
      const response = await host.proxied(url)
      const body = await response.text()
      t.equal(response.status === 403 ? JSON.parse(body).message : response.status, answers[index], `${url} ${JSON.stringify(options)}`)
      t.equal(documentServer.requests.length + other.requests.length, response.status === 200 ? 1 : 0)
    }
  }
})

t.test('an origin that merely resembles an allowed one is refused without a request', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('inside'))
  const host = await startHost(t, { documentServerOrigin: 'http://docs.example.com' })
  const { port } = upstream
  for (const url of [
    `http://127.0.0.1:${port}/docs.example.com/cache/files/x`,
    `http://docs.example.com@127.0.0.1:${port}/cache/files/x`,
    `http://docs.example.com:80@127.0.0.1:${port}/cache/files/x`,
    `http://127.0.0.1:${port}/cache/files/x#docs.example.com`,
    `http://127.0.0.1:${port}\\@docs.example.com/cache/files/x`,
    `http://127.0.0.1:${port}/cache/files/x?http://docs.example.com`,
    'http://docs.example.com.evil.invalid/cache/files/x', 'http://evil-docs.example.com/cache/files/x',
    'https://docs.example.com/cache/files/x', 'http://docs.example.com:8080/cache/files/x',
    'http://docs.example.com./cache/files/x'
  ]) {
    const response = await host.proxied(url)
    t.equal(response.status, 403, url)
    t.match(await response.json(), { message: `Blocked: ${new URL(url).origin} is not allowed` })
  }
  t.strictSame(upstream.requests, [])
})

t.test('pages may use proxied bytes only in harmless ways, even if authorize grants the request', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end('alert(1)'))
  const url = `${upstream.origin}/cache/files/x`
  for (const decision of [undefined, 'grant'] as const) {
    const host = await startHost(t, { documentServerOrigin: upstream.origin, authorize: () => decision })
    const statusFor = (destination: string) =>
      statusOf(host.handler({ action: 'proxy', url }), {
        ...host.proxyHeaders,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-dest': destination
      })
    for (const destination of [
      'script', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'style', 'xslt', 'json',
      'iframe', 'frame', 'fencedframe', 'embed', 'object', 'font', 'track', 'manifest', 'report', 'webidentity',
      'speculationrules', 'a word of tomorrow', '', 'Empty', 'empty, script', 'image;x', 'constructor', '__proto__'
    ]) {
      t.equal(await statusFor(destination), 403, `"${destination}", ${decision}`)
    }
    t.strictSame(upstream.requests, [])
    for (const destination of ['empty', 'document', 'image', 'audio', 'video']) t.equal(await statusFor(destination), 200, `${destination}, ${decision}`)
    t.equal((await host.proxied(url)).status, 200, 'a program that is no browser')
    upstream.requests.length = 0
  }
  const open = await startHost(t, { documentServerOrigin: upstream.origin, proxy: { crossOrigin: true } })
  t.equal(
    await statusOf(open.handler({ action: 'proxy', url }), { ...open.proxyHeaders, 'sec-fetch-dest': 'iframe' }),
    200,
    'proxy.crossOrigin lets everything through'
  )
})

t.test('requests for the document server go to its internal URL with unchanged query, and with the path of the result file', async t => {
  const internal = await startUpstream(t, (_request, response) => response.end('internal'))
  const host = await startHost(t, { documentServerOrigin: 'https://docs.invalid', documentServer: { internalUrl: internal.origin } })
  for (const path of ['/cache/files/a%20b?md5=x&expires=1', '/9.3.0-1/cache/files/a//b', '/cache/files/%C3%BC%3Fx/']) {
    const response = await host.proxied(`https://docs.invalid${path}`)
    t.equal(await response.text(), 'internal', path)
    t.equal(internal.requests.pop(), path.replace('/9.3.0-1', ''))
  }
})

t.test('URLs other than result files never go to the internal URL, whatever proxy.allow contains', async t => {
  const internal = await startUpstream(t, (_request, response) => response.end('internal'))
  const host = await startHost(t, {
    documentServerOrigin: 'https://docs.invalid',
    documentServer: { internalUrl: internal.origin },
    proxy: { allow: ['https://docs.invalid'] }
  })
  for (const path of ['/info/info.json', `//127.0.0.1:${internal.port}/x`]) {
    t.equal((await host.proxied(`https://docs.invalid${path}`)).status, 502, path)
  }
  t.strictSame(internal.requests, [])
})

t.test('behind an nginx that rewrites Host, what the browser calls same-origin is let in, and nothing else', {
  skip: nginxProgram() === undefined && 'This machine has no nginx'
}, async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const log = memoryLog()
  const host = await startHost(t, { documentServerOrigin: upstream.origin, ...log })
  const { origin } = await startNginx(t, `location / { proxy_set_header Host internal.invalid; proxy_pass ${host.origin}; }`)
  const url = host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }).replace(host.origin, origin)
  t.equal(await statusOf(url, { ...host.proxyHeaders, origin, 'sec-fetch-site': 'same-origin' }), 200)
  const refused = await send(url, { headers: { ...host.proxyHeaders, origin } })
  t.equal(refused.status, 403)
  t.match(JSON.parse(refused.body), { code: 'FST_EDITOR_FORBIDDEN', message: 'Forbidden' })
  t.match(log.text(), `only pages of the same origin may do this: Origin is ${origin}, Host is internal.invalid`)
})
