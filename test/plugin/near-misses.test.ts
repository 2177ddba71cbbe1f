import { readFile } from 'node:fs/promises'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import http from 'node:http'
import t, { type Test } from 'tap'
import editor from '../../lib/index.js'
import { HANDLER, SECRET, startHost } from '../helpers/host.js'
import { memoryLog } from '../helpers/log.js'
import { exchange } from '../helpers/raw.js'

const options = { editorApiUrl: 'http://127.0.0.1:9/api.js', jwtSecret: SECRET, publicBaseUrl: 'https://app.example.com' }
const QUERY = '?action=download&fileId=a&signature=confidential'

/** The texts of a service's log, and the statuses of what was asked of it. */
async function logOf (t: Test, targets: readonly string[], server: FastifyServerOptions = {}, method = 'GET') {
  const log = memoryLog()
  const host = await startHost(t, { server: { ...log.server, ...server } })
  const statuses: Array<number | undefined> = []
  for (const target of targets) {
    statuses.push(await new Promise((resolve, reject) => {
      http.request(host.origin + target, { method }, response => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject).end()
    }))
  }
  return { text: log.text(), statuses, host }
}

const NEAR = [`${HANDLER}/`, HANDLER.toLowerCase(), HANDLER.toUpperCase(), `${HANDLER.toLowerCase()}/`, '/controls/Editor/EditorHandler.ashx']

t.test('the query of a path that differs from the handler\'s by a slash or letter case is not logged', async t => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'TRACE']) {
    const { text, statuses } = await logOf(t, NEAR.map(path => path + QUERY), {}, method)
    t.strictSame(statuses, NEAR.map(() => 404), method)
    t.match(text, HANDLER.toLowerCase(), 'there is a log')
    t.notMatch(text, 'confidential', method)
  }
})

t.test('where the application\'s router treats such a path as the handler\'s, it is answered by the handler', async t => {
  const { text, statuses } = await logOf(t, NEAR.map(path => path + QUERY), { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false } })
  t.strictSame(statuses, NEAR.map(() => 403), 'the signature is checked')
  t.notMatch(text, 'confidential')
})

t.test('routes of the application keep working', async t => {
  const host = await startHost(t, {
    path: '/office/editor',
    prepare (app) {
      app.get('/OFFICE/editor', async () => 'mine')
      app.get('/:page/:part', async request => request.params)
      app.get('/office/editor/', async () => 'mine, too')
      app.get('/*', async () => 'anything')
    }
  })
  const get = async (path: string) => (await fetch(host.origin + path)).text()
  t.equal(await get('/OFFICE/editor'), 'mine')
  t.equal(await get('/office/editor/'), 'mine, too')
  t.equal(await get('/office/editors'), '{"page":"office","part":"editors"}')
  t.equal(await get('/office'), 'anything')
  t.equal(await get('/Office/editor'), 'Not Found')
})

t.test('application routes on such paths, registered before or after the plugin, neither fail nor disappear, and the service keeps running', async t => {
  const hostRoutes: Record<string, { path?: string, add (app: FastifyInstance): unknown, get: string, answer: string }> = {
    'another method': { path: '/editor', add: app => app.post('/editor/', async () => 'mine'), get: '/editor/', answer: 'Not Found' },
    'a pattern, another method': { path: '/editor', add: app => app.post('/:id(^\\d+)', async () => 'mine'), get: '/Editor', answer: 'Not Found' },
    'a pattern': { path: '/editor', add: app => app.get('/:id(^\\d+)', async () => 'mine'), get: '/7', answer: 'mine' },
    'patterns of as many segments': { add: app => app.get('/:a(^[a-z]{2}$)/:b(^\\w+$)/:c(^\\w+$)', async () => 'mine'), get: '/de/x/y', answer: 'mine' },
    'the slash': { path: '/editor', add: app => app.get('/editor/', async () => 'mine'), get: '/editor/', answer: 'mine' },
    'what is below': { path: '/editor', add: app => app.get('/editor/*', async () => 'mine'), get: '/editor/', answer: 'mine' }
  }
  for (const [name, { path = HANDLER, add, get, answer }] of Object.entries(hostRoutes)) {
    for (const order of ['before', 'after'] as const) {
      await t.test(`${name}, ${order}`, async t => {
        const app = Fastify()
        t.teardown(() => app.close())
        if (order === 'before') add(app)
        await app.register(editor, { ...options, path })
        if (order === 'after') add(app)
        const origin = await app.listen({ host: '127.0.0.1', port: 0 })
        for (const near of [`${path}/`, path.toUpperCase(), `${path.toUpperCase()}/`]) await (await fetch(origin + near)).text()
        t.equal(await (await fetch(origin + get)).text(), answer)
        t.equal((await fetch(origin + path)).status, 400, 'the handler')
      })
    }
  }
})

t.test('two registrations side by side each handle their own near misses', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => { await scope.register(editor, { ...options, path: '/one/editor' }) })
  await app.register(async scope => { await scope.register(editor, { ...options, path: '/two/editor' }) })
  for (const [path, status] of [['/ONE/editor', 404], ['/Two/Editor/', 404], ['/one/editor', 400], ['/two/editor', 400]] as const) {
    t.equal((await app.inject(path)).statusCode, status, path)
  }
})

t.test('what only the application can keep out of its log is documented in SECURITY.md, with the options that do so', async t => {
  const security = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8')
  const code = /```js\s+(const withoutQuery[\s\S]*?)```/.exec(security)![1]!
  const log = memoryLog()
  const app = new Function('Fastify', 'stream', `${code.replace(/logger: \{/, 'logger: { level: "trace", stream,')}\nreturn app`)(Fastify, log.server.logger.stream) // eslint-disable-line no-new-func
  t.teardown(() => app.close())
  await app.register(editor, { ...options })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { host } = new URL(origin)
  const close = `Host: ${host}\r\nConnection: close\r\n\r\n`
  t.match(await exchange(t, origin, `GET /nowhere${QUERY} HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 404/)
  t.match(await exchange(t, origin, `PROPFIND ${HANDLER}${QUERY} HTTP/1.1\r\n${close}`), /^HTTP\/1\.1 404/)
  t.match(await exchange(t, origin, `GET ${HANDLER}${QUERY} HTTP/1.1\r\nHost: ${host}\r\nBroken header\r\n\r\n`), /^HTTP\/1\.1 400/)
  t.match(log.text(), '/nowhere')
  t.notMatch(log.text(), 'confidential')
  t.notMatch(log.text(), Buffer.from('confidential').toString('hex'))
  t.notMatch(log.text(), [...Buffer.from('confidential')].join())
})
