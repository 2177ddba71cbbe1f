import net from 'node:net'
import t, { type Test } from 'tap'
import { undiciClient } from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { freePort, listen, startUpstream } from '../kit/http.js'
import { createAuthority, createCertificate, startNameServer } from '../kit/network.js'
import { type Expected, expectReport, findingOf, OTHER_SECRET, type SetUp, type SetUpOptions, startSetUp } from './support.js'

const authority = createAuthority()

interface Fault extends Expected {
  readonly options?: SetUpOptions | ((t: Test) => SetUpOptions | Promise<SetUpOptions>)
  /** Applied when both are running. */
  readonly breaks?: (setUp: SetUp) => unknown
}

const API_PATH = '/web-apps/apps/api/documents/api.js'
const html = '<!doctype html><html><head><title>Wiki</title></head><body><h1>Our wiki</h1></body></html>'

const behindTls = (certificate: Parameters<typeof createCertificate>[0], ca = authority.cert): SetUpOptions => ({
  serverProxy: { certificate: createCertificate(certificate) },
  tls: { ca }
})

/** One fault each, at the document server or on the way to it. */
const faults: Readonly<Record<string, Fault>> = {
  'nothing listens there': {
    options: async () => ({ documentServerOrigin: `http://127.0.0.1:${await freePort()}` }),
    codes: ['SERVER_UNREACHABLE'],
    evidence: [/^No answer from http:\/\/127\.0\.0\.1:\d+\/healthcheck: ECONNREFUSED/],
    remedy: /editorApiUrl/
  },
  'its host name is unknown': {
    async options (t) {
      const httpClient = undiciClient({ lookup: (await startNameServer(t, {})).lookup })
      t.teardown(() => httpClient.close?.())
      return { documentServerOrigin: 'http://docs.localhost', httpClient }
    },
    codes: ['SERVER_UNREACHABLE'],
    evidence: ['http://docs.localhost/healthcheck', 'ENOTFOUND']
  },
  'it accepts connections and never answers': {
    options: async t => ({ documentServerOrigin: (await listen(t, net.createServer())).origin, timeouts: { headers: 300 } }),
    codes: ['SERVER_UNREACHABLE'],
    evidence: ['UND_ERR_HEADERS_TIMEOUT']
  },
  'its certificate is self-signed': {
    options: behindTls({}),
    codes: ['SERVER_TLS'],
    evidence: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    remedy: /tls\.ca/
  },
  'its certificate has expired': {
    options: behindTls({ issuer: authority, expired: true }),
    codes: ['SERVER_TLS'],
    evidence: ['CERT_HAS_EXPIRED'],
    remedy: /Renew/
  },
  'the URL is https, the port speaks http': {
    options: async t => ({ documentServerOrigin: (await startUpstream(t, (_request, response) => { response.end() })).origin.replace('http:', 'https:') }),
    codes: ['SERVER_TLS'],
    remedy: /https/
  },
  'it is not healthy': {
    breaks: ({ documentServer }) => documentServer.fault('healthcheck', { type: 'answer', status: 200, body: 'false' }),
    codes: ['SERVER_UNHEALTHY'],
    evidence: ['answers "false"']
  },
  'another web site is there': {
    options: async t => ({
      documentServerOrigin: (await startUpstream(t, (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(html)
      })).origin
    }),
    codes: ['SERVER_OTHER'],
    evidence: ['status 200', '"Wiki Our wiki"'],
    remedy: /editorApiUrl/
  },
  'its host redirects to https': {
    options: {
      serverProxy: {
        answer: (request, response) => {
          response.writeHead(301, { location: `https://docs.example.test${request.url}` }).end()
          return true
        }
      }
    },
    codes: ['SERVER_REDIRECT'],
    evidence: ['status 301', 'https://docs.example.test/healthcheck'],
    remedy: /https:\/\/docs\.example\.test\b/
  },
  'editorApiUrl has no path': {
    breaks: () => {},
    options: {},
    codes: ['API_PATH'],
    evidence: ['status'],
    remedy: new RegExp(`Set editorApiUrl to http://127\\.0\\.0\\.1:\\d+${API_PATH}`)
  },
  'there is no api.js': {
    breaks: ({ documentServer }) => documentServer.fault('api', { type: 'answer', status: 404, body: 'Not Found' }),
    codes: ['API_MISSING'],
    evidence: ['status 404', '"Not Found"']
  },
  'api.js is redirected to a login': {
    breaks: ({ documentServer }) =>
      documentServer.fault('api', {
        type: 'answer',
        status: 302,
        headers: { location: 'https://sso.example.test/login?from=api' }
      }),
    codes: ['API_MISSING'],
    evidence: ['https://sso.example.test/login ']
  },
  'a page is there instead of api.js': {
    breaks: ({ documentServer }) => documentServer.fault('api', { type: 'html' }),
    codes: ['API_MISSING'],
    evidence: ['Something went wrong']
  },
  'its secret for requests is another': {
    options: { emulated: { jwtSecret: { inbox: OTHER_SECRET, outbox: SECRET } } },
    codes: ['SECRET_INBOX'],
    evidence: ['error 6'],
    remedy: /services\.CoAuthoring\.secret\.inbox\.string/
  },
  'ours was read from a file, with its line break': {
    options: { jwtSecret: `${SECRET}\n` },
    codes: ['SECRET_INBOX'],
    evidence: ['begins or ends with whitespace']
  },
  'its secret is the second of ours': {
    options: { jwtSecret: [SECRET, OTHER_SECRET], emulated: { jwtSecret: OTHER_SECRET } },
    codes: ['SECRET_INBOX'],
    evidence: ['accepts secret 2 of the list'],
    remedy: /first/
  },
  'it verifies no tokens': {
    options: { emulated: { version: '10.0.0', tokens: { inbox: false } } },
    codes: ['TOKENS_INBOX_OFF'],
    remedy: /token\.enable/
  },
  'its proxy passes no commands': {
    options: {
      serverProxy: {
        answer (request, response) {
          if (!request.url!.includes('CommandService')) return false
          response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>403 Forbidden</h1>')
          return true
        }
      }
    },
    codes: ['COMMANDS_FAILED'],
    evidence: ['status 403']
  },
  'its version has known vulnerabilities': {
    options: { emulated: { version: '8.0.0.77' } },
    codes: ['VERSION_ADVISORIES'],
    evidence: ['Version 8.0.0.77', 'CVE-2023-50883', 'CVE-2024-44085', 'CVE-2025-5301'],
    remedy: /8\.3\.2/
  },
  'its files are announced at another host: its proxy replaces Host': {
    options: { serverProxy: { headers: ({ host: _, ...headers }, { targetHost }) => ({ ...headers, host: targetHost }) } },
    codes: ['RESULT_ORIGIN'],
    evidence: [/at an origin that is none of http:\/\/127\.0\.0\.1:\d+\./],
    remedy: /X-Forwarded-Host/
  },
  'its files are announced with http: its proxy hides https': {
    options: { serverProxy: { certificate: createCertificate({ issuer: authority }), headers: headers => headers }, tls: { ca: authority.cert } },
    codes: ['RESULT_ORIGIN'],
    remedy: /X-Forwarded-Proto/
  },
  'its files cannot be fetched': {
    options: {
      serverProxy: {
        answer (request, response) {
          if (!request.url!.startsWith('/cache/files/')) return false
          response.writeHead(404).end('Not Found')
          return true
        }
      }
    },
    codes: ['RESULT_FETCH'],
    evidence: ['status 404']
  },
}

