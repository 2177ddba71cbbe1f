// Who may do what: a table of credentials and operations. Each cell is asked of a listening service. How one credential
// may look, how long it is valid and in which order things are checked is tested where the operation is.
import t, { type Test } from 'tap'
import { allActions } from '../../lib/actions/routes.js'
import { documentKeys } from '../../lib/document-server/document-key.js'
import { tokenSigner } from '../../lib/document-server/token.js'
import type { FastifyOnlyofficeOptions, StoredDocument } from '../../lib/index.js'
import { handlerUrls, pageTokens, urlSigner } from '../../lib/security/signatures.js'
import { SECRET } from '../kit/document-server.js'
import { NEW } from '../kit/editing.js'
import { ADA, HANDLER, startHost, startPageHost } from '../kit/host.js'
import { asDocumentServer, type Reply, send, startUpstream } from '../kit/http.js'
import { deferred, holdTimers, jumpingTime } from '../kit/time.js'

/**
 * A column is an operation with its credential, a row what a request has of it. A callback has two: the other one is
 * right. A download by token is one without signed URLs; the ID of an offered file is its only credential. A cell is the
 * status of the answer; a callback is always answered with 200, and its cell is the status of the logged error. `-`: a
 * credential that does not exist.
 */
const TABLE = `
                                   signed URL                     document server's token     page's token             none
                                   download  version   callback   download  body    header    proxy   report  action   offered  module
secure
  right                            200       200       200        200       200     200       200     204     200      200      200
  none                             401       401       401        401       401     401       401     401     401      404      200
  garbage                          403       403       403        401       401     401       403     403     403      404      -
  expired                          403       403       -          401       401     401       401     401     401      -        -
  of another file                  403       403       403        403       403     403       403     403     -        -        -
  by another secret                403       403       403        401       401     401       403     403     403      -        -
  for another purpose              403       403       403        401       401     401       403     403     403      -        -
  of another application           403       403       403        403       403     403       403     403     403      -        -
  none, but a password             401       401       401        401       401     401       401     401     401      404      200
  right, but elsewhere             401       401       401        401       401     401       401     401     401      404      200
  right, from a page of this site  200       200       200        200       200     200       200     204     200      200      200
  right, from another site         200       200       200        200       200     200       403     403     403      200      200
  right, from another origin       200       200       200        200       200     200       403     403     403      200      200
  none, from another origin        401       401       401        401       401     401       401     401     401      404      200
secure, requireToken: false
  right                            200       200       200        200       200     200       200     204     200      200      200
  none                             401       401       401        200       200     200       401     401     401      404      200
  garbage                          403       403       403        200       200     200       403     403     403      404      -
secure, signedUrls: false
  right                            -         -         200        200       200     200       200     204     200      200      200
  none                             -         -         200        401       401     401       401     401     401      404      200
  garbage                          -         -         200        401       401     401       403     403     403      404      -
secure, neither
  none                             200       200       200        200       200     200       401     401     401      404      200
  garbage                          200       200       200        200       200     200       403     403     403      404      -
  expired                          200       200       -          200       200     200       401     401     401      -        -
  of another file                  200       200       200        200       200     200       403     403     -        -        -
  right, from another site         200       200       200        200       200     200       403     403     403      200      200
secure, jwtSecret: a list
  right                            200       200       200        200       200     200       200     204     200      200      200
  by the first secret of the list  200       200       200        200       200     200       200     204     200      -        -
  by another secret                403       403       403        401       401     401       403     403     403      -        -
secure, proxy.requireToken: false
  none                             401       401       401        401       401     401       200     204     401      404      200
  garbage                          403       403       403        401       401     401       200     204     403      404      -
  expired                          403       403       -          401       401     401       200     204     401      -        -
  of another file                  403       403       403        403       403     403       200     204     -        -        -
  right, from another site         200       200       200        200       200     200       403     403     403      200      200
secure, proxy.crossOrigin: true
  none                             401       401       401        401       401     401       401     401     401      404      200
  garbage                          403       403       403        401       401     401       403     403     403      404      -
  expired                          403       403       -          401       401     401       401     401     401      -        -
  of another file                  403       403       403        403       403     403       403     403     -        -        -
  right, from another site         200       200       200        200       200     200       200     204     200      200      200
  right, from another origin       200       200       200        200       200     200       200     204     200      200      200
secure, authorize returns true
  right                            200       200       200        200       200     200       200     204     200      200      200
  none                             401       401       401        401       401     401       401     401     401      404      200
  garbage                          403       403       403        401       401     401       403     403     403      404      -
  expired                          403       403       -          401       401     401       401     401     401      -        -
  of another file                  403       403       403        403       403     403       403     403     -        -        -
  right, from another site         200       200       200        200       200     200       403     403     403      200      200
  right, from another origin       200       200       200        200       200     200       403     403     403      200      200
  none, from a page of this site   401       401       401        401       401     401       401     401     401      404      200
secure, authorize grants
  right                            200       200       200        200       200     200       200     204     200      200      200
  none                             200       200       401        200       401     401       200     204     401      404      200
  garbage                          403       403       403        200       401     401       403     403     403      404      -
  expired                          200       200       -          200       401     401       200     204     200      -        -
  of another file                  403       403       403        200       403     403       403     403     -        -        -
  right, from another site         200       200       200        200       200     200       200     204     200      200      200
  none, from a page of this site   200       200       401        200       401     401       200     204     401      404      200
  none, from another site          200       200       401        200       401     401       200     204     401      404      200
secure, requireToken: false, authorize grants
  none                             200       200       401        200       200     200       200     204     401      404      200
  garbage                          403       403       403        200       200     200       403     403     403      404      -
secure, signedUrls: false, authorize grants
  none                             -         -         200        200       401     401       200     204     401      404      200
  garbage                          -         -         200        200       401     401       403     403     403      404      -
secure, authorize denies
  right                            403       403       403        403       403     403       403     403     403      200      200
  none                             403       403       401        403       401     401       403     403     401      404      200
  garbage                          403       403       403        403       401     401       403     403     403      404      -
  expired                          403       403       -          403       401     401       403     403     403      -        -
  of another file                  403       403       403        403       403     403       403     403     -        -        -
  right, from another site         403       403       403        403       403     403       403     403     403      200      200
`

