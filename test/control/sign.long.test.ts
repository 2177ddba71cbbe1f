import { createHmac } from 'node:crypto'
import t from 'tap'
import { InvalidOptionError, type SignedMethods } from '../../lib/index.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { signed, startHost } from '../kit/host.js'
import { startService } from '../kit/sessions.js'

const URL_OF_A_FILE = 'https://app.example.com/files/1?sign=a%2Fb'

const arguments_: { readonly [Method in keyof SignedMethods]: SignedMethods[Method] } = {
  setHistoryData: {
    version: 3,
    fileType: 'docx',
    key: 'key-of-3',
    url: URL_OF_A_FILE,
    changesUrl: 'https://app.example.com/changes/3',
    previous: { fileType: 'docx', key: 'key-of-2', url: 'https://app.example.com/files/2' }
  },
  insertImage: { c: 'add', images: [{ fileType: 'png', url: URL_OF_A_FILE }, { fileType: 'jpg', url: 'http://127.0.0.1/b.jpg' }] },
  setRequestedDocument: { c: 'compare', fileType: 'docx', url: URL_OF_A_FILE },
  setRequestedSpreadsheet: { c: 'mailmerge', fileType: 'xlsx', url: URL_OF_A_FILE },
  setReferenceData: {
    fileType: 'xlsx',
    key: 'k',
    path: 'sample.xlsx',
    referenceData: { fileKey: 'f', instanceId: 'https://app.example.com' },
    url: URL_OF_A_FILE
  },
  setReferenceSource: {
    fileType: 'xlsx',
    key: 'k',
    path: 'sample.xlsx',
    referenceData: { fileKey: 'f', instanceId: 'https://app.example.com' },
    url: URL_OF_A_FILE
  },
  setMailMergeRecipients: { fileType: 'xlsx', url: URL_OF_A_FILE },
  setRevisedFile: { fileType: 'docx', url: URL_OF_A_FILE }
}

/** The claims of a token, exactly as they are signed. Throws if the signature is not the one of the secret. */
function claimsOf (token: string): string {
  const [header, payload, signature] = token.split('.')
  const expected = createHmac('sha256', SECRET).update(`${header}.${payload}`).digest('base64url')
  if (signature !== expected) throw new Error('another secret')
  return Buffer.from(payload!, 'base64url').toString()
}

for (const [method, data] of Object.entries(arguments_) as Array<[keyof SignedMethods, SignedMethods[keyof SignedMethods]]>) {
  t.test(`the token for ${method} signs its argument, flat, and nothing else`, async t => {
    const { app } = await startHost(t)
    const before = structuredClone(data)
    const { token, ...signed } = app.editorServer.sign(method, data)
    t.strictSame(signed, data)
    t.equal(claimsOf(token), JSON.stringify(data), 'to the byte: no iat, no exp, no payload')
    t.equal(token, forgedToken(data, { secret: SECRET }))
    t.strictSame(data, before, 'the argument itself is left as it is')
  })
}

t.test('sign() of any plain object returns it with the token over exactly that object', async t => {
  const server = (await startHost(t)).app.editorServer
  for (const payload of [
    {},
    { a: 1, b: { c: [null, true, 'ü \u2028 😀'] } },
    Object.assign(Object.create(null), { url: URL_OF_A_FILE }) as object,
    JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object
  ]) {
    const { token, ...signed } = server.sign(payload)
    t.equal(JSON.stringify(signed), JSON.stringify(payload))
    t.equal(claimsOf(token), JSON.stringify(payload))
  }
})

t.test('what is returned and what is signed are the same JSON: undefined fields are in neither, dates are strings, a getter is read once', async t => {
  const server = (await startHost(t)).app.editorServer
  let reads = 0
  const payload = { a: undefined, b: [undefined], at: new Date(0), f () {}, n: NaN, get counted () { return ++reads } }
  const { token, ...signed } = server.sign(payload)
  t.strictSame(signed, { b: [null], at: '1970-01-01T00:00:00.000Z', n: null, counted: 1 } as unknown)
  t.equal(claimsOf(token), JSON.stringify(signed))
})

t.test('the first secret of a list signs data of the application', async t => {
  const { app } = await startHost(t, { jwtSecret: [SECRET, 'another-secret-of-this-test-suite-012345'] })
  t.equal(claimsOf(app.editorServer.sign({ a: 1 }).token), '{"a":1}')
})

