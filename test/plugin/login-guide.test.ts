import fastifyCookie from '@fastify/cookie'
import fastifyJwt from '@fastify/jwt'
import fastifySession from '@fastify/session'
import Fastify, { type FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import t, { type Test } from 'tap'
import editor, { memoryStorage } from '../../lib/index.js'
import { HANDLER } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { handlerUrls } from '../../lib/security/signatures.js'

const modules: Readonly<Record<string, unknown>> = {
  'fastify-onlyoffice': editor,
  '@fastify/cookie': fastifyCookie,
  '@fastify/jwt': fastifyJwt,
  '@fastify/session': fastifySession
}

const guide = await readFile(new URL('../../docs/hooks.md', import.meta.url), 'utf8')

process.env.SESSION_SECRET = 'a-secret-of-the-sessions-in-this-test-0123456789'
process.env.LOGIN_SECRET = 'a-secret-of-the-logins-in-this-test-0123456789'
t.teardown(() => { for (const name of ['SESSION_SECRET', 'LOGIN_SECRET']) Reflect.deleteProperty(process.env, name) })

type Program = (app: FastifyInstance, options: object, imports: Readonly<Record<string, unknown>>) => Promise<void>

/** The code of a section of the guide, as it stands there. */
async function run (section: string, app: FastifyInstance, options: object): Promise<void> {
  const code = new RegExp(`^### ${section}\\n.*?^\`\`\`js\\n(.*?)^\`\`\``, 'ms').exec(guide)![1]!
  const imports: Record<string, unknown> = {}
  for (const [, name, module] of code.matchAll(/^import (\w+) from '(.*)'$/gm)) {
    imports[name!] = modules[module!]
  }
  const body = code.replace(/^import .*$/gm, '')
  const program = Object.getPrototypeOf(run).constructor(
    'app',
    'options',
    'imports',
    `const { ${Object.keys(imports).join(', ')} } = imports\n${body}`
  ) as Program
  await program(app, options, imports)
}

interface Answers {
  readonly download: string
  readonly callback: string
  readonly unsigned: string
  readonly proxy: string
  readonly action: string
  readonly module: string
  readonly page: string
}

/**
 * An application with the code of a section, and a page of its own. Resolves to a function that asks for everything, as
 * a user with these headers.
 */
async function start (t: Test, section: string, besides: (app: FastifyInstance) => void = () => {}) {
  const server = http.createServer()
  const { origin } = await listen(t, server)
  const app = Fastify({ serverFactory: handler => server.on('request', handler) })
  t.teardown(() => app.close())
  const storage = memoryStorage()
  besides(app)
  await run(section, app, {
    editorApiUrl: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
    jwtSecret: SECRET,
    publicBaseUrl: origin,
    storage,
    requireToken: false
  })
  app.get('/page', async () => 'my page')
  await app.ready()
  const urls = handlerUrls({ publicBaseUrl: () => origin, path: HANDLER, secrets: [SECRET], signedUrls: true, downloadUrlLifetime: 60_000 })
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  const control = await app.editorControl().openDocument(fileId)

  const statusOf = async (url: string, init: RequestInit = {}) => String((await fetch(new URL(url, origin), { redirect: 'manual', ...init })).status)
  const statuses = async (headers: Record<string, string> = {}): Promise<Answers> => ({
    download: await statusOf(urls.download(fileId)),
    callback:
      await (await fetch(urls.callback(fileId), {
        method: 'POST',
        body: JSON.stringify({ key: control.documentKey, status: 1 }),
        redirect: 'manual'
      })).text(),
    unsigned: await statusOf(`${HANDLER}?action=download&fileId=${fileId}`, { headers }),
    proxy: await statusOf(`${HANDLER}?action=proxy&fileId=${fileId}&url=http://127.0.0.1:9/cache/files/x`, {
      headers: { ...headers, 'x-editor-proxy-token': control.proxyToken }
    }),
    action: await statusOf(`${HANDLER}/actions/config`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-editor-page-token': control.pageToken },
      body: '{"purpose":"refresh"}'
    }),
    module: await statusOf(`${HANDLER}/assets/editor.js`, { headers }),
    page: await statusOf('/page', { headers })
  })
  return { app, origin, fileId, statuses }
}

/** Of every set-up. 502: the proxy has asked for the URL. */
const admitted = { download: '200', callback: '{"error":0}', unsigned: '401' }

t.test('the guide: cookie sessions', async t => {
  const { statuses, origin } = await start(t, 'Cookie sessions', app => {
    app.get('/login', { config: { public: true } as object }, async request => {
      ;(request as unknown as { session: { user: object } }).session.user = { id: '7' }
    })
  })
  t.strictSame(await statuses(), { ...admitted, proxy: '403', action: '302', module: '302', page: '302' })
  const login = await fetch(`${origin}/login`)
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  t.strictSame(await statuses({ cookie }), { ...admitted, proxy: '502', action: '200', module: '200', page: '200' })
})

t.test('the guide: tokens in a header', async t => {
  const { app, origin, fileId, statuses } = await start(t, 'Tokens in a header')
  t.strictSame(await statuses(), { ...admitted, proxy: '502', action: '200', module: '200', page: '401' })
  const token = (app as unknown as { jwt: { sign (claims: object): string } }).jwt.sign({ id: '7', name: 'Ada' })
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await statuses(headers)).page, '200')
  t.equal((await fetch(`${origin}/api/documents/${fileId}`)).status, 401)
  t.match(await (await fetch(`${origin}/api/documents/${fileId}`, { headers })).json(), { html: /data-onlyoffice-editor/ })
})