t.setTimeout(300_000)

const FIRST_SECRET = 'the-newest-secret-of-this-test-suite-012345'

type Authorize = NonNullable<FastifyOnlyofficeOptions['authorize']>

/** The options of each heading. All rows apply to the first, and the first rows to the others. */
const SETTINGS: Readonly<Record<string, ReadonlyArray<Partial<FastifyOnlyofficeOptions>>>> = {
  secure: [{}, { proxy: { allow: 'any' } }],
  'secure, requireToken: false': [{ requireToken: false }],
  'secure, signedUrls: false': [{ signedUrls: false }],
  'secure, neither': [{ requireToken: false, signedUrls: false }],
  'secure, jwtSecret: a list': [{ jwtSecret: [FIRST_SECRET, SECRET] }],
  'secure, proxy.requireToken: false': [{ proxy: { requireToken: false } }],
  'secure, proxy.crossOrigin: true': [{ proxy: { crossOrigin: true } }],
  'secure, authorize returns true': [{ authorize: async () => true }],
  'secure, authorize grants': [{ authorize: async () => 'grant' as const }],
  'secure, requireToken: false, authorize grants': [{ requireToken: false, authorize: () => 'grant' }],
  'secure, signedUrls: false, authorize grants': [{ signedUrls: false, authorize: () => 'grant' }],
  'secure, authorize denies': [{ authorize: () => false }]
}

const CONTENT = Buffer.from('the content')
const ELSEWHERE = 'https://elsewhere.example'
const now = () => Math.floor(Date.now() / 1000)

/** What an application and its document server sign with their secret. */
function issuerOf (documentServer: string, origin: string, { secret = SECRET, lifetime = 600 } = {}) {
  const scope = () => origin + HANDLER
  const expires = String(now() + lifetime)
  const tokens = tokenSigner([secret])
  const { sign } = urlSigner([secret], scope)
  return {
    urls: handlerUrls({
      publicBaseUrl: () => origin,
      path: HANDLER,
      secrets: [secret],
      signedUrls: true,
      downloadUrlLifetime: lifetime * 1000
    }),
    keys: documentKeys(scope, documentServer),
    pages: pageTokens({ secrets: [secret], scope, tokenLifetime: lifetime * 1000, clock: Date }),
    token: (claims: object) => tokens.sign({ ...claims, iat: now() - 900, exp: now() + lifetime }),
    sign,
    /** A signature behind its end, as in a proxy token. */
    signUntil: (purpose: 'download' | 'proxy', fileId: string) => `${expires}.${sign({ purpose, fileId, expires })}`
  }
}