t.test('dates of a token are refused: it would pass for one of the document server', async t => {
  const server = (await startHost(t)).app.editorServer
  for (const claim of ['iat', 'nbf', 'exp']) {
    t.throws(() => server.sign({ a: 1, [claim]: 1 }), { code: 'FST_EDITOR_INVALID_OPTION', message: new RegExp(`^Option payload.${claim} must be absent`) })
  }
})

t.test('a command is not signed: the document server would execute it for whoever has the token', async t => {
  const { app, documentServer } = await startService(t)
  const command = async (token: string) => {
    const response = await fetch(`${documentServer.url}/command`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token })
    })
    return await response.json() as { readonly error: number }
  }
  t.equal((await command(forgedToken({ c: 'getForgottenList', images: [] }, { secret: SECRET }))).error, 0, 'further fields do not matter')
  const server = app.editorServer
  for (const c of [
    'version', 'license', 'info', 'forcesave', 'drop', 'meta', 'getForgottenList', 'getForgotten', 'deleteForgotten',
    'saved'
  ]) {
    t.throws(
      () => server.sign('insertImage', { ...arguments_.insertImage, c, key: '' } as SignedMethods['insertImage']),
      { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option insertImage.c must not be a command/ }
    )
    t.throws(() => server.sign({ c }), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: /^Option payload.c must not be a command/
    })
  }
  t.ok(server.sign({ c: 'constructor' }))
})

t.test('a token of sign() is no credential at the application\'s own handler', async t => {
  const { app, storage, postCallback } = await startHost(t)
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const { documentKey } = await app.editorControl().openDocument(fileId)
  const callback = { key: documentKey, status: 4 }
  t.equal((await postCallback(fileId, app.editorServer.sign(callback))).body, '{"error":1}', 'it has no exp')
  t.throws(() => app.editorServer.sign({ ...callback, exp: Math.floor(Date.now() / 1000) + 300 }), {
    code: 'FST_EDITOR_INVALID_OPTION',
    message: /^Option payload.exp must be absent/
  })
  t.equal(
    (await postCallback(fileId, { ...callback, token: signed(callback) })).body,
    '{"error":0}',
    'as one of the document server'
  )
})

const without = (data: object, ...fields: string[]) => Object.fromEntries(Object.entries(data).filter(([name]) => !fields.includes(name)))
const history = arguments_.setHistoryData
const image = arguments_.insertImage
const chosen = arguments_.setRequestedDocument

const invalid: ReadonlyArray<readonly [method: string, data: unknown, message: string]> = [
  ...(['version', 'key', 'url', 'previous'] as const).map(field => ['setHistoryData', without(history, field), `setHistoryData.${field} must be`] as const),
  ...[0, '', 1.5, NaN, null].map(version => ['setHistoryData', { ...history, version }, 'setHistoryData.version must be an integer other than 0'] as const),
  ['setHistoryData', { ...history, key: '' }, 'setHistoryData.key must be a string that is not empty'],
  ['setHistoryData', { ...history, url: '/files/1' }, 'setHistoryData.url must be an absolute http(s) URL'],
  ['setHistoryData', { ...history, url: 'file:///etc/passwd' }, 'setHistoryData.url must be an absolute http(s) URL'],
  ['setHistoryData', { ...history, changesUrl: 'x' }, 'setHistoryData.changesUrl must be an absolute http(s) URL'],
  ['setHistoryData', { ...history, previous: { key: 'k' } }, 'setHistoryData.previous.url must be'],
  ['setHistoryData', { ...history, previous: { url: URL_OF_A_FILE } }, 'setHistoryData.previous.key must be'],
  ['setHistoryData', { ...without(history, 'changesUrl'), previous: {} }, 'setHistoryData.previous.key must be'],
  ['setHistoryData', { error: 'not found', version: 1 }, 'setHistoryData.key must be'],
  ['insertImage', without(image, 'c'), 'insertImage.c must be'],
  ['insertImage', without(image, 'images'), 'insertImage.images must be a list'],
  ['insertImage', { c: 'add', images: [] }, 'insertImage.images must be a list that is not empty'],
  ['insertImage', { c: 'add', images: {} }, 'insertImage.images must be a list'],
  ['insertImage', { c: 'add', images: [image.images[0], { url: URL_OF_A_FILE }] }, 'insertImage.images[1].fileType must be'],
  ['insertImage', { c: 'add', images: [{ fileType: 'png' }] }, 'insertImage.images[0].url must be'],
  ['insertImage', { c: 'add', images: ['x'] }, 'insertImage.images[0] must be an object'],
  ...(['setRequestedDocument', 'setRequestedSpreadsheet'] as const).flatMap(method =>
    (['c', 'fileType', 'url'] as const).map(field =>
      [method, without(chosen, field), `${method}.${field} must be`] as const
    )
  ),
  ...(['setReferenceData', 'setReferenceSource'] as const).flatMap(method =>
    (['path', 'url'] as const).map(field =>
      [method, without(arguments_.setReferenceData, field), `${method}.${field} must be`] as const
    )
  ),
  ...(['setMailMergeRecipients', 'setRevisedFile'] as const).flatMap(method =>
    (['fileType', 'url'] as const).map(field =>
      [method, without(arguments_.setRevisedFile, field), `${method}.${field} must be`] as const
    )
  ),
  ['setRevisedFile', { ...arguments_.setRevisedFile, token: 'x' }, 'setRevisedFile.token must be absent'],
  ['setRevisedFile', { payload: arguments_.setRevisedFile }, 'setRevisedFile.payload must be absent'],
  ['setRevisedFile', [], 'setRevisedFile must be a plain object'],
  ['setUsers', {}, 'method must be setHistoryData, insertImage'],
  ['constructor', {}, 'method must be setHistoryData'],
  ['__proto__', {}, 'method must be setHistoryData']
]

