import { createDocumentServer, fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { type EditorHttpClient, undiciClient } from '../../lib/index.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { startReverseProxy } from '../kit/http.js'
import { createAuthority, createCertificate, startNameServer } from '../kit/network.js'
import { expectReport, findingOf } from './support.js'

const authority = createAuthority()
const LOOPBACK = () => ['127.0.0.1']

/** A client for which these names are this machine. */
async function knowing (t: Test, ...names: string[]): Promise<EditorHttpClient> {
  const { lookup } = await startNameServer(t, Object.fromEntries(names.map(name => [name, LOOPBACK])))
  const client = undiciClient({ lookup, tls: { ca: authority.cert } })
  t.teardown(() => client.close?.())
  return client
}

async function startNamed (t: Test): Promise<string> {
  const documentServer = await createDocumentServer({
    jwtSecret: SECRET,
    libreOffice: false,
    allowedHosts: ['docs.example.test'],
    clock: fakeClock({ autoAdvance: true })
  })
  t.teardown(() => documentServer.close())
  return documentServer.url.replace('127.0.0.1', 'docs.example.test')
}

t.test('publicBaseUrl is local, the document server is elsewhere by its name', async t => {
  const host = await startHost(t, {
    documentServerOrigin: await startNamed(t),
    httpClient: await knowing(t, 'docs.example.test')
  })
  expectReport(t, await host.app.editorDoctor(), {
    codes: ['PUBLIC_URL_LOCAL'],
    evidence: ['http://127.0.0.1:', 'docs.example.test'],
    remedy: /host\.docker\.internal/
  })
})

t.test('publicBaseUrl has a certificate that this application does not trust: it cannot examine its own URL, and says so', async t => {
  const proxy = await startReverseProxy(t, { certificate: createCertificate({ names: ['app.example.test'] }) })
  const host = await startHost(t, {
    documentServerOrigin: await startNamed(t),
    publicBaseUrl: `https://app.example.test:${proxy.port}`,
    httpClient: await knowing(t, 'docs.example.test', 'app.example.test'),
    editorApiUrl: `${await startNamed(t)}/web-apps/apps/api/documents/api.js`.replace('docs.example.test', '127.0.0.1')
  })
  proxy.forwardTo(host.origin)
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: ['DOWNLOAD_UNREACHABLE'], evidence: ['this application does not reach that URL either'] })
  t.match(findingOf(report, 'CALLBACK'), { status: 'skipped', evidence: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})

t.test('publicBaseUrl has a user name and a password, which a proxy checks: they are sent, and not shown', async t => {
  const documentServer = await startDocumentServer(t)
  const proxy = await startReverseProxy(t, {
    answer (request, response) {
      if (request.headers.authorization === `Basic ${Buffer.from('docs:pass%20word').toString('base64')}`) return false
      request.resume()
      response.writeHead(401).end('Who are you?')
      return true
    }
  })
  const host = await startHost(t, { documentServerOrigin: documentServer.url, publicBaseUrl: proxy.origin.replace('//', '//docs:pass%20word@') })
  proxy.forwardTo(host.origin)
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.match(findingOf(report, 'TOKENS_OUT'), { status: 'skipped', evidence: 'user name' })
  t.match(findingOf(report, 'DOWNLOAD'), { status: 'ok' })
  t.notMatch(JSON.stringify(report), /pass%20word|docs:/)
})
