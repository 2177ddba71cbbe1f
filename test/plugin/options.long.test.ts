import Fastify from 'fastify'
import t, { type Test } from 'tap'
import editor, { type FastifyOnlyofficeOptions, memoryStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'

const valid = {
  editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
  jwtSecret: SECRET,
  publicBaseUrl: 'https://app.example.com',
  storage: memoryStorage()
}

async function registration (t: Test, options: unknown): Promise<void> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, options as FastifyOnlyofficeOptions)
}

t.test('a URL in quotation marks: the message says what is wrong with it', async t => {
  const message = /must be .*\. Remove the quotation marks around the value$/
  for (const mark of ['"', "'"]) {
    await t.rejects(registration(t, { ...valid, publicBaseUrl: `${mark}${valid.publicBaseUrl}${mark}` }), { message })
  }
  await t.rejects(registration(t, { ...valid, publicBaseUrl: '"app.example.com' }), { message: /whitespace, or a function that returns it$/ })
})

const HOOKS = [
  'rename', 'images', 'documents', 'spreadsheets', 'reference', 'users', 'notify', 'sharing', 'editRights',
  'favorite', 'create', 'title', 'page'
].map(name => `actions.${name}`)

/** For each option what it must not be, in place of the values of every wrong type. */
const wrong: Record<string, unknown[]> = {
  editorApiUrl: ['', ' ', 'api.js', '/web-apps/api.js', '//docs.example.com/api.js', 'ftp://docs.example.com/api.js', 'javascript:alert(1)', 'http://'],
  jwtSecret: ['', '   ', [], [''], [SECRET, ''], [SECRET, 7]],
  publicBaseUrl: [
    '', 'app.example.com', '/office', 'ws://app.example.com', 'https://app.example.com/?a=b',
    'https://app.example.com/#x', 'https://app.example.com ', ' https://app.example.com', 'https://app.example.com\n'
  ],
  path: ['', 'handler', '/', '/handler/', '/handler?x', '/handler#x', '/hand ler'],
  prefix: ['office', '/', '/office/', '/of fice'],
  publicPath: ['office', '/', '/office/', '/office?a', '/of fice', '//office', 'https://example.com/office'],
  profile: ['', 'Secure', 'strict'],
  storage: [
    { stat () {}, read () {}, create () {}, replace () {} },
    ...['stat', 'stage', 'commit', 'snapshot', 'state', 'versions'].map(name => ({ ...memoryStorage(), [name]: undefined }))
  ],
  httpClient: [{}, { request: 'x' }],
  'documentServer.internalUrl': ['', 'documentserver', 'http://documentserver/path', 'ftp://documentserver'],
  'documentServer.origins': ['all', ['docs.example.com'], ['https://docs.example.com/path?a=b'], ['https://docs.example.com/a/../b'], ['https://u@docs.example.com/a'], ['https://docs.example.com/a b'], ['https://docs.example.com\\a'], ['ftp://docs.example.com/a'], [7], 'https://docs.example.com'],
  'documentServer.authorizationHeader': ['', 'X Token', 'a:b', 'a\nb'],
  'documentServer.authorizationPrefix': [],
  'proxy.allow': [
    'all',
    ['*'],
    ['https://*.example.com'],
    [''],
    ['https://a.example/x'],
    'https://a.example',
    [7],
    [null],
    [{}],
    [{ origin: 'https://a.example' }],
    [{ path: '/x' }],
    [{ origin: 'a.example', path: '/x' }],
    [{ origin: 'https://a.example/y', path: '/x' }],
    [{ origin: 'https://*.example', path: '/x' }],
    [{ origin: ['https://a.example'], path: '/x' }],
    ...[
      '',
      'x',
      '*',
      '//x',
      '//',
      '/\\x',
      '/x\\y',
      '/x%2fy',
      '/x/../y',
      '/x/%2e%2e/y',
      '/x?y',
      '/x#y',
      '/x y',
      ' /x',
      '/x\n',
      'https://a.example/x',
      '\\x',
      7,
      null,
      ['/x'],
      /x/
    ].map(path => [{ origin: 'https://a.example', path }]),
    [{ origin: 'https://a.example', path: '/x', method: 'GET' }],
    ['https://a.example', { origin: 'https://a.example', path: '/x', paths: ['/y'] }],
    { origin: 'https://a.example', path: '/x' }
  ],
  'tls.rejectUnauthorized': ['false', 0],
  'tls.minVersion': ['TLSv1.4', 'SSLv3', '1.2'],
  'tls.ca': ['', [''], [7]],
  'proxy.requireToken': ['true', 'false', 0],
  'proxy.crossOrigin': ['true', 0],
  allowPrivateAddresses: ['true', 1],
  allowWeakSecret: ['true', 1],
  requireToken: ['true', 1],
  signedUrls: ['true', 1],
  downloadUrlLifetime: [0, -1, 1.5, NaN, '24h'],
  pageTokenLifetime: [0, -1, 1.5, NaN, Infinity, '1h', 2 ** 31],
  'policies.conflict': ['', 'keep'],
  'policies.corrupted': ['', 'Keep', 'reject'],
  'policies.missingFile': ['', 'keep'],
  'policies.formatChange': ['', 'keep'],
  concurrentSaves: [0, -1, 1.5, NaN, '16'],
  authorize: ['x', {}],
  inspect: ['x', {}],
  onCallback: ['x', {}],
  onSaved: ['x', {}],
  ...Object.fromEntries(HOOKS.map(name => [name, ['x', {}]])),
  'actions.saveAs': [false, 'x', {}],
  'actions.links': ['true', 1],
  maxFileSize: [0, -1, 1.5, NaN, Infinity, '1000', 10n],
  bodyLimit: [0, -1, 1.5, NaN, '4mb'],
  'timeouts.connect': [0, -1, 1.5, 99, 100.5, NaN, Infinity, '10', 2 ** 31],
  'timeouts.headers': [0, -1, 1.5, 30],
  'timeouts.idle': [0, '30s'],
  'timeouts.total': [0, NaN],
  'timeouts.inspect': [0, 60],
  logLevel: ['', 7],
  constraints: ['x', 7],
  config: ['x', 7]
}