/** A service with its document server, what it has done and refused, and those who sign in its name. */
async function start (t: Test, options: Partial<FastifyOnlyofficeOptions>) {
  const offered = deferred<string>()
  const seen = { done: 0, refusal: '' }
  const note = () => { seen.done++ }
  const write = (line: string) => {
    if (line.includes('a document did not open')) note()
    seen.refusal = /"code":"FST_EDITOR_(\w+)"/.exec(line)?.[1] ?? seen.refusal
  }
  const { origin: documentServer } = await startUpstream(t, async (request, response) => {
    const body = (await request.toArray()).join('')
    if (request.url!.startsWith('/cache/files/')) {
      note()
      response.end(NEW)
    } else if (request.url!.startsWith('/ConvertService')) offered.resolve((JSON.parse(body) as { url: string }).url)
    else response.end('{"error":0,"version":"9.3.0"}')
  })
  const host = await startHost(t, {
    documentServerOrigin: documentServer,
    server: { logger: { level: 'info', stream: { write } } },
    policies: { corrupted: 'discard' },
    saveRetries: 0,
    versions: {},
    actions: { rename: note, favorite: note },
    onCallback: note,
    onSaved: note,
    ...options
  })
  host.app.editorServer.convert({ content: CONTENT, fileType: 'txt', outputType: 'pdf' }).catch(() => {})
  return {
    ...host,
    seen,
    other: await host.storage.create('txt', CONTENT),
    savedUrl: `${documentServer}/cache/files/x`,
    offeredId: new URL(await offered.promise).searchParams.get('id')!,
    own: issuerOf(documentServer, host.origin),
    earlier: issuerOf(documentServer, host.origin, { lifetime: -600 }),
    firstSecret: issuerOf(documentServer, host.origin, { secret: FIRST_SECRET }),
    otherSecret: issuerOf(documentServer, host.origin, { secret: 'another-secret-of-this-test-suite-987654' }),
    otherApplication: issuerOf(documentServer, ELSEWHERE)
  }
}
type Site = Awaited<ReturnType<typeof start>>

interface Given {
  readonly site: Site
  readonly issuer: Site['own']
  readonly file: StoredDocument
  readonly variant: string
}

interface Operation {
  /** Methods, statuses or actions, for all of which the cells are the same. */
  readonly variants: readonly string[]
  /** At a service without signed URLs. */
  readonly isUnsigned?: true
  readonly credential: (given: Given) => string
  /** A credential by the same issuer for another operation. */
  readonly foreign?: (given: Given) => string
  readonly garbage?: string
  readonly request: (given: Given, credential?: string) => Request
}

interface Request {
  readonly url: string
  readonly method: string
  readonly headers?: Record<string, string>
  readonly body?: object
}

const READING = ['GET', 'HEAD']
const STATUSES = ['1', '2', '3', '6']

const header = (name: string, value?: string) => value === undefined ? {} : { [name]: value }
const bearer = (token?: string) => header('authorization', token && `Bearer ${token}`)
/** The signature of a URL, with its end. */
const signatureIn = (url: string) => /&(?:expires|signature)=.*/.exec(url)![0]
const fieldsOf = ({ issuer, file, variant, site: { savedUrl } }: Given) =>
  asDocumentServer({ key: issuer.keys.of(file), status: Number(variant), url: savedUrl }, [new URL(savedUrl).origin])

/** A callback with right credentials, but for what is given. */
function callback (given: Given, { signature, token, headerToken }: { signature?: string, token?: string | undefined, headerToken?: string | undefined }): Request {
  const { site, file: { fileId } } = given
  return {
    method: 'POST',
    url: site.handler({ action: 'callback', fileId }) + (signature ?? signatureIn(site.own.urls.callback(fileId))),
    headers: bearer(headerToken),
    body: { ...fieldsOf({ ...given, issuer: site.own }), ...header('token', token) }
  }
}

const documentServerToken = (claimsOf: (given: Given) => object) => ({
  garbage: 'garbage',
  credential: (given: Given) => given.issuer.token(claimsOf(given)),
  foreign: (given: Given) => given.issuer.token({ ...claimsOf(given), operation: 'browser' })
})