for (const [name, { options = {}, breaks, ...expected }] of Object.entries(faults)) {
  t.test(`the document server: ${name}`, async t => {
    const given = typeof options === 'function' ? await options(t) : options
    const setUp = name === 'editorApiUrl has no path' ? await withoutPath(t) : await startSetUp(t, given)
    await breaks?.(setUp)
    expectReport(t, await setUp.host.app.editorDoctor(), expected)
  })
}

async function withoutPath (t: Test): Promise<SetUp> {
  const setUp = await startSetUp(t)
  return { ...setUp, host: await startHost(t, { editorApiUrl: `${setUp.documentServer.url}/` }) }
}

t.test('a header for the token that differs: the header is named, and so is its content', async t => {
  const { host } = await startSetUp(t, {
    signedUrls: false,
    emulated: { authorizationHeader: 'X-Docs-Token', authorizationPrefix: 'JWT ' }
  })
  expectReport(t, await host.app.editorDoctor(), {
    codes: ['TOKEN_HEADER'],
    evidence: ['header x-docs-token after "JWT "', 'authorization'],
    remedy: /authorizationHeader: 'x-docs-token', authorizationPrefix: 'JWT '/
  })
})

t.test('what cannot be checked is skipped, with the reason', async t => {
  const { host } = await startSetUp(t, { emulated: { jwtSecret: OTHER_SECRET } })
  const report = await host.app.editorDoctor()
  for (const code of ['DOWNLOAD', 'TOKENS_OUT', 'RESULT']) {
    t.match(findingOf(report, code), { status: 'skipped', evidence: /accepts no requests of this application/ })
  }
  t.match(findingOf(report, 'CALLBACK'), { status: 'ok' })
})
