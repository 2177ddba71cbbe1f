import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import t from 'tap'
import { HANDLER, startHost } from '../kit/host.js'

const doctor = { authorize: () => 'grant' as const }

t.test('every route of the plugin has the application\'s config and tells who asks, already when it is added', async t => {
  const routes: RouteOptions[] = []
  await startHost(t, {
    prepare: app => app.addHook('onRoute', route => { routes.push({ ...route }) }),
    config: { public: true, rateLimit: false, onlyoffice: { caller: 'page' } },
    actions: { users: () => [] },
    doctor
  })
  const nameOf = (url: string) => url.replace(HANDLER, '').replace(/^\/assets\/.*/, '/assets/*')
  const callers = new Map(routes.map(({ url, config }) => [nameOf(url), config?.onlyoffice?.caller]))
  t.strictSame([...callers].filter(([url]) => /^(?!\/:start)/.test(url)).sort(), [
    ['', 'document-server'],
    ['/actions/config', 'page'],
    ['/actions/renew', 'page'],
    ['/actions/saveState', 'page'],
    ['/actions/users', 'page'],
    ['/assets/*', 'page'],
    ['/doctor', 'operator'],
    ['/files', 'document-server'],
    ['/probe', 'document-server']
  ])
  t.ok(routes.length > 8 && routes.every(({ config }) => isPublic(config) && (config as { rateLimit?: unknown }).rateLimit === false), 'all of them')
})

t.test('a login hook that reads the config lets the document server through, and nobody else', async t => {
  const host = await startHost(t, { prepare: requireLogin, actions: { users: () => [] }, doctor })
  const { fileId } = await host.storage.create('txt', Buffer.from('content'))
  t.equal((await host.downloadAsDocumentServer(fileId)).status, 200, 'download')
  t.equal((await host.postSignedCallback(fileId, { key: host.keys.of((await host.storage.stat(fileId))!), status: 1 })).body, '{"error":0}', 'callback')
  t.equal((await fetch(host.handler({ action: 'download', fileId }))).status, 401, 'an unsigned download: refused by the plugin')
  for (const path of ['/page', `${HANDLER}/assets/editor.js`, `${HANDLER}/doctor`]) {
    t.equal(await answerOf(host.origin + path), '401 log in first', path)
    t.match(await answerOf(host.origin + path, { headers: { cookie: 'session=ada' } }), /^200/, `${path}, after the login`)
  }
  t.equal(await answerOf(`${host.origin}${HANDLER}/actions/users`, { method: 'POST' }), '401 log in first', 'an action of a page')
})

t.test('a hook that looks for a property of the application lets all routes with it through', async t => {
  const host = await startHost(t, {
    config: { public: true },
    prepare (app) {
      app.addHook('onRequest', async (request, reply) => isPublic(request.routeOptions.config) ? undefined : await reply.code(401).send('log in first'))
      app.get('/page', async () => 'a page')
    }
  })
  t.equal(await answerOf(`${host.origin}/page`), '401 log in first')
  t.match(await answerOf(`${host.origin}${HANDLER}/assets/editor.js`), /^200/)
  const { pageToken } = await host.app.editorControl().openDocument((await host.storage.create('txt', Buffer.from('x'))).fileId)
  t.match(await answerOf(`${host.origin}${HANDLER}/actions/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: '{"purpose":"refresh"}'
  }), /^200/)
})

function requireLogin (app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.onlyoffice?.caller === 'document-server') return
    if (request.headers.cookie !== 'session=ada') return await reply.code(401).send('log in first')
  })
  app.get('/page', async () => 'a page')
}

function isPublic (config: FastifyContextConfig | undefined): boolean {
  return (config as { readonly public?: unknown } | undefined)?.public === true
}

async function answerOf (url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init)
  return `${response.status} ${(await response.text()).slice(0, 40)}`
}