const proxyToken = {
  garbage: 'garbage',
  credential: ({ issuer, file }: Given) => issuer.urls.proxyToken(file.fileId),
  foreign: ({ issuer, file }: Given) => issuer.signUntil('download', file.fileId)
}

/** The columns of the table, in their order. */
const OPERATIONS: readonly Operation[] = [
  {
    variants: READING,
    garbage: '&signature=garbage',
    credential: ({ issuer, file }) => signatureIn(issuer.urls.download(file.fileId)),
    foreign: ({ issuer, file }) => `&expires=${issuer.signUntil('proxy', file.fileId).replace('.', '&signature=')}`,
    request: ({ site, file: { fileId }, variant }, signature = '') => ({
      method: variant,
      url: site.handler({ action: 'download', fileId }) + signature
    })
  },
  {
    variants: READING,
    garbage: '&signature=garbage',
    credential: ({ issuer, file }) => signatureIn(issuer.urls.version(file.fileId, 1, 'content')),
    foreign: ({ issuer, file }) => signatureIn(issuer.urls.download(file.fileId)),
    request: ({ site, file: { fileId }, variant }, signature = '') => ({
      method: variant,
      url: site.handler({ action: 'download', fileId, version: '1', part: 'content' }) + signature
    })
  },
  {
    variants: STATUSES,
    garbage: '&signature=garbage',
    credential: ({ issuer, file }) => signatureIn(issuer.urls.callback(file.fileId)),
    foreign: ({ issuer, file: { fileId } }) => `&signature=${issuer.sign({ purpose: 'download', fileId })}`,
    request: (given, signature = '') =>
      callback(given, { signature, token: given.site.own.token(fieldsOf({ ...given, issuer: given.site.own })) })
  },
  {
    variants: READING,
    isUnsigned: true,
    ...documentServerToken(({ issuer, file }) => ({
      payload: { url: issuer.urls.download(file.fileId).replace(/&expires.*/, '') }
    })),
    request: ({ site, file: { fileId }, variant }, token) => ({
      method: variant,
      url: site.handler({ action: 'download', fileId }),
      headers: bearer(token)
    })
  },
  { variants: STATUSES, ...documentServerToken(fieldsOf), request: (given, token) => callback(given, { token }) },
  {
    variants: STATUSES,
    ...documentServerToken(given => ({ payload: fieldsOf(given) })),
    request: (given, headerToken) => callback(given, { headerToken })
  },
  {
    variants: READING,
    ...proxyToken,
    request: ({ site, file: { fileId }, variant }, token) => ({
      method: variant,
      url: site.handler({ action: 'proxy', fileId, url: site.savedUrl }),
      headers: header('x-editor-proxy-token', token)
    })
  },
  {
    variants: ['0', '-4'],
    ...proxyToken,
    request: ({ site, file: { fileId }, variant }, token) => ({
      method: 'POST',
      url: site.handler({ action: 'report', fileId, code: variant }),
      headers: header('x-editor-proxy-token', token)
    })
  },
  {
    variants: ['rename', 'favorite', 'config', 'renew', 'saveState'],
    garbage: 'garbage',
    credential: ({ issuer, file }) =>
      issuer.pages.make({ fileId: file.fileId, title: 'Report.txt', defaults: { user: ADA }, key: issuer.keys.of(file) }),
    foreign: ({ issuer, file }) => issuer.signUntil('proxy', file.fileId),
    request: ({ site, variant }, token) => ({
      method: 'POST',
      url: `${site.origin}${HANDLER}/actions/${variant}?`,
      headers: header('x-editor-page-token', token),
      body: { name: 'Minutes', favorite: true, purpose: 'refresh', key: 'some' }
    })
  },
  {
    variants: READING,
    garbage: '&id=garbage',
    credential: ({ site }) => `&id=${site.offeredId}`,
    request: ({ site, variant }, id = '') => ({ method: variant, url: `${site.origin}${HANDLER}/files?${id}` })
  },
  {
    variants: READING,
    credential: () => '',
    request: ({ site, variant }) => ({ method: variant, url: `${site.origin}${HANDLER}/assets/editor.js?` })
  }
]

type Credential = (operation: Operation, given: Given) => string | undefined
const by = (name: 'own' | 'earlier' | 'firstSecret' | 'otherSecret' | 'otherApplication'): Credential => ({ credential }, given) =>
  credential({ ...given, issuer: given.site[name] })

