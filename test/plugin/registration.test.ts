import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import editor, { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'

const options = { editorApiUrl: 'http://127.0.0.1:9/api.js', jwtSecret: SECRET, publicBaseUrl: 'https://app.example.com' }

t.test('registering the plugin twice in one scope, or in a nested scope, fails with a clear error', async t => {
  const registrations = {
    twice: async (app: FastifyInstance) => {
      await app.register(editor, { ...options, storage: memoryStorage() })
      await app.register(editor, { ...options, storage: memoryStorage(), path: '/another' })
    },
    below: async (app: FastifyInstance) => {
      await app.register(editor, { ...options, storage: memoryStorage() })
      await app.register(async scope => { await scope.register(editor, { ...options, storage: memoryStorage() }) }, { prefix: '/below' })
    }
  }
  for (const [what, register] of Object.entries(registrations)) {
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(register(app), { code: 'FST_EDITOR_ALREADY_REGISTERED', message: /already registered in this scope/ }, what)
  }
})

t.test('two registrations in sibling scopes with prefixes both work, each with its own files and URLs', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const storages = { one: memoryStorage(), two: memoryStorage() }
  const urls: Record<string, string> = {}
  for (const [name, storage] of Object.entries(storages)) {
    await app.register(async scope => {
      await scope.register(editor, { ...options, storage, profile: name === 'one' ? 'classic' : 'secure' })
      scope.get('/open', async () => {
        const control = scope.editorControl()
        const { fileId } = await control.uploadDocument(Buffer.from(`content of ${name}`), 'a.docx')
        return { fileId, url: control.documentUrl, fragment: control.render() }
      })
    }, { prefix: `/${name}` })
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  for (const name of ['one', 'two']) {
    const { fileId, url, fragment } = await (await fetch(`http://127.0.0.1:${port}/${name}/open`)).json() as { fileId: string, url: string, fragment: string }
    const plain = `https://app.example.com/${name}${HANDLER}?action=download&fileId=${fileId}`
    t.ok(name === 'one' ? url === plain : url.startsWith(`${plain}&expires=`), 'classic and secure')
    t.match(fragment, `data-handler="/${name}${HANDLER}"`)
    urls[name] = `http://127.0.0.1:${port}${new URL(url).pathname}${new URL(url).search}`
    const module = /<script type="module" src="([^"]+)"/.exec(fragment)![1]!
    t.equal((await fetch(`http://127.0.0.1:${port}${module}`)).status, 200)
  }
  const one = await fetch(urls.one!)
  t.equal(await one.text(), 'content of one')
  t.equal(await (await fetch(urls.two!)).text(), 'content of two')
  t.equal((await fetch(urls.two!.replace(/&expires.*/, ''))).status, 401, 'the secure one')
  t.equal((await fetch(urls.one!.replace('/one/', '/two/'))).status, 401)
  t.equal((await fetch(`http://127.0.0.1:${port}${HANDLER}?action=download&fileId=x`)).status, 404, 'nothing outside the prefixes')
  t.equal(app.hasDecorator('editorControl'), false)
})

t.test('path and prefix determine the handler\'s path; a trailing slash or other letter case is a different path', async t => {
  const table = [
    { path: '/office', prefix: '', at: '/office' },
    { path: '/office/handler.ashx', prefix: '/v1', at: '/v1/office/handler.ashx' },
    { path: undefined, prefix: '/v1/x', at: `/v1/x${HANDLER}` }
  ]
  for (const { path, prefix, at } of table) {
    const host = await startHost(t, { profile: 'classic', prefix, server: { logger: false }, ...(path ? { path } : {}) })
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from('content'), 'a.docx')
    t.equal(new URL(control.documentUrl).pathname, at)
    t.equal(await (await fetch(control.documentUrl)).text(), 'content')
    t.equal((await fetch(`${host.origin}${at}?action=nothing`)).status, 400)
    if (at !== HANDLER) t.equal((await fetch(`${host.origin}${HANDLER}?action=nothing`)).status, 404)
  }
})