/** Types that few of the options have. */
const everyType: unknown[] = [null, 7, Symbol('x'), {}]
const takesNumbers = /Lifetime$|^maxFileSize$|^bodyLimit$|^concurrentSaves$|^timeouts\./
const takesObjects = /^(constraints|config)$/
const mayBe = (name: string, value: unknown) => typeof value === 'number' ? takesNumbers.test(name) : value !== null && typeof value === 'object' && takesObjects.test(name)

t.test('every option with a wrong type or value is refused with an error that names the option and states the rule', async t => {
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of [...values, ...everyType.filter(value => !mayBe(name, value))]) {
      const [group, member] = name.split('.') as [string, string?]
      const options = { ...valid, [group]: member ? { [member]: value } : value }
      const label = `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`
      await t.rejects(registration(t, options), { code: 'FST_EDITOR_INVALID_OPTION', statusCode: 500, message: `Option ${name} must ` }, label)
    }
  }
})

t.test('options of Fastify and of other plugins in the same object are ignored, the latter with one warning', async t => {
  const lines: Array<{ level: number, msg: string }> = []
  const app = Fastify({ logger: { stream: { write (line: string) { lines.push(JSON.parse(line)) } } } })
  t.teardown(() => app.close())
  const shared = {
    ...valid,
    ...JSON.parse('{"__proto__":{"path":"/other"}}'),
    logSerializers: {},
    logLevel: 'info',
    name: 'documents',
    encapsulate: false,
    auth: true,
    cookie: {},
    secret: 'of another plugin',
    redis: 'redis://127.0.0.1',
    headers: {},
    toString: 1,
    secrets: ['x']
  }
  // as @fastify/autoload does: one object for every plugin
  app.register(async scope => { scope.register(editor, shared) }, shared)
  await app.ready()
  t.same(lines.filter(({ level }) => level >= 40).map(({ msg }) => msg), [
    'fastify-onlyoffice ignores options that it does not know: __proto__, auth, cookie, secret, redis, headers, toString, secrets'
  ])
  t.ok(app.hasRoute({ method: 'POST', url: '/Controls/Editor/EditorHandler.ashx' }), 'the prototype is not ours')
})

t.test('groups of options must be objects', async t => {
  for (const name of ['actions', 'documentServer', 'policies', 'proxy', 'tls', 'timeouts']) {
    for (const value of ['x', 7, true, null, [], [['allow', 'any']]]) {
      await t.rejects(registration(t, { ...valid, [name]: value }), { code: 'FST_EDITOR_INVALID_OPTION', message: `Option ${name} must be an object` })
    }
  }
})

t.test('the options object is never modified: a deep-frozen one works', async t => {
  const options = deepFrozen({
    jwtSecret: [SECRET, 'another-secret-0123456789-0123456789'],
    profile: 'secure' as const,
    path: '/office/handler',
    documentServer: { internalUrl: 'http://127.0.0.1:9', origins: ['https://docs2.example.com/'], authorizationHeader: 'X-Token', authorizationPrefix: '' },
    proxy: { allow: ['https://docs.example.com', { origin: 'https://docs.example.com', path: '/thumbs' }] },
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.3' as const },
    timeouts: { connect: 100, headers: 200, idle: 300, total: 400 },
    maxFileSize: 10,
    bodyLimit: 10,
    logLevel: 'warn' as const,
    constraints: {},
    config: { public: true }
  })
  const host = await startHost(t, options)
  const control = host.app.editorControl(deepFrozen({ user: { id: '7', name: 'Ada' }, permissions: { edit: true } }))
  await control.uploadDocument(Buffer.from('x'), 'a.docx')
  t.match(control.documentUrl, '/office/handler?action=download')
  t.equal((await fetch(`${host.origin}/office/handler?action=proxy&url=x`)).status, 400)
})

function deepFrozen<Value extends object> (value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner)
  return Object.freeze(value)
}
