import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { type ActionOptions, type FastifyOnlyofficeOptions, memoryStorage } from '../../lib/index.js'
import { HANDLER, signed, startHost } from '../kit/host.js'
import { asDocumentServer, startUpstream } from '../kit/http.js'

/** What a host may do to its own app. */
const customizations: Record<string, (app: FastifyInstance) => unknown> = {
  'a validator that refuses everything': app =>
    app.setValidatorCompiler(() => () => ({ error: new Error('refused by the host') })),
  'a validator that modifies its input': app =>
    app.setValidatorCompiler(() => (value: object) => ({
      value: Object.fromEntries(Object.keys(value).map(key => [key, 'changed']))
    })),
  'serializers of its own': app =>
    app.setSerializerCompiler(() => () => '"serialized by the host"').setReplySerializer(() =>
      '"serialized by the host"'
    ),
  'a JSON parser of its own': app =>
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async () => ({ parsed: 'by the host' })),
  'a parser for everything': app => app.addContentTypeParser('*', async () => 'parsed by the host'),
  'no parser at all': app => app.removeAllContentTypeParsers(),
  'an error handler': app => app.setErrorHandler((_error, _request, reply) => reply.code(418).send('handled by the host')),
  'a not-found handler': app => app.setNotFoundHandler((_request, reply) => reply.code(418).send('not found by the host')),
  'a schema error formatter': app => app.setSchemaErrorFormatter(() => new Error('formatted by the host')),
  'schemas of its own for the handler': app =>
    app.addHook('onRoute', route => {
      const refusing = { type: 'object', required: ['missing'] }
      if (route.url === HANDLER) {
        route.schema = {
          ...route.schema,
          headers: refusing,
          params: refusing,
          querystring: refusing,
          response: { '2xx': refusing },
          ...(route.method === 'POST' && { body: refusing })
        }
      }
    }),
  '@fastify/static with its decorators': app =>
    app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/files/' }),
  hooks: app => {
    app.addHook('onRequest', async () => {})
    app.addHook('preValidation', async () => {})
    app.addHook('preHandler', async request => { request.headers['x-user'] = 'ada' })
    app.addHook('onError', async () => {})
    app.addHook('preParsing', async (_request, _reply, payload) => payload)
    app.addHook('preSerialization', async () => ({ changed: 'by the host' }))
    app.addHook('onSend', async (_request, _reply, payload) => payload)
  },
  'a callback of old style': app => app.addHook('preHandler', (_request, _reply, done) => done())
}

interface Answer { readonly what: string, readonly status: number, readonly headers: Record<string, string>, readonly body: string }

const actions: ActionOptions = {
  users: ({ user }) => [{ id: user!.id!, name: user!.name! }],
  rename: () => { throw Object.assign(new Error('taken'), { statusCode: 409 }) },
  sharing: () => { throw new Error('broken') }
}

