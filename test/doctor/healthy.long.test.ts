import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { createAuthority, createCertificate } from '../kit/network.js'
import { startHost } from '../kit/host.js'
import { expectReport, findingOf, OTHER_SECRET, type SetUpOptions, startSetUp } from './support.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'

t.test('a healthy set-up: every check is done and finds nothing', async t => {
  const { host } = await startSetUp(t)
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.strictSame(report.findings.map(({ code, status }) => `${code} ${status}`), [
    'OPTIONS ok', 'SERVER ok', 'API_SCRIPT ok', 'TOKENS_IN ok', 'VERSION ok', 'DOWNLOAD ok', 'TOKENS_OUT ok',
    'CLOCK ok', 'RESULT ok', 'CALLBACK ok', 'STORAGE ok'
  ])
  t.match(findingOf(report, 'STORAGE')?.evidence, 'whether they share this storage is unknown')
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
