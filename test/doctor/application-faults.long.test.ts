import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifyUnderPressure from '@fastify/under-pressure'
import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { fileStorage, memoryStorage, type Storage } from '../../lib/index.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { forwarded, isFromDocumentServer, type ReverseProxyOptions } from '../kit/http.js'
import { type Expected, expectReport, findingOf, OTHER_SECRET, type SetUp, type SetUpOptions, startSetUp } from './support.js'

interface Fault extends Expected {
  readonly options?: SetUpOptions | ((t: Test) => SetUpOptions)
  /** Applied when both are running. */
  readonly breaks?: (setUp: SetUp, t: Test) => unknown
}

const LOGIN_PAGE = '<!doctype html><html><head><title>Sign in</title></head><body><form><input type="password"></form></body></html>'
const TEN_MINUTES = 10 * 60_000

type Answer = NonNullable<ReverseProxyOptions['answer']>

const redirecting = (status: number, target: (url: string) => string): Answer => (request, response) => {
  response.writeHead(status, { location: target(request.url!) }).end()
  return true
}
const showingLogin = (whom: (request: Parameters<Answer>[0]) => boolean): Answer => (request, response) => {
  if (!whom(request)) return false
  request.resume()
  response.writeHead(200, { 'content-type': 'text/html' }).end(LOGIN_PAGE)
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
const withoutState = (storage: Storage): Storage => ({ ...storage, state: undefined } as unknown as Storage)

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
  'the document server gets a login page': {
    options: { publicProxy: { answer: showingLogin(isFromDocumentServer) } },
    codes: ['DOWNLOAD_REPLACED']
  },
  'the document server signs with another secret': {
    options: { emulated: { jwtSecret: { inbox: SECRET, outbox: OTHER_SECRET } } },
    codes: ['SECRET_OUTBOX'],
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
  'its token comes after another prefix': {
    options: { emulated: { authorizationPrefix: 'JWT ' } },
    codes: ['TOKEN_HEADER'],
    evidence: ['header authorization after "JWT "'],
    remedy: /authorizationPrefix: 'JWT '/
  },
  'its tokens have another algorithm': {
    options: withToken(claims => forgedToken({ ...claims, iat: now(), exp: now() + 300 }, { alg: 'HS512', secret: SECRET })),
    codes: ['TOKEN_ALGORITHM'],
    evidence: ['HS512']
  },
  'its tokens do not expire': {
    options: withToken(claims => forgedToken({ ...claims, iat: now() }, { secret: SECRET })),
    codes: ['TOKEN_ENDLESS']
  },
  'its clock is ten minutes ahead': {
    breaks: ({ documentServer }) => documentServer.skewTokens(TEN_MINUTES),
    codes: ['CLOCK_SKEW'],
    evidence: [/(599|600|601) s in the future/],
    remedy: /NTP/
  },
  'its clock is ten minutes behind': {
    breaks: ({ documentServer }) => documentServer.skewTokens(-TEN_MINUTES),
    codes: ['CLOCK_SKEW'],
    evidence: [/(599|600|601) s ago/]
  },
  'its clock is four minutes behind: its tokens are still valid': {
    breaks: ({ documentServer }) => documentServer.skewTokens(-240_000),
    codes: ['CLOCK_SKEW'],
    evidence: [/2[34]\d s behind/]
  },
  'a login hook answers before our route': {
    options: { prepare: app => app.addHook('onRequest', async (_request, reply) => await reply.code(401).send({ error: 'please log in' })) },
    codes: ['LOGIN_HOOK'],
    evidence: ['status 401', 'please log in', 'each request', '/Controls/Editor/EditorHandler.ashx'],
    remedy: /config\.editor\?\.caller is 'document-server'/
  },
  'a login hook redirects': {
    options: { prepare: app => app.addHook('onRequest', async (_request, reply) => await reply.redirect('/login')) },
    codes: ['LOGIN_HOOK'],
    evidence: ['status 302', 'redirect to /login']
  },
  'a login hook throws': {
    options: {
      prepare: app =>
        app.addHook('onRequest', async () => {
          throw Object.assign(new Error('No Authorization was found'), {
            code: 'FST_JWT_NO_AUTHORIZATION_IN_HEADER',
            statusCode: 401
          })
        })
    },
    codes: ['LOGIN_HOOK'],
    evidence: ['status 401', 'FST_JWT_NO_AUTHORIZATION_IN_HEADER: No Authorization was found', 'each request']
  },
  'a login hook writes to the socket itself': {
    options: { prepare: app => app.addHook('onRequest', async (_request, reply) => { reply.hijack().raw.writeHead(401).end('please log in') }) },
    codes: ['LOGIN_HOOK'],
    evidence: ['status 401', 'please log in']
  },
  'a hook that checks forms refuses callbacks': {
    options: {
      prepare: app =>
        app.addHook('preHandler', async (request, reply) =>
          request.method === 'POST' ? await reply.code(403).send('no CSRF token') : undefined)
    },
    codes: ['CSRF_HOOK'],
    evidence: ['status 403', 'no CSRF token', 'answers a callback'],
    remedy: /CSRF token/
  },
  '@fastify/csrf-protection refuses callbacks': {
    options: {
      async prepare (app) {
        await app.register(fastifyCookie)
        await app.register(fastifyCsrf)
        app.addHook('onRequest', (request, reply, done) => request.method === 'POST' ? app.csrfProtection(request, reply, done) : done())
      }
    },
    codes: ['CSRF_HOOK'],
    evidence: ['status 403', 'FST_CSRF_MISSING_SECRET']
  },
  '@fastify/rate-limit refuses the document server': {
    options: { prepare: async app => await app.register(fastifyRateLimit, { max: 0 }) },
    codes: ['RATE_LIMIT_HOOK'],
    evidence: ['status 429'],
    remedy: /rateLimit: false/
  },
  '@fastify/under-pressure refuses requests': {
    options: { prepare: async app => await app.register(fastifyUnderPressure, { healthCheck: async () => false, healthCheckInterval: 60_000 }) },
    codes: ['OVERLOAD_HOOK'],
    evidence: ['status 503']
  },
  'a hook that puts every answer into an envelope': {
    options: {
      prepare: app =>
        app.addHook('onSend', async (_request, reply, payload) =>
          /json/.test(String(reply.getHeader('content-type')))
            ? JSON.stringify({ data: JSON.parse(String(payload)) })
            : payload)
    },
    codes: ['ANSWER_CHANGED'],
    evidence: ['status 200', 'data'],
    remedy: /onSend/
  },
  'a login hook, behind a proxy with a login of its own': {
    options: {
      publicProxy: { answer: showingLogin(() => true) },
      prepare: app => app.addHook('onRequest', async (_request, reply) => await reply.code(401).send('please log in'))
    },
    codes: ['LOGIN_HOOK'],
    evidence: ['status 401', 'please log in']
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
  'a proxy in front of it shows a login page': {
    options: { publicProxy: { answer: showingLogin(() => true) } },
    codes: ['PUBLIC_URL_LOGIN'],
    evidence: ['status 200', 'Sign in']
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
    evidence: ['status 400', 'Unknown action'],
    remedy: /query unchanged/
  },
  'a proxy removes a part of the query': {
    options: { publicProxy: { rewrite: url => url.replace(/&signature=[^&]*/, '') } },
    codes: ['PUBLIC_URL_QUERY'],
    evidence: ['status 401']
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
  'the directory of the storage is gone': {
    options: t => ({ storage: fileStorage({ directory: join(t.testdir(), 'uploads') }) }),
    async breaks (_setUp, t) {
      await rm(join(t.testdirName, 'uploads'), { recursive: true })
      await writeFile(join(t.testdirName, 'uploads'), 'a file')
    },
    codes: ['STORAGE_FAILED'],
    evidence: [/: (ENOTDIR|ENOENT|EEXIST)\./]
  },
  'the disk of the storage is full': {
    options: { storage: { ...memoryStorage(), stage: async () => { throw Object.assign(new Error('full'), { code: 'ENOSPC' }) } } },
    codes: ['STORAGE_FAILED'],
    evidence: ['ENOSPC'],
    remedy: /Free disk space/
  },
  'the storage has no state': { options: { storage: withoutState(memoryStorage()) }, codes: ['STORAGE_NO_STATE'], remedy: /state/ },
  'the profile is classic': { options: { profile: 'classic', jwtSecret: SECRET }, codes: ['PROFILE_CLASSIC'] },
  'certificates are not verified': { options: { tls: { rejectUnauthorized: false } }, codes: ['TLS_NOT_VERIFIED'], remedy: /tls\.ca/ },
  'bodyLimit is small': { options: { bodyLimit: 100_000 }, codes: ['BODY_LIMIT_OPTION'], evidence: ['100000 bytes'] },
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

t.test('another instance answers: it tells what it saw, and without state that is a warning', async t => {
  const storage = memoryStorage()
  const first = await startSetUp(t, { publicProxy: {}, storage: withoutState(storage) })
  const second = await startSetUp(t, {
    publicBaseUrl: first.publicProxy!.origin,
    storage: withoutState(storage),
    documentServerOrigin: first.documentServer.url
  })
  first.publicProxy!.forwardTo(second.host.origin)
  const report = await first.host.app.editorDoctor()
  expectReport(t, report, { codes: ['INSTANCES_WITHOUT_STATE', 'STORAGE_NO_STATE'], evidence: ['Another instance'] })
  t.equal(findingOf(report, 'TOKENS_OUT')?.status, 'ok', 'the other instance has seen the token')
})