/** What a row begins with. */
const CREDENTIALS: Readonly<Record<string, Credential>> = {
  none: () => undefined,
  garbage: ({ garbage }) => garbage,
  right: by('own'),
  expired: by('earlier'),
  'by the first secret of the list': by('firstSecret'),
  'by another secret': by('otherSecret'),
  'of another application': by('otherApplication'),
  'of another file': ({ credential }, given) => credential({ ...given, file: given.site.other }),
  'for another purpose': ({ foreign }, given) => foreign!(given)
}

/** What a row ends with. */
const HEADERS: Readonly<Record<string, (site: Site) => Record<string, string>>> = {
  'from a page of this site': ({ origin }) => ({ origin, 'sec-fetch-site': 'same-origin' }),
  'from another site': () => ({ 'sec-fetch-site': 'cross-site' }),
  'from another origin': () => ({ origin: ELSEWHERE }),
  'but a password': () => ({ authorization: `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}` })
}

function requestOf (operation: Operation, given: Given, row: string): Request {
  const [credential = '', manner = ''] = row.split(', ')
  const token = CREDENTIALS[credential]!(operation, given)
  if (manner === 'but elsewhere') return withMisplaced(token!, operation.request(given))
  const request = operation.request(given, token)
  return { ...request, headers: { ...request.headers, ...HEADERS[manner]?.(given.site) } }
}

/** A request with a credential where none is expected. */
function withMisplaced (credential: string, request: Request): Request {
  const named = ['token', 'pageToken', 'proxyToken', 'x-editor-page-token', 'x-editor-proxy-token'].map(name =>
    `${name}=${encodeURIComponent(credential)}`
  )
  return {
    ...request,
    url: `${request.url}&${named.join('&')}`,
    headers: {
      ...request.headers,
      cookie: named.join('; '),
      referer: `${ELSEWHERE}/?${named.join('&')}`,
      'x-token': `Bearer ${credential}`
    }
  }
}

function sendRequest ({ url, method, headers, body }: Request): Promise<Reply> {
  return send(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) })
  })
}

const REFUSALS: Readonly<Record<string, string>> = { UNAUTHORIZED: '401', FORBIDDEN: '403' }

/** The status of a cell, with what is wrong if the answer, the log or the effect is that of another one. */
async function statusOf (site: Site, operation: Operation, row: string, variant: string): Promise<string> {
  const { seen } = site
  const file = await site.storage.create('txt', CONTENT)
  const request = requestOf(operation, { site, issuer: site.own, file, variant }, row)
  Object.assign(seen, { done: 0, refusal: '' })
  const reply = await sendRequest(request)
  const logged = REFUSALS[seen.refusal]
  const isDone = seen.done > 0 || /the content|"pageToken"|export/.test(reply.body)
  if (reply.body.includes('directory of users')) return 'told why'

  if (operation.variants === STATUSES) {
    if (reply.status !== 200) return `answered with ${reply.status}`
    if (reply.body === '{"error":0}') return isDone ? '200' : 'not done'
    return isDone || reply.body !== '{"error":1}' ? 'not refused' : String(logged)
  }
  const status = String(reply.status)
  if (status < '400') return isDone || request.method === 'HEAD' ? status : 'not done'
  if (isDone) return 'not refused'
  return status === logged || status === '404' ? status : `logged as ${logged}`
}

for (const block of TABLE.split(/\n(?=\S)/).slice(1)) {
  const [heading = '', ...rows] = block.trimEnd().split('\n')

  t.test(`who may do what: ${heading}`, async t => {
    const jump = jumpingTime(t)
    for (const [index, options] of SETTINGS[heading]!.entries()) {
      const site = await start(t, options)
      const unsigned = await start(t, { ...options, signedUrls: false })

      async function cellOf (operation: Operation, row: string): Promise<string> {
        const variants = index === 0 && /^(right|none)$/.test(row) ? operation.variants : operation.variants.slice(0, 1)
        const statuses = new Set<string>()
        for (const variant of variants) {
          jump(60_000) // a minute later, each refusal is logged again
          statuses.add(await statusOf(operation.isUnsigned ? unsigned : site, operation, row, variant))
        }
        return [...statuses].join(' or ')
      }

      for (const line of index === 0 ? rows : rows.slice(0, 5)) {
        const [row = '', ...expected] = line.trim().split(/ {2,}/)
        const cells: string[] = []
        for (const [column, operation] of OPERATIONS.entries()) {
          cells.push(expected[column] === '-' ? '-' : await cellOf(operation, row))
        }
        t.strictSame(cells, expected, `${row} ${JSON.stringify(options)}`)
      }
    }
  })
}

