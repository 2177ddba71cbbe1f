import fastifyRateLimit from '@fastify/rate-limit'
import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { type EditorStorage, fileStorage, memoryStorage } from '../../lib/index.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { forwarded, isFromDocumentServer, type ReverseProxyOptions } from '../kit/http.js'
import { type Expected, expectReport, findingOf, OTHER_SECRET, type SetUp, type SetUpOptions, startSetUp } from './support.js'

interface Fault extends Expected {
  readonly options?: SetUpOptions | ((t: Test) => SetUpOptions)
  /** Applied when both are running. */
  readonly breaks?: (setUp: SetUp, t: Test) => unknown
}

const TEN_MINUTES = 10 * 60_000

type Answer = NonNullable<ReverseProxyOptions['answer']>

const redirecting = (status: number, target: (url: string) => string): Answer => (request, response) => {
  response.writeHead(status, { location: target(request.url!) }).end()
  return true
}
/** A gateway that replaces the document server's token. */
const withToken = (token: (claims: object) => string): SetUpOptions => ({
  publicProxy: {
    headers: (headers, proxy) => ({
      ...forwarded(headers, proxy),
      ...(headers.authorization && { authorization: `Bearer ${token({ payload: {} })}` })
    })
  }
})
const now = () => Math.floor(Date.now() / 1000)