for (const [method, data, message] of invalid) {
  t.test(`sign('${method}', ${JSON.stringify(data)}) throws: ${message} …`, async t => {
    const server = (await startHost(t)).app.editorServer
    const error = thrownBy(() => server.sign(method as 'setRevisedFile', data as SignedMethods['setRevisedFile']))
    t.ok(error instanceof InvalidOptionError)
    t.match(error?.message, `Option ${message}`)
  })
}

t.test('sign(payload) takes only a plain object that is JSON, without token and payload', async t => {
  const server = (await startHost(t)).app.editorServer
  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const [payload, message] of [
    [undefined, 'payload must be a plain object'],
    [null, 'payload must be a plain object'],
    ['text', 'payload must be a plain object'],
    [7, 'payload must be a plain object'],
    [[1], 'payload must be a plain object'],
    [new Date(), 'payload must be a plain object'],
    [new Map(), 'payload must be a plain object'],
    [Buffer.from('x'), 'payload must be a plain object'],
    [{ toJSON: () => 'text' }, 'payload must be a plain object'],
    [{ toJSON: () => undefined }, 'payload must be a plain object'],
    [circular, 'payload must be JSON'],
    [{ big: 1n }, 'payload must be JSON'],
    [{ token: 'x' }, 'payload.token must be absent'],
    [{ toJSON: () => ({ token: 'x' }) }, 'payload.token must be absent'],
    [{ payload: {} }, 'payload.payload must be absent']
  ] as const) {
    const error = thrownBy(() => server.sign(payload as object))
    t.ok(error instanceof InvalidOptionError, message)
    t.match(error?.message, `Option ${message}`)
  }
})

t.test('the types of sign() know each method\'s fields', async t => {
  const { app } = await startHost(t)
  const server = app.editorServer
  const signed: { readonly token: string, readonly version: number | string } = server.sign('setHistoryData', { version: '1.2', key: 'k', url: URL_OF_A_FILE })
  t.type(signed.token, 'string')
  t.equal(signed.version, '1.2')
  const own: { readonly token: string, readonly a: number } = server.sign({ a: 1 })
  t.type(own.token, 'string')
  // @ts-expect-error a method without a token
  t.throws(() => server.sign('setUsers', { c: 'info', users: [] }))
  // @ts-expect-error without a key
  t.throws(() => server.sign('setHistoryData', { version: 1, url: URL_OF_A_FILE }))
  // @ts-expect-error changesUrl without previous
  t.throws(() => server.sign('setHistoryData', { version: 1, key: 'k', url: URL_OF_A_FILE, changesUrl: URL_OF_A_FILE }))
  // @ts-expect-error without images
  t.throws(() => server.sign('insertImage', { c: 'add' }))
})

function thrownBy (action: () => unknown): Error | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    return error as Error
  }
}
