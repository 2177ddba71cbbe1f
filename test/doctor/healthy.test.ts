import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { createAuthority, createCertificate } from '../kit/network.js'
import { startHost } from '../kit/host.js'
import { forwarded, type ReverseProxyOptions, startReverseProxy } from '../kit/http.js'
import { expectReport, findingOf, OTHER_SECRET, type SetUpOptions, startSetUp } from './support.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'

t.test('a healthy set-up: every check is done and finds nothing', async t => {
  const { host } = await startSetUp(t)
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.strictSame(report.findings.map(({ code, status }) => `${code} ${status}`), [
    'OPTIONS ok',
    'SERVER ok',
    'API_SCRIPT ok',
    'TOKENS_IN ok',
    'VERSION ok',
    'DOWNLOAD ok',
    'TOKENS_OUT ok',
    'CLOCK ok',
    'RESULT ok',
    'FROM_FILE ok',
    'CALLBACK ok',
    'STORAGE ok'
  ])
  t.equal(new Date(report.startedAt).toISOString(), report.startedAt)
})

const authority = createAuthority()

const healthy: Readonly<Record<string, SetUpOptions>> = {
  'both sides behind proxies, the document server with https': {
    serverProxy: { certificate: createCertificate({ issuer: authority }) },
    publicProxy: {},
    tls: { ca: authority.cert }
  },
  'without signed URLs': { signedUrls: false },
  'a path in publicBaseUrl that the proxy removes': { publicProxy: { rewrite: url => url.replace('/app/', '/') }, basePath: '/app' },
  'a path and a prefix of our own': { path: '/office', prefix: '/documents' },
  'a header of its own for the token': {
    emulated: { authorizationHeader: 'X-Docs-Token', authorizationPrefix: '' },
    documentServer: { authorizationHeader: 'X-Docs-Token', authorizationPrefix: '' }
  },
  'two secrets, the first is in use': { jwtSecret: [SECRET, 'the-previous-secret-of-the-tests-0123'] },
  'one secret for each direction': { jwtSecret: [SECRET, OTHER_SECRET], emulated: { jwtSecret: { inbox: SECRET, outbox: OTHER_SECRET } } },
  'hooks that deny everything: probes reach none of them': { authorize: () => false }
}

for (const [name, options] of Object.entries(healthy)) {
  t.test(`healthy: ${name}`, async t => {
    const { host } = await startSetUp(t, options)
    const report = await host.app.editorDoctor()
    expectReport(t, report, { codes: [] })
    t.strictSame(report.findings.filter(({ status }) => status !== 'ok'), [], 'and nothing was skipped')
  })
}

t.test('healthy: an internal URL, and a public one that only browsers know; api.js is not checked', async t => {
  const documentServer = await startDocumentServer(t)
  const httpClient = undiciClient({ lookup: (name, _options, callback) => callback(Object.assign(new Error(`${name} is unknown`), { code: 'ENOTFOUND' }), []) })
  t.teardown(() => httpClient.close?.())
  const host = await startHost(t, { documentServerOrigin: 'http://docs.example.test', documentServer: { internalUrl: documentServer.url }, httpClient })
  const report = await host.app.editorDoctor()
  t.match(findingOf(report, 'API_SCRIPT'), { status: 'skipped', evidence: /ENOTFOUND/ })
  t.equal(findingOf(report, 'RESULT')?.status, 'ok')
  t.strictSame(report.findings.filter(({ status }) => status === 'error'), [])
})

t.test('headers of browsers that reach the document server are a warning, unless its proxy sets them', async t => {
  const documentServer = await startDocumentServer(t, { allowedHosts: ['docs.example.test', 'forwarded.invalid'] })
  const proxy = await startReverseProxy(t, {
    headers: ({ 'x-forwarded-prefix': _prefix, 'cloudfront-forwarded-proto': _proto, ...headers }, facts) => forwarded(headers, facts)
  })
  proxy.forwardTo(documentServer.url)
  const belowPath = await startReverseProxy(t, { // as the document server's own documentation sets it up
    rewrite: url => url.replace(/^\/docs\//, '/'),
    headers: ({ 'cloudfront-forwarded-proto': _proto, ...headers }, facts) => ({ ...forwarded(headers, facts), 'x-forwarded-host': `${headers.host}/docs` })
  })
  belowPath.forwardTo(documentServer.url)
  const httpClient = undiciClient({
    lookup: (_name, { all }, callback) => all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
  })
  t.teardown(() => httpClient.close?.())
  for (
    const [{ port }, path, evidence] of [
      [new URL(documentServer.url), '', /: X-Forwarded-Prefix, X-Forwarded-Host, X-Forwarded-Proto, Cloudfront-Forwarded-Proto\./],
      [proxy, '', undefined],
      [belowPath, '/docs', /: X-Forwarded-Prefix\./]
    ] as const
  ) {
    const host = await startHost(t, { documentServerOrigin: `http://docs.example.test:${port}${path}`, documentServer: { internalUrl: documentServer.url }, httpClient })
    const report = await host.app.editorDoctor()
    const found = findingOf(report, 'FORWARDED_HEADERS')
    t.equal(found?.status, evidence && 'warning')
    if (evidence) t.match(found, { evidence, remedy: /proxy_set_header X-Forwarded-Prefix "";/ })
  }
})

t.test('the doctor says how content that is converted reaches the document server', async t => {
  const NEW = { version: '10.0', purposeCheck: 'strict' } as const
  for (
    const [options, evidence] of [
      [
        { emulated: { version: '9.3' } },
        /^Version 9\.3\.0\.0 takes no files in requests, so the document server downloads content/
      ],
      [{ emulated: NEW }, /takes content that is converted, and scripts, in requests/],
      [
        { emulated: NEW, serverProxy: { answer: blocking('/converter/from-file') } },
        /^\/converter\/from-file answers status 404, so the document server downloads content/
      ]
    ] as ReadonlyArray<readonly [SetUpOptions, RegExp]>
  ) {
    const { host } = await startSetUp(t, options)
    const report = await host.app.editorDoctor()
    expectReport(t, report, { codes: [] })
    t.match(findingOf(report, 'FROM_FILE'), { status: 'ok', evidence })
  }

  const { host, documentServer } = await startSetUp(t, { emulated: NEW })
  documentServer.fault('conversion', { type: 'error', error: -3 }, { times: 2 })
  const { findings } = await host.app.editorDoctor()
  t.match(findings.find(({ code }) => code === 'FROM_FILE_FAILED'), {
    status: 'warning',
    evidence: 'A file in a request to /converter/from-file was not converted: error -3.'
  })
})

function blocking (path: string): NonNullable<ReverseProxyOptions['answer']> {
  return (request, response) => {
    if (request.url!.split('?')[0] !== path) return false
    request.resume().once('end', () => response.writeHead(404).end())
    return true
  }
}
