import Fastify from 'fastify'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import editor, {
  blankDocument, checkDocument, fileStorage, guardedDispatcher, memoryStorage, undiciClient
} from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'

// What somebody gets who never reads types. Nothing that is wrong may be ignored, or end in a bare TypeError.

const BYTES = Buffer.from('content')
const required = { editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js', jwtSecret: SECRET, publicBaseUrl: 'https://app.example.com' }

/** Without the types of the library. */
const untyped = (value: unknown) => value as any

async function messageOf (call: () => unknown): Promise<string> {
  try {
    await call()
  } catch (error) {
    const { code, message } = error as { code?: string, message: string }
    return code === 'FST_EDITOR_INVALID_OPTION' ? message : `${String(error)} (${code})`
  }
  return 'nothing: it succeeded'
}

async function assertMessages (t: Test, table: ReadonlyArray<readonly [call: () => unknown, message: string]>): Promise<void> {
  for (const [call, message] of table) {
    t.match(await messageOf(call), new RegExp(`^Option ${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`), String(call))
  }
}

t.test('options of the plugin: what is missing, what is unknown and what is wrong', async t => {
  const register = (options?: unknown, logger: boolean = false) => async () => {
    const app = Fastify({ logger: logger ? { level: 'silent', customLevels: { audit: 35 } } : false })
    t.teardown(() => app.close())
    await app.register(editor, untyped(options))
  }
  const withSecret = (jwtSecret: unknown) => register({ ...required, jwtSecret })
  const including = (options: object, logger?: boolean) => register({ ...required, storage: memoryStorage(), ...options }, logger)
  await assertMessages(t, [
    [register(), 'editorApiUrl is missing: set it to the URL of the document server\'s api.js, such as https://docs.example.com/web-apps/apps/api/documents/api.js'],
    [register({}), 'editorApiUrl is missing'],
    [register(() => ({})), 'editorApiUrl is missing'],
    [withSecret(undefined), 'jwtSecret is missing: set it to the secret shared with the document server; an environment variable that is not set is undefined. Create a secret with `openssl rand -hex 32`'],
    [withSecret(''), 'jwtSecret must be the secret shared with the document server, not empty'],
    [register({ ...required, publicBaseUrl: undefined }), 'publicBaseUrl is missing: set it to the URL of this application'],
    [including({ jwtsecret: SECRET }), 'jwtsecret is unknown: use '],
    [including({ storge: memoryStorage() }), 'storge is unknown: use editorApiUrl, jwtSecret, '],
    [including({ authorise () {} }), 'authorise is unknown: use '],
    [including({ timeouts: { conect: 1 } }), 'timeouts.conect is unknown: use '],
    [including({ timeouts: { total: 30 } }), 'timeouts.total must be a whole number of milliseconds, not of seconds: at least 100'],
    [including({ internalUrl: 'http://documentserver' }), 'internalUrl is unknown: use documentServer.internalUrl'],
    [including({ actions: { renam () {} } }), 'actions.renam is unknown: use '],
    [including({ onSave () {} }), 'onSave is unknown: use '],
    [including({ onSession () {} }), 'onSession is unknown: use '],
    ...['onConflict', 'onMissingFile', 'onFormatChange', 'onCorrupted'].map((name): [() => unknown, string] =>
      [including({ [name]: 'x' }), `${name} is unknown: use `]
    ),
    [including({ actions: { qqqqqqqq: 1 } }), 'actions.qqqqqqqq is unknown'],
    [including({ onSaved: 'notify' }), 'onSaved must be a function'],
    [including({ actions: { rename: true } }), 'actions.rename must be a function'],
    [including({ doctor: {} }), 'doctor.authorize is missing: it must be a function'],
    [including({ storage: fileStorage }), 'storage must be what fileStorage, memoryStorage, s3Storage, postgresStorage or documentStorage returns'],
    [including({ timeouts: Promise.resolve({}) }), 'timeouts must be an object such as { connect, headers, idle, … }, not a promise: await it'],
    ...['/a/:id', '/a/*', '/:a', '/a/../b', '//a', '/a\\b'].flatMap(path =>
      [
        [including({ path }), 'path must start with a slash, not end in one, and have no query, fragment, whitespace, parameter (:) or wildcard (*)'],
        [including({ prefix: path }), 'prefix must start with a slash']
      ] as const
    ),
    [including({ publicBaseUrl: 'https://app.example.com/Controls/Editor/EditorHandler.ashx' }), 'publicBaseUrl must be the URL of this application without the path of the handler, /Controls/Editor/EditorHandler.ashx'],
    [including({ publicBaseUrl: 'https://app.example.com/x/office/', path: '/office', prefix: '/x' }), 'publicBaseUrl must be the URL of this application without the path of the handler, /x/office'],
    ...['/etc/ssl/ca.pem', '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----', BYTES, []].map(ca =>
      [including({ tls: { ca } }), 'tls.ca must be certificates in PEM, not the path of a file: read it with fs.readFileSync'] as const),
    [including({ defaults: null }), 'defaults must be an object'],
    [including({ defaults: { language: 'de' } }), 'defaults.language is unknown: use '],
    [including({ defaults: { mode: 'read' } }), 'defaults.mode must be \'edit\' or \'view\''],
    [including({ defaults: { title: 'a' } }), 'defaults.title must be absent: it is determined by the document'],
    [including({ defaults: { document: { permissions: { donwload: false } } } }), 'defaults.document.permissions.donwload is unknown: use '],
    [including({ logLevel: 'loud' }, true), 'logLevel must be a level of the application\'s logger: '],
    [async () =>
      await Fastify().register(async scope => {
        await scope.register(editor, untyped(required))
      }, { prefix: '/:tenant' }), 'prefix of the surrounding scope is /:tenant, but must have no parameter']
  ])
  for (const logLevel of ['audit', 'silent', 'info']) await t.resolves(including({ logLevel }, true)(), logLevel)
  await t.resolves(including({ logLevel: 'audit' })(), 'a disabled logger has no levels')
})

t.test('defaults of a control: unknown names, and values that would be ignored', async t => {
  const { app } = await startHost(t)
  const control = (defaults: unknown) => () => untyped(app).editorControl(defaults)
  await assertMessages(t, [
    [control({ usr: { id: '7' } }), 'usr is unknown: use '],
    [control({ language: 'de' }), 'language is unknown: use '],
    [control({ permission: { edit: false } }), 'permission is unknown: use '],
    [control({ autosave: false }), 'autosave is unknown'],
    [control(null), 'defaults must be an object such as { user, mode, permissions }, not null'],
    [control('de'), 'defaults must be an object such as { user, mode, permissions }, not a string'],
    [control(Promise.resolve({ mode: 'view' })), 'defaults must be an object such as { user, mode, permissions }, not a promise: await it'],
    [control({ user: 'Ada' }), 'user must be an object'],
    [control({ editorConfig: { user: 'Ada' } }), 'editorConfig.user must be an object'],
    [control({ user: { id: 7 } }), 'user.id must be a string of 1 to 240 characters, such as String(7)'],
    [control({ user: { id: 'a'.repeat(241) } }), 'user.id must be a string of 1 to 240 characters, such as String(7)'],
    [control({ mode: 'read' }), 'mode must be \'edit\' or \'view\''],
    [control({ editorConfig: { mode: 'View' } }), 'editorConfig.mode must be \'edit\' or \'view\''],
    [control({ permissions: { edit: 'no' } }), 'permissions.edit must be true or false'],
    [control({ document: { permissions: { download: 0 } } }), 'document.permissions.download must be true or false'],
    [control({ permissions: { donwload: false } }), 'permissions.donwload is unknown: use permissions.chat, permissions.comment, '],
    [control({ permissions: { edt: false } }), 'permissions.edt is unknown: use '],
    [control({ permissions: { prints: false } }), 'permissions.prints is unknown: use '],
    [control({ document: { permissions: { Edit: false } } }), 'document.permissions.Edit is unknown: use '],
    [control({ document: { permissions: 'none' } }), 'document.permissions must be an object'],
    [control({ title: 'Report.docx' }), 'title must be absent: it is determined by the document, which openDocument() opens under a title'],
    [control({ events: { onRequestClose () {} } }), 'events must be absent: name events in render({ events })']
  ])
  const newer = { view: true, rename: false, changeHistory: true, futureRight: false, commentGroups: { edit: [''] }, reviewGroups: [], userInfoGroups: [] }
  t.ok(control({ permissions: newer })(), 'what other editors know passes')
  t.ok(control({ user: { id: 'a'.repeat(240) } })(), 'the longest user.id that a document server answers')
})

t.test('methods of a control', async t => {
  const { app } = await startHost(t, { versions: {} })
  const { fileId } = await app.editorStorage.create('docx', BYTES)
  const control = untyped(app.editorControl())
  await control.openDocument(fileId)
  const consumed = Readable.from([BYTES])
  await consumed.toArray()
  const consumedOfWeb = new Blob([BYTES]).stream()
  for await (const chunk of consumedOfWeb) t.ok(chunk)
  const set = (content: unknown) => () => control.uploadDocument(content, 'a.docx')
  const not = (kind: string) => `content must be a Uint8Array, such as a Buffer, an ArrayBuffer, a Blob or File, or a stream of Uint8Arrays, not ${kind}`
  await assertMessages(t, [
    [() => control.openDocument(), 'fileId is missing: it must be a string'],
    [() => control.openDocument(7), 'fileId must be a string'],
    [() => control.openDocument(fileId, 'Name'), 'options must be an object such as { title }, not a string'],
    [() => control.openDocument(fileId, null), 'options must be an object such as { title }, not null'],
    [() => control.openDocument(fileId, { name: 'Name' }), 'name is unknown: use title'],
    [() => control.openDocument(fileId, { title: '' }), 'title must be a title such as Report.docx'],
    [set(undefined), not('undefined')],
    [set(7), not('a number')],
    [set({}), not('an object')],
    [set(['content']), not('an array')],
    [set(Promise.resolve(BYTES)), not('a promise: await it')],
    [set('./Report.docx'), not('a string: read a file with fs.readFile, encode text with Buffer.from')],
    [set(Readable.from([{ a: 1 }])), 'content must be a stream of Uint8Arrays, but contains an object'],
    [set(Readable.from(['text'])), 'content must be a stream of Uint8Arrays, but contains a string'],
    [set(consumed), 'content must be a stream that has not been read yet'],
    [set(consumedOfWeb), 'content must be a stream that has not been read yet'],
    [set(createReadStream(new URL(import.meta.url), 'utf8')), 'content must be a stream of bytes: decoding it as text damages a document'],
    [() => control.uploadDocument(BYTES, 'a.docx', { chek: true }), 'chek is unknown: use '],
    [() => control.uploadDocument(BYTES, 'a.docx', true), 'options must be an object such as { check }, not a boolean'],
    [() => control.createDocument('docs'), 'fileType must be one of docx, '],
    [() => control.createDocument('docx', 'Name'), 'options must be an object such as { title, lang, paper }'],
    [() => control.createDocument('docx', { papr: 'a4' }), 'papr is unknown: use title, lang, paper'],
    [() => control.createDocument('docx', { title: 7 }), 'title must be a title such as Report.docx'],
    [() => control.convertToPdf(5), 'options must be an object such as { maxAttempts, delayMs, signal }, not a number'],
    [() => control.convertToPdf({ attempts: 5 }), 'attempts is unknown: use '],
    [() => control.convertToPdf({ maxAttempts: '5' }), 'maxAttempts must be a whole number, at least 1'],
    [() => control.convertToPdf({ signal: new AbortController() }), 'signal must be an AbortSignal'],
    [() => control.convert('pdf'), 'options must be an object such as { outputType, title, password, … }, not a string'],
    [() => control.convert(), 'outputType is missing: it must be an extension'],
    [() => control.convert({ outputtype: 'pdf' }), 'outputtype is unknown: use '],
    [() => control.thumbnail(null), 'options must be an object such as {'],
    [() => control.thumbnail({ width: 100 }), 'height is missing: it must be a whole number of pixels'],
    [() => control.forceSave(1000), 'options must be an object such as { timeout, grace, signal }, not a number'],
    [() => control.forceSave({ timout: 1 }), 'timout is unknown: use '],
    [() => control.render('de'), 'options must be an object such as { events, closeUrl, lang, … }, not a string'],
    [() => control.render({ closeURL: '/' }), 'closeURL is unknown: use '],
    [() => control.render({ messages: { lodaing: '…' } }), 'messages.lodaing is unknown: use '],
    [() => control.historyData('1'), 'version must be the number of a version'],
    [() => control.restore(), 'version is missing: it must be the number of a version'],
    [() => control.restore(1, 1000), 'options must be an object such as { result, timeout, signal }, not a number'],
    [() => control.restore(1, { result: {} }), 'result.url is missing: it must be an absolute http(s) URL']
  ])
  for (const name of [undefined, null, 7, {}]) await t.rejects(control.uploadDocument(BYTES, name), { code: 'FST_EDITOR_INVALID_NAME' })
  t.match(await messageOf(() => Object.assign(untyped(app.editorControl()), { documentName: 7 }).hasDocument), 'documentName must be a string')
})

t.test('a document can be set from everything that bytes come in', async t => {
  const host = await startHost(t)
  const text = 'some text'
  const contents = {
    Buffer: Buffer.from(text),
    Uint8Array: new TextEncoder().encode(text),
    ArrayBuffer: new TextEncoder().encode(text).buffer,
    Blob: new Blob([text]),
    File: new File([text], 'a.txt'),
    'web stream': new Blob([text]).stream(),
    'Node.js stream': Readable.from([Buffer.from('some '), Buffer.from('text')]),
    'async iterable': (async function * () { yield Buffer.from(text) })()
  }
  for (const [kind, content] of Object.entries(contents)) {
    t.equal(await host.storedText((await host.app.editorControl().uploadDocument(content, 'a.txt', { check: true })).fileId), text, kind)
  }
})

t.test('the services of the application', async t => {
  const { app } = await startHost(t)
  const { editorServer, editorSessions, editorDoctor } = untyped(app)
  const url = 'https://files.example/a.docx'
  const signals = ['healthcheck', 'version', 'license', 'formats'].flatMap(name => [
    [() => editorServer[name](7), 'options must be an object such as { signal }, not a number'],
    [() => editorServer[name]({ singal: 7 }), 'singal is unknown: use '],
    [() => editorServer[name]({ signal: 7 }), 'signal must be an AbortSignal']
  ] as const)
  await assertMessages(t, [
    ...signals,
    [() => editorServer.sign(), 'payload must be a plain object'],
    [() => editorServer.sign(undefined, {}), 'method must be setHistoryData, '],
    [() => editorServer.sign('setHistory', {}), 'method must be setHistoryData, '],
    [() => editorServer.sign('setHistoryData'), 'payload must be a plain object'],
    [() => editorServer.command('version'), 'command must be an object whose c is the name of the command'],
    [() => editorServer.command({ c: 'frocesave', key: 'k' }), 'c must be version, license, info, forcesave, drop, '],
    [() => editorServer.command({ c: 'drop', key: 'k', user: ['7'] }), 'user is unknown: use '],
    [() => editorServer.command({ c: 'version' }, true), 'options must be an object such as { foreignKey, signal }, not a boolean'],
    [() => editorServer.command({ c: 'version' }, { foreignKeys: true }), 'foreignKeys is unknown: use '],
    [() => editorServer.convert(url), 'options must be an object such as { outputType, '],
    [() => editorServer.convert({ url, fileType: 'docx' }), 'outputType is missing'],
    [() => editorServer.convert({ url, filetype: 'docx', outputType: 'pdf' }), 'filetype is unknown: use '],
    [() => editorServer.convert({ url, fileType: 'docx', outputType: 'pdf' }, null), 'options must be an object such as { timeout, interval, signal, … }, not null'],
    [() => editorServer.build('builder.CreateFile("docx")'), 'options must be an object such as { url, script, argument }, not a string'],
    [() => editorServer.build({ scrip: 'x' }), 'scrip is unknown: use '],
    [() => editorServer.recoverForgotten(true), 'options must be an object such as { dryRun, signal }, not a boolean'],
    [() => editorServer.recoverForgotten({ dryrun: true }), 'dryrun is unknown: use '],
    [() => editorSessions.list(true), 'options must be an object such as { scan, signal }, not a boolean'],
    [() => editorSessions.list({ scan: 'yes' }), 'scan must be true or false'],
    [() => editorSessions.users(), 'fileId is missing'],
    [() => editorSessions.users('a', 7), 'options must be an object such as { signal }, not a number'],
    [() => editorSessions.drop(7), 'fileId must be a string'],
    [() => editorSessions.drop('a', 'ada'), 'users must be a list of user IDs'],
    [() => editorSessions.drop('a', ['ada'], 7), 'options must be an object such as { signal }'],
    [() => editorSessions.rename('a'), 'title is missing: it must be a string of 1 to 255 characters'],
    [() => editorSessions.rename('a', 'b', 7), 'options must be an object such as { signal }'],
    [() => editorDoctor('a'), 'options must be an object such as { fileId, timeout, signal }, not a string'],
    [() => editorDoctor({ fileID: 'a' }), 'fileID is unknown: use '],
    [() => editorDoctor({ signal: 7 }), 'signal must be an AbortSignal']
  ])
})

t.test('functions of the package, and the storages', async t => {
  const directory = t.testdir()
  const files = untyped(fileStorage({ directory }))
  const memory = untyped(memoryStorage())
  const { fileId: id } = await memory.create('txt', BYTES)
  const { fileId } = await files.create('txt', BYTES)
  t.teardown(() => files.close())
  const wrongContents = [undefined, 7, {}, ['a'], new Blob(['a'])].flatMap(content => [[files, fileId], [memory, id]].flatMap(([storage, id]) => [
    [() => storage.create('docx', content), 'content must be a Uint8Array, such as a Buffer, or a stream of Uint8Arrays, not '],
    [() => storage.replace(id, content), 'content must be a Uint8Array']
  ] as const))
  await assertMessages(t, [
    ...wrongContents,
    ...[files, memory].flatMap((storage, index) =>
      [
        [() => storage.create('docx', Readable.from([{}])), 'content must be a stream of Uint8Arrays, but contains an object'],
        [() => storage.replace(index === 0 ? fileId : id, BYTES, { ifRevison: 'x' }), 'ifRevison is unknown: use '],
        [() => storage.replace(index === 0 ? fileId : id, BYTES, 'docx'), 'options must be an object such as { fileType, ifRevision }, not a string'],
        [() => storage.versions.keep(index === 0 ? fileId : id, 'x', { changes: 7 }), 'changes must be a Uint8Array'],
        [() => storage.versions.keep(index === 0 ? fileId : id, 'x', { detail: 7 }), 'detail is unknown: use '],
        [() => storage.versions.remove(index === 0 ? fileId : id, 1), 'versions must be a list of the numbers of versions']
      ] as const
    ),
    [() => untyped(fileStorage)(), 'options must be an object such as { directory, fileMode }, not undefined'],
    [() => untyped(fileStorage)('/srv/documents'), 'options must be an object such as { directory, fileMode }, not a string'],
    [() => untyped(fileStorage)({ dir: '/srv/documents' }), 'dir is unknown: use directory, fileMode'],
    [() => untyped(fileStorage)({}), 'directory is missing: it must be the path of a directory'],
    [() => untyped(memoryStorage)({ maxBytes: 5 }), 'maxBytes is unknown'],
    [() => untyped(undiciClient)({ timeouts: { conect: 5 } }), 'timeouts.conect is unknown: use '],
    [() => untyped(undiciClient)({ tls: { ca: 'ca.pem' } }), 'tls.ca must be certificates in PEM'],
    [() => untyped(undiciClient)({ dispatcher: {} }), 'dispatcher must be a dispatcher of undici'],
    [() => untyped(guardedDispatcher)({ allow: 'http://documentserver' }), 'allow must be a list of http(s) origins'],
    [() => untyped(guardedDispatcher)({ alow: [] }), 'alow is unknown: use '],
    [() => untyped(guardedDispatcher)(['http://documentserver']), 'options must be an object such as {'],
    [() => untyped(blankDocument)(), 'fileType is missing: it must be one of docx, '],
    [() => untyped(blankDocument)('docx', 'de'), 'options must be an object such as { lang, paper }, not a string'],
    [() => untyped(blankDocument)('docx', { language: 'de' }), 'language is unknown: use '],
    [() => untyped(checkDocument)(Readable.from(['text']), 'a.docx'), 'content must be a stream of Uint8Arrays, but contains a string'],
    [() => untyped(checkDocument)(undefined, 'a.docx'), 'content must be a Uint8Array, such as a Buffer, an ArrayBuffer']
  ])
  await t.rejects(untyped(checkDocument)(BYTES), { code: 'FST_EDITOR_INVALID_NAME' })
})

t.test('functions of the page', async t => {
  // its types need those of a browser
  const { captureDocument, mountEditor, unmountEditor } = await import(String(new URL('../../lib/browser/index.js', import.meta.url)))
  const fragment = { hasAttribute: (name: string) => name === 'data-onlyoffice-editor' }
  const table: ReadonlyArray<readonly [call: () => Promise<unknown>, message: RegExp]> = [
    [async () => await mountEditor(), /^The fragment must be the element with the attribute data-onlyoffice-editor/],
    [async () => await mountEditor('#editor'), /^The fragment must be/],
    [async () => await mountEditor({ hasAttribute: () => false }), /^The fragment must be/],
    [async () => await mountEditor(fragment, 'onError'), /^The events must be an object such as/],
    [async () => await mountEditor(fragment, { onError: 'log' }), /^The handler onError must be a function/],
    [async () => await mountEditor(fragment, { error () {} }), /^The handler error must be/],
    [async () => await unmountEditor(null), /^The fragment must be/],
    [async () => await unmountEditor(fragment, true), /^The options must be an object such as \{ force, timeout \}/],
    [async () => await unmountEditor(fragment, { forced: true }), /^The option forced is unknown: use force, timeout/],
    [async () => await captureDocument('pdf'), /^The options must be an object such as \{ fragment, fileType, signal \}/],
    [async () => await captureDocument({ filetype: 'pdf' }), /^The option filetype is unknown: use fragment, fileType, signal/]
  ]
  for (const [call, message] of table) await t.rejects(call(), { name: 'TypeError', message }, String(call))
})