/** Asks for everything the handler can answer. */
async function answers (t: Test, options: Partial<FastifyOnlyofficeOptions>, prepare: (app: FastifyInstance) => unknown): Promise<Answer[]> {
  const upstream = await startUpstream(t, (_request, response) => { response.writeHead(200, { 'content-type': 'text/x-test' }).end('upstream') })
  const storage = memoryStorage()
  const info = await storage.create('txt', Buffer.from('content'), { fileId: 'a' })
  const host = await startHost(t, {
    documentServerOrigin: upstream.origin,
    documentServer: { origins: ['http://127.0.0.1:9'] },
    storage,
    prepare,
    actions,
    ...options
  })
  const handler = `${host.origin}${HANDLER}`
  const download = host.urls.download('a')
  const unsigned = `${handler}?action=download&fileId=a`
  const proxied = `${handler}?action=proxy&url=${encodeURIComponent(`${upstream.origin}/cache/files/x`)}`
  const signedCallback = host.urls.callback('a')
  const bearer = { authorization: `Bearer ${signed({ payload: { url: unsigned } })}` }
  const callback = (fields: object, type = 'application/json') => {
    const payload = asDocumentServer({ key: host.keys.of(info), ...fields }, [upstream.origin])
    return { method: 'POST', body: JSON.stringify({ ...payload, token: signed(payload) }), headers: { 'content-type': type } }
  }
  const { pageToken } = await host.app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument('a')
  const asked = (body: string, type = 'application/json') => ({ method: 'POST', body, headers: { 'content-type': type, 'x-editor-page-token': pageToken } })
  const requests: Array<[what: string, url: string, init?: RequestInit]> = [
    ['download', download],
    ['download, HEAD', download, { method: 'HEAD' }],
    ['download, unsigned', unsigned, { headers: bearer }],
    ['download, no token', unsigned],
    ['download, absent', `${handler}?action=download&fileId=b`],
    ['download, repeated', `${download}&fileId=b`],
    ['download, POST', download, { method: 'POST', body: 'x' }],
    ['proxy', proxied, { headers: host.proxyHeaders }],
    ['proxy, HEAD', proxied, { method: 'HEAD', headers: host.proxyHeaders }],
    ['proxy, no token', proxied],
    ['proxy, wrong token', proxied, { headers: { 'x-editor-proxy-token': 'x' } }],
    ['proxy, invalid', `${handler}?action=proxy&url=foo`],
    ['proxy, scheme', `${handler}?action=proxy&url=file:///x`],
    ['proxy, unreachable', `${handler}?action=proxy&url=${encodeURIComponent('http://127.0.0.1:9/cache/files/x')}`, { headers: host.proxyHeaders }],
    ['no action', handler],
    ['callback', signedCallback, callback({ status: 2, url: `${upstream.origin}/x` })],
    ['callback as text', signedCallback, callback({ status: 1 }, 'text/plain')],
    ['callback as multipart', signedCallback, callback({ status: 1 }, 'multipart/form-data; boundary=x')],
    ['callback, no JSON', signedCallback, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
    ['callback, unsigned', `${handler}?action=callback&fileId=a`, callback({ status: 1 })],
    ['callback, absent', `${handler}?action=callback&fileId=b`, callback({ status: 2, url: `${upstream.origin}/x` })],
    ['callback, GET', `${handler}?action=callback&fileId=a`],
    ['module', `${handler}/assets/editor.js`],
    ['page action', `${handler}/actions/users`, asked('{"c":"mention"}')],
    ['page action, wrong body', `${handler}/actions/users`, asked('{"c":"all"}')],
    ['page action, no JSON', `${handler}/actions/users`, asked('{')],
    ['page action as text', `${handler}/actions/users`, asked('{"c":"mention"}', 'text/plain')],
    ['page action, refused', `${handler}/actions/rename`, asked('{"name":"x"}')],
    ['page action, broken', `${handler}/actions/sharing`, asked('{}')],
    ['page action, no token', `${handler}/actions/users`, { method: 'POST' }]
  ]
  const result: Answer[] = []
  for (const [what, url, init] of requests) {
    const response = await fetch(url, init)
    const { date, 'last-modified': modified, etag, 'keep-alive': keepAlive, ...headers } = Object.fromEntries(response.headers)
    const body = (await response.text()).replaceAll(upstream.origin, 'upstream').replace(/"(pageToken|proxyToken)":"[\w.-]+"/g, '"$1":"…"')
    if (body.includes('…')) delete headers['content-length'] // tokens have different lengths
    result.push({ what, status: response.status, headers, body })
  }
  return result
}

t.test('the plugin\'s answers are the same whatever the application customizes on its Fastify instance', async t => {
  const plain = await answers(t, {}, () => {})
  t.strictSame(
    plain.filter(({ status }) => status === 200).map(({ what }) => what).filter(what =>
      /^(download|proxy|proxy, HEAD|callback|module)$/.test(what)
    ),
    ['download', 'proxy', 'proxy, HEAD', 'callback', 'module']
  )
  t.equal(plain.find(({ what }) => what === 'proxy, unreachable')!.status, 502)
  t.strictSame(plain.filter(({ what }) => /^proxy, .* token$/.test(what)).map(({ status }) => status), [401, 403])
  t.equal(plain.find(({ what }) => what === 'callback')!.body, '{"error":0}')
  t.equal(plain.find(({ what }) => what === 'page action')!.body, '{"pageToken":"…","proxyToken":"…","c":"mention","users":[{"id":"ada","name":"Ada"}]}')
  t.strictSame(plain.filter(({ what }) => what.startsWith('page action')).map(({ status }) => status), [200, 400, 400, 415, 409, 500, 401])
  for (const [what, customize] of Object.entries(customizations)) {
    t.strictSame(await answers(t, {}, customize), plain, what)
  }
})

t.test('the application\'s own routes keep its content type parsers and error handler', async t => {
  const host = await startHost(t, {
    prepare (app) {
      app.setErrorHandler((_error, _request, reply) => reply.code(418).send('handled by the host'))
      app.post('/own', async request => ({ received: request.body }))
      app.get('/broken', async () => { throw new Error('x') })
    }
  })
  const own = await fetch(`${host.origin}/own`, { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } })
  t.strictSame(await own.json(), { received: { a: 1 } })
  t.equal((await fetch(`${host.origin}/own`, { method: 'POST', body: 'x', headers: { 'content-type': 'text/x-unknown' } })).status, 418)
  t.equal((await fetch(`${host.origin}/broken`)).status, 418)
})

t.test('the answer of an application\'s auth hook that refuses a request is sent unchanged', async t => {
  const host = await startHost(t, {
    profile: 'classic',
    prepare: app => app.addHook('preHandler', async (_request, reply) => reply.code(403).send('log in first'))
  })
  const response = await fetch(`${host.origin}${HANDLER}?action=download&fileId=a`)
  t.equal(response.status, 403)
  t.equal(await response.text(), 'log in first')
})
