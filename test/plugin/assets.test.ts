import fastifyCompress from '@fastify/compress'
import fastifyCors from '@fastify/cors'
import fastifyEtag from '@fastify/etag'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import http from 'node:http'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { HANDLER, startHost } from '../kit/host.js'

const NOT_FOUND = 'not found by the application'
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Asks for a path as it stands, without any headers: fetch() would resolve the dots, and accept encodings. */
async function start (t: Test, prepare: (app: FastifyInstance) => unknown = () => {}) {
  const { app, origin } = await startHost(t, {
    async prepare (app) {
      app.setNotFoundHandler(async (_request, reply) => await reply.code(404).send(NOT_FOUND))
      await prepare(app)
    }
  })
  const { hostname: host, port } = new URL(origin)
  return {
    app,
    /** Name of the page's module. */
    module: new RegExp(`<${HANDLER}/assets/(editor-[0-9a-f]{12}\\.js)>`).exec(app.editorControl().links.join())![1]!,
    async ask (name: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET') {
      const request = http.request({ host, port, path: `${HANDLER}/assets${name}`, headers, method, agent: false }).end()
      const [response] = await once(request, 'response') as [http.IncomingMessage]
      const bytes = await buffer(response)
      return { status: response.statusCode, headers: response.headers, bytes, body: bytes.toString() }
    }
  }
}

t.test('no other files than the modules of the page can be read', async t => {
  const { ask, module } = await start(t)
  t.match(await ask(`/${module}`), { status: 200, headers: { 'content-type': /^application\/javascript/ }, body: /mount/ })
  const paths = [
    '/../index.js', '/..%2findex.js', '/%2e%2e%2findex.js', '/..%5cindex.js', '', '/', '/..', '/editor.js/',
    '/editor.js%3f', '/editor.js%23', '/%252e%252e%252findex.js', '/%25', '/%2fetc/passwd', '/.taprc', '/index.html',
    '/%00', '/editor.js%00', `/${module}.br`, `/${module}.gz`, `/../assets/${module}`, `/x/${module}`,
    `/${module}%00`, `/${module.toUpperCase()}`, '/dialogs.js', '/index.js', '/constructor.js',
    '/constructor-000000000000.js', '/__proto__.js'
  ]
  for (const path of paths) t.match(await ask(path), { status: 404, body: NOT_FOUND }, path)
})

t.test('the module is compressed beforehand, 14 kB at most, and is kept for ever', async t => {
  const { ask, module } = await start(t)
  const plain = await ask(`/${module}`)
  t.match(plain.headers, { 'cache-control': FOR_EVER, vary: 'accept-encoding', 'content-encoding': undefined })
  const decoded = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5, BR', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'gzip']
  ] as const) {
    const { status, headers, bytes } = await ask(`/${module}`, { 'accept-encoding': accepted })
    t.match([status, headers], [200, {
      'cache-control': FOR_EVER,
      vary: 'accept-encoding',
      'content-encoding': encoding,
      'content-type': /^application\/javascript; charset=utf-8/i,
      'content-length': String(bytes.length)
    }], accepted)
    t.ok(decoded[encoding](bytes).equals(plain.bytes), accepted)
    t.ok(bytes.length <= 14_000, `${encoding}: ${bytes.length} bytes`)
  }
  for (const accepted of ['identity', 'deflate', 'zstd', '', 'br;q=0', ';;,=q', 'nonsense']) {
    const { status, headers, bytes } = await ask(`/${module}`, { 'accept-encoding': accepted })
    t.strictSame([status, headers['content-encoding'], bytes.equals(plain.bytes)], [200, undefined, true], `'${accepted}'`)
  }
})

t.test('a name without a hash is never out of date; one of another release leads to this one\'s module', async t => {
  const { ask, module } = await start(t)
  t.match(await ask('/editor.js'), {
    status: 200,
    headers: {
      'cache-control': 'no-cache',
      'content-type': /^application\/javascript/,
      etag: undefined,
      'last-modified': undefined
    },
    body: `export * from './${module}'\n`
  })
  const element = await ask('/document-editor.js')
  const [, part = ''] = /^export \* from '\.\/(document-editor-[0-9a-f]{12}\.js)'$/m.exec(element.body) ?? []
  t.match(await ask(`/${part}`), { status: 200, headers: { 'cache-control': FOR_EVER }, body: `"./${module}"` })

  for (const name of ['editor', 'dialogs', 'document-editor']) {
    const { status, headers } = await ask(`/${name}-000000000000.js`)
    t.match([status, headers], [302, { 'cache-control': 'no-store', location: new RegExp(`^${name}-[0-9a-f]{12}\\.js$`) }], name)
    t.match(await ask(`/${headers.location}`), { status: 200, headers: { 'cache-control': FOR_EVER } })
  }
})

t.test('beside plugins of the application that serve files, compress and validate answers, and vary them', async t => {
  const { app, ask, module } = await start(t, async app => {
    await app.register(fastifyCors, { origin: ['https://a.example.com', 'https://b.example.com'] })
    await app.register(fastifyCompress, { threshold: 0 })
    await app.register(fastifyEtag)
    await app.register(fastifyStatic, { root: import.meta.dirname, prefix: `${HANDLER}/files/` })
    app.get('/own', async (_request, reply) => reply.sendFile('assets.test.ts'))
  })
  for (const [accepted, encoding] of [['br', 'br'], ['gzip', 'gzip'], ['identity', undefined]] as const) {
    const { status, headers, bytes } = await ask(`/${module}`, { 'accept-encoding': accepted })
    t.match([status, headers], [200, { 'cache-control': FOR_EVER, 'content-encoding': encoding }])
    t.strictSame(new Set(String(headers.vary).toLowerCase().split(/, */)), new Set(['origin', 'accept-encoding']))
    t.ok(encoding === undefined || bytes.length <= 14_000, 'compressed once')
  }
  t.match((await app.inject('/own')).body, 'by the application', 'its own reply.sendFile')
})