t.test('authorize is asked once, with the request and what it is about', async t => {
  const asked: unknown[] = []
  const site = await start(t, {
    authorize (target, { request }) {
      asked.push([request.headers['x-user'], target])
      return undefined
    }
  })
  const file = await site.storage.create('txt', CONTENT)
  const { fileId } = file
  const page = { fileId, user: ADA, mode: 'edit', permissions: {}, rights: { edit: true, comment: true, download: true, history: true } }
  const targets: Array<object | undefined> = [
    { action: 'download', fileId },
    { action: 'download', fileId, version: 1 },
    { action: 'callback', fileId },
    undefined,
    { action: 'callback', fileId },
    { action: 'callback', fileId },
    { action: 'proxy', fileId, url: site.savedUrl },
    { action: 'report', fileId },
    { action: 'rename', ...page }
  ]
  for (const [column, operation] of OPERATIONS.entries()) {
    if (operation.isUnsigned) continue
    asked.length = 0
    const request = requestOf(operation, { site, issuer: site.own, file, variant: operation.variants[0]! }, 'right')
    await sendRequest({ ...request, headers: { ...request.headers, 'x-user': 'ada' } })
    t.strictSame(asked, targets[column] ? [['ada', targets[column]]] : [], `column ${column + 1}`)
  }
})

/** Whether each page action is allowed, by what the page's token is and what `authorize` returns. */
const OF_PAGES = `
           nothing  true  grant  false  a throw
  right    yes      yes   yes    403    403
  none     401      401   401    401    401
  garbage  403      403   403    403    403
  expired  401      401   yes    403    403
`

t.test('every page action: what authorize returns counts alike', async t => {
  const [columns = [], ...rows] = OF_PAGES.trim().split('\n').map(line => line.trim().split(/ {2,}/))
  const authorizes: Readonly<Record<string, Authorize>> = {
    nothing: () => undefined,
    true: async () => true,
    grant: async () => 'grant' as const,
    false: async () => false,
    'a throw': () => { throw new Error('no directory of users') }
  }
  let now = Date.now()
  let authorize = authorizes.nothing!
  const list = () => []
  const none = () => {}
  const host = await startPageHost(t, {
    clock: { now: () => now },
    versions: {},
    authorize: (...asked) => authorize(...asked),
    actions: {
      rename: none,
      saveAs: true,
      images: list,
      documents: list,
      spreadsheets: list,
      reference: () => null,
      users: list,
      notify: none,
      sharing: list,
      favorite: none,
      create: () => ({ url: '/new' }),
      templates: list
    }
  })
  const expired = await host.tokenOf()
  now += 2 * 3_600_000
  const credentials: Readonly<Record<string, string | undefined>> = {
    right: await host.tokenOf(),
    none: undefined,
    garbage: 'garbage',
    expired
  }
  for (const { name } of allActions) {
    for (const [credential = '', ...expected] of rows) {
      const cells: string[] = []
      for (const column of columns) {
        authorize = authorizes[column]!
        // Without fields most actions refuse the request, but only after it was authorized.
        const { status } = await host.ask(name, {}, { token: credentials[credential] })
        cells.push(status === 401 || status === 403 ? String(status) : 'yes')
      }
      t.strictSame(cells, expected, `${name}, ${credential}`)
    }
  }
})

t.test('authorize that rejects, does not end or returns anything else denies', async t => {
  holdTimers(t, 100).pass()
  const others = ['yes', 'Grant', ['grant'], 1, 0, null, {}].map(other => () => other as never)
  let authorize: Authorize
  const site = await start(t, { authorize: (...asked) => authorize(...asked), timeouts: { hooks: 100 } })
  for (authorize of [async () => { throw new Error('no directory of users') }, () => new Promise<never>(() => {}), ...others]) {
    for (const [column, operation] of OPERATIONS.slice(0, 9).entries()) {
      if (operation.isUnsigned) continue
      t.equal(await statusOf(site, operation, 'right', operation.variants[0]!), '403', `column ${column + 1}`)
    }
  }
})