/** One fault each, at the application or on the way to it. */
const faults: Readonly<Record<string, Fault>> = {
  'the document server cannot reach it': {
    options: {
      publicProxy: {
        answer (request, response) {
          if (isFromDocumentServer(request)) response.destroy()
          return isFromDocumentServer(request)
        }
      }
    },
    codes: ['DOWNLOAD_UNREACHABLE'],
    evidence: ['error -4', /No request of it arrived here; this application itself reaches that URL/],
    remedy: /^Set publicBaseUrl.*host\.docker\.internal/
  },
  'nobody can reach it': {
    options: { publicBaseUrl: 'http://127.0.0.1:9' },
    codes: ['DOWNLOAD_UNREACHABLE'],
    evidence: ['http://127.0.0.1:9', 'this application does not reach that URL either'],
    remedy: /^If nothing listens there yet, start the application\./
  },
  'the document server signs with another secret': {
    options: { emulated: { jwtSecret: { inbox: SECRET, outbox: OTHER_SECRET } } },
    codes: ['TOKEN_INVALID'],
    evidence: ['after "Bearer " in the header authorization', 'another secret'],
    remedy: /services\.CoAuthoring\.secret\.outbox\.string/
  },
  'the document server sends no tokens': {
    options: { emulated: { tokens: { outbox: false } } },
    codes: ['TOKENS_OUTBOX_OFF'],
    evidence: ['callbacks are refused'],
    remedy: /request\.outbox/
  },
  'its token comes in another header': {
    options: { emulated: { authorizationHeader: 'X-Docs-Token' } },
    codes: ['TOKEN_HEADER'],
    evidence: ['header x-docs-token after "Bearer "']
  },
  'its tokens have another algorithm': {
    options: withToken(claims => forgedToken({ ...claims, iat: now(), exp: now() + 300 }, { alg: 'HS512', secret: SECRET })),
    codes: ['TOKEN_INVALID'],
    remedy: /HS256/
  },
  'its clock is ten minutes ahead': {
    breaks: ({ documentServer }) => documentServer.skewTokens(TEN_MINUTES),
    codes: ['CLOCK_SKEW'],
    evidence: [/(59[5-9]|60[0-5]) s in the future/],
    remedy: /NTP/
  },
  'a login hook answers before our route': {
    options: { prepare: app => app.addHook('onRequest', async (_request, reply) => await reply.code(401).send({ error: 'please log in' })) },
    codes: ['HOOK_ANSWERS'],
    evidence: ['status 401', 'please log in', 'a GET', '/Controls/Editor/EditorHandler.ashx'],
    remedy: /config\.onlyoffice\?\.caller is 'document-server'/
  },
  'a hook that checks forms refuses callbacks': {
    options: {
      prepare: app =>
        app.addHook('preHandler', async (request, reply) =>
          request.method === 'POST' ? await reply.code(403).send('no CSRF token') : undefined)
    },
    codes: ['HOOK_ANSWERS'],
    evidence: ['status 403', 'no CSRF token', 'answers a POST'],
    remedy: /CSRF token/
  },
  '@fastify/rate-limit refuses the document server': {
    options: { prepare: async app => await app.register(fastifyRateLimit, { max: 0 }) },
    codes: ['HOOK_ANSWERS'],
    evidence: ['status 429'],
    remedy: /rateLimit: false/
  },
  'a proxy in front of it requires a login': {
    options: {
      publicProxy: {
        answer (request, response) {
          request.resume()
          response.writeHead(401, { 'content-type': 'text/plain' }).end('Who are you?')
          return true
        }
      }
    },
    codes: ['PUBLIC_URL_LOGIN'],
    evidence: ['status 401', 'Who are you?'],
    remedy: /proxy/
  },
  'publicBaseUrl is redirected to another origin': {
    // Set below: the redirect leads to the application itself.
    options: { publicProxy: { answer: (request, response) => redirecting(301, url => `${target}${url}`)(request, response) } },
    breaks: ({ host }) => { target = host.origin },
    codes: ['PUBLIC_URL_REDIRECT'],
    evidence: ['status 301', 'saves, are lost'],
    remedy: /Set publicBaseUrl to http:\/\/127\.0\.0\.1:\d+,/
  },
  'a proxy rewrites the path': {
    // the application would log its URL
    options: { server: { logger: false }, publicProxy: { rewrite: url => `/app${url}` } },
    codes: ['PUBLIC_URL_NOT_OURS'],
    evidence: ['status 404'],
    remedy: /publicBaseUrl/
  },
  'publicBaseUrl is https, and http is served there': {
    options: { publicProxy: {}, scheme: 'https' },
    codes: ['PUBLIC_URL_TLS'],
    evidence: [/^https:\/\/127\.0\.0\.1:\d+ does not speak TLS \(ERR_SSL_/, 'this application answers there over http'],
    remedy: /^Set publicBaseUrl to http:\/\/127\.0\.0\.1:\d+ /
  },
  'a proxy does not reach it': {
    options: {
      publicProxy: {
        answer (request, response) {
          request.resume()
          response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
          return true
        }
      }
    },
    codes: ['PUBLIC_URL_NOT_OURS'],
    evidence: ['status 502', '502 Bad Gateway'],
    remedy: /upstream/
  },
  'a proxy removes the query': {
    options: { publicProxy: { rewrite: url => url.split('?')[0]! } },
    codes: ['PUBLIC_URL_QUERY'],
    evidence: ['status 404', 'FST_EDITOR_FILE_NOT_FOUND'],
    remedy: /query unchanged/
  },
  'a proxy limits bodies to a megabyte': {
    options: { publicProxy: { maxBody: 1024 ** 2 } },
    codes: ['CALLBACK_BODY_LIMIT'],
    evidence: [/A POST of 15\d{5} bytes/],
    remedy: /client_max_body_size/
  },
  'another instance has another secret': {
    options: { publicProxy: {} },
    breaks: async ({ publicProxy }, t) => publicProxy!.forwardTo((await startSetUp(t, { jwtSecret: OTHER_SECRET })).host.origin),
    codes: ['INSTANCE_DIFFERS'],
    evidence: ['our secret'],
    remedy: /jwtSecret, publicBaseUrl, path and prefix/
  },
  'certificates are not verified': { options: { tls: { rejectUnauthorized: false } }, codes: ['TLS_NOT_VERIFIED'], remedy: /tls\.ca/ },
  'its clock is four minutes behind: its tokens are still valid': {
    breaks: ({ documentServer }) => documentServer.skewTokens(-240_000),
    codes: ['CLOCK_SKEW'],
    evidence: [/2[34]\d s behind/]
  },
  'the profile is classic': { options: { profile: 'classic', jwtSecret: SECRET }, codes: ['PROFILE_CLASSIC'] },
  'the secret is weak': { options: { jwtSecret: 'my-secret', allowWeakSecret: true, emulated: { jwtSecret: 'my-secret' } }, codes: ['WEAK_SECRET'] }
}

let target = ''

/** The document server does not wait between its attempts. */
async function startHurried (t: Test, { emulated, ...options }: SetUpOptions): Promise<SetUp> {
  return await startSetUp(t, { ...options, emulated: { clock: fakeClock({ autoAdvance: true }), ...emulated } })
}

for (const [name, { options = {}, breaks, ...expected }] of Object.entries(faults)) {
  t.test(`the application: ${name}`, async t => {
    const setUp = await startHurried(t, typeof options === 'function' ? options(t) : options)
    await breaks?.(setUp, t)
    expectReport(t, await setUp.host.app.editorDoctor(), expected)
  })
}

/** Two instances, and a proxy in front of them that passes every request to the second one. */
async function startTwo (t: Test, first: EditorStorage, second: EditorStorage) {
  const { host, documentServer, publicProxy } = await startSetUp(t, { publicProxy: {}, storage: first })
  const other = await startSetUp(t, {
    publicBaseUrl: publicProxy!.origin,
    storage: second,
    documentServerOrigin: documentServer.url
  })
  publicProxy!.forwardTo(other.host.origin)
  return host.app
}

t.test('another instance answers: it tells what it saw', async t => {
  const storage = memoryStorage()
  const report = await (await startTwo(t, storage, storage)).editorDoctor()
  expectReport(t, report, { codes: [] })
  t.equal(findingOf(report, 'TOKENS_OUT')?.status, 'ok', 'the other instance has seen the token')
  t.match(findingOf(report, 'STORAGE')?.evidence, 'Another instance at http://127.0.0.1:')
})

t.test('instances with one directory have one storage; each in a directory of its own, they do not', async t => {
  const { one, two } = { one: t.testdir({ one: {}, two: {} }) + '/one', two: t.testdirName + '/two' }
  const storage = (directory: string) => fileStorage({ directory })
  expectReport(t, await (await startTwo(t, storage(one), storage(one))).editorDoctor(), { codes: [] })
  expectReport(t, await (await startTwo(t, storage(one), storage(two))).editorDoctor(), { codes: ['STORAGE_NOT_SHARED'] })
})

t.test('another instance has a memory of its own: they share no documents', async t => {
  const app = await startTwo(t, memoryStorage(), memoryStorage())
  expectReport(t, await app.editorDoctor(), {
    codes: ['STORAGE_NOT_SHARED'],
    evidence: ['Another instance', 'http://127.0.0.1:'],
    remedy: /postgresStorage.*memoryStorage/
  })
})