t.test('other spellings of the path that the router accepts are the handler\'s: its checks, and no query in the log', async t => {
  let log = ''
  const host = await startHost(t, {
    server: {
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false },
      logger: { level: 'trace', stream: { write (line: string) { log += line } } }
    }
  })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  for (const path of [`${HANDLER}/`, HANDLER.toLowerCase(), `/${HANDLER}`]) {
    const url = `${host.origin}${path}${new URL(control.documentUrl).search}`
    t.equal(await (await fetch(url)).text(), 'content', path)
    t.equal((await fetch(url.replace(/&expires.*/, ''))).status, 401, path)
  }
  t.notMatch(log, /signature=|expires=/)
})

t.test('a bundle says that the package must stay external', async t => {
  const directory = t.testdir({
    'host.js': `import editor from '${pathToFileURL(resolve('dist/lib/index.js')).pathname}'
      import Fastify from '${pathToFileURL(resolve('node_modules/fastify/fastify.js')).pathname}'
      Fastify().register(editor, { editorApiUrl: 'https://docs.example.com/api.js', jwtSecret: '${SECRET}', publicBaseUrl: 'https://app.example.com' })
        .ready(error => { console.log(error?.code, error?.message) })`
  })
  for (const format of ['cjs', 'esm'] as const) {
    const outfile = join(directory, 'bundle', format === 'cjs' ? 'host.cjs' : 'host.mjs')
    const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url)'
    await build({
      entryPoints: [join(directory, 'host.js')],
      outfile,
      format,
      bundle: true,
      platform: 'node',
      logLevel: 'silent',
      external: ['@aws-sdk/*'],
      ...(format === 'esm' && { banner: { js: banner } })
    })
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: directory })
    t.match(stdout, /^FST_EDITOR_BUNDLED .*keep the package external/, format)
  }
})

t.test('the decorators storage, HTTP client and control exist; components passed by the application are used as they are', async t => {
  const storage = memoryStorage()
  const host = await startHost(t, { storage })
  t.equal(host.app.editorStorage, storage)
  t.type(host.app.editorHttpClient.request, 'function')
  t.type(host.app.editorControl, 'function')

  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('editorStorage', storage)
  await app.register(async scope => {
    await scope.register(editor, options)
    t.equal(scope.editorStorage, storage, 'decorated by the host')
  })
  await app.register(async scope => {
    const own = memoryStorage()
    await scope.register(editor, { ...options, storage: own })
    t.equal(scope.editorStorage, own, 'the option goes before the decorator')
  }, { prefix: '/own' })
  t.equal(app.editorStorage, storage)
})

t.test('what the host has decorated must be a storage', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('editorStorage', { ...memoryStorage(), commit: undefined } as unknown as EditorStorage)
  await t.rejects((async () => { await app.register(editor, options) })(), { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option storage must be what / })
})

t.test('a storage that is not ready fails the start with its own error', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const failing = { ...memoryStorage(), ready: async () => { throw new Error('the bucket does not exist') } }
  await t.rejects((async () => { await app.register(editor, { ...options, storage: failing }) })(), { message: 'the bucket does not exist' })
})

t.test('components passed by the application stay open when the app closes', async t => {
  const closed: string[] = []
  const storage = { ...memoryStorage(), close: async () => { closed.push('storage') } }
  const httpClient = { request: async () => { throw new Error('not used') }, close: async () => { closed.push('client') } }
  const host = await startHost(t, { storage, httpClient })
  await host.app.close()
  t.strictSame(closed, [])
})

t.test('constraints of the application apply to the handler', async t => {
  const host = await startHost(t, { profile: 'classic', server: { logger: false }, constraints: { host: 'office.example.com' } })
  t.equal((await fetch(`${host.origin}${HANDLER}?action=nothing`)).status, 404)
  const constrained = await host.app.inject({ url: `${HANDLER}?action=nothing`, headers: { host: 'office.example.com' } })
  t.equal(constrained.statusCode, 400)
})

t.test('classic logs one warning at start that lists the missing protections, secure logs none', async t => {
  for (const [profile, warnings] of [['classic', 1], ['secure', 0]] as const) {
    const lines: string[] = []
    await startHost(t, { profile, server: { logger: { level: 'warn', stream: { write: line => { lines.push(line) } } } } })
    t.equal(lines.length, warnings, profile)
    if (warnings) for (const door of ['callbacks', 'downloads', 'proxy', 'certificates']) t.match(lines[0], door)
  }
})
