import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { fileStorage, undiciClient } from '../../../lib/index.js'
import { type HandlerUrls, handlerUrls } from '../../../lib/security/signatures.js'
import { SECRET } from '../../kit/document-server.js'
import { HANDLER, type Host, signed, startHost } from '../../kit/host.js'
import { answerWith, startUpstream, type Upstream } from '../../kit/http.js'
import { noWayOut } from '../../kit/network.js'
import { packageOf } from '../../kit/packages.js'
import { CANARY, contentOf, createDirectory, DOCUMENTS, type FuzzedDirectory } from './directory.js'

const BODY_LIMIT = 64 * 1024

export interface RawRequest {
  readonly method?: string
  readonly target: string
  /** Whole header lines. */
  readonly headers?: readonly string[]
  readonly body?: Uint8Array
}

export interface Seen {
  readonly answer: RawAnswer
  /** fileIds of the documents whose files changed. */
  readonly changed: readonly string[]
  /** What was in the file of the document `plain` then. */
  readonly plain: string | undefined
  /** Requests that the document server got. */
  readonly requests: readonly string[]
}

export interface ServiceOptions {
  /** What the proxy may fetch of the document server. */
  readonly reach?: 'any path' | 'result files'
  readonly signedUrls?: boolean
}

export interface Service {
  readonly signedUrls: boolean
  readonly host: Host
  readonly upstream: Upstream
  readonly directory: FuzzedDirectory
  /** Signed URLs that have expired. */
  readonly expiredUrls: HandlerUrls
  /** A header line: what a page without document sends with what it asks of the proxy. */
  readonly proxyToken: string
  /** Fills in what a generated text leaves open: such as `{{ds}}`, `{{inside}}`, `{{self}}`: hosts with their ports. */
  fill (text: string): string
  /** The document key of a stored file, or one that a file of this name could have. */
  keyOf (fileId: string): Promise<string>
  /** Sends a request and looks at all that must hold whatever was sent; then everything is as before. */
  send (request: RawRequest): Promise<Seen>
}

/**
 * A service that is sent anything: on file storage, with a document server, and with a server it must not be led to.
 */
export async function startService (
  t: Test,
  { reach = 'any path', signedUrls = true }: ServiceOptions = {}
): Promise<Service> {
  const begun = noWayOut(t)
  const directory = createDirectory(t.testdir())
  const upstream = await startFuzzedUpstream(t)
  const inside = await startUpstream(t, answerWith('inside'))
  const httpClient = undiciClient({
    timeouts: { connect: 2000, headers: 2000, idle: 2000 },
    // no query leaves
    lookup: (name, _options, callback) => callback(Object.assign(new Error(`no such name: ${name}`), { code: 'ENOTFOUND' }), [])
  })
  t.teardown(() => httpClient.close?.())
  const host = await startHost(t, {
    signedUrls,
    httpClient,
    documentServerOrigin: upstream.origin,
    storage: fileStorage({ directory: directory.uploads }),
    saveRetries: 0,
    bodyLimit: BODY_LIMIT,
    ...(reach === 'any path' && { proxy: { allow: [upstream.origin] } })
  })
  const own = new URL(host.origin).host
  const hosts = {
    ds: new URL(upstream.origin).host,
    dsPort: String(upstream.port),
    insidePort: String(inside.port),
    inside: new URL(inside.origin).host,
    self: own,
    origin: host.origin,
    root: directory.root,
    handler: HANDLER
  }
  const plainFile = join(directory.uploads, `plain.${DOCUMENTS.plain}`)
  const prototypes = snapshotOfPrototypes()

  async function send ({ method = 'GET', target, headers = [], body }: RawRequest): Promise<Seen> {
    begun.length = upstream.requests.length = 0
    const lines = [`${method} ${target} HTTP/1.1`, `Host: ${own}`, 'Connection: close', ...headers, ...(body ? [`Content-Length: ${body.length}`] : [])]
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)])
    const answer = await exchange(host.origin, request, { method })
    const plain = existsSync(plainFile) ? readFileSync(plainFile, 'utf8') : undefined
    const paths = directory.changes() // the service keeps records of each version: the next input finds none
    const faults = [
      ...(answer.isCut && !isOfUpstream(answer) ? ['the answer is cut off'] : []),
      ...(answer.status < 500 || isOfUpstream(answer) || answer.status === 502 || answer.status === 504 ? [] : [`status ${answer.status}`]),
      ...(answer.body.includes(CANARY) ? ['a file was read that nobody may read'] : []),
      ...(inside.connections() > 0 ? ['somebody connected inside'] : []),
      ...begun.filter(address => address !== hosts.ds && address !== own).map(address => `a connection to ${address}`),
      ...pollution(prototypes),
      ...paths.filter(path => fileIdOf(path) === undefined && !isNextTo(path, paths)).map(path => `${path} changed`)
    ]
    if (faults.length > 0) throw new Error(faults.join('; '))
    return { answer, changed: paths.map(fileIdOf).filter(fileId => fileId !== undefined), plain, requests: [...upstream.requests] }
  }

  return {
    signedUrls,
    host,
    upstream,
    directory,
    expiredUrls: handlerUrls({ publicBaseUrl: () => host.origin, path: HANDLER, secrets: [SECRET], signedUrls, downloadUrlLifetime: -100_000 }),
    proxyToken: `X-Editor-Proxy-Token: ${host.urls.proxyToken('')}`,
    fill: text => text.replace(/\{\{(\w+)\}\}/g, (whole, name) => (hosts as Record<string, string>)[name] ?? whole),
    async keyOf (fileId) {
      const info = await host.storage.stat(fileId)
      return host.keys.of(info ?? { fileId, revision: 'none' })
    },
    send
  }
}

/** After all that: a good save is stored, and a good download served. */
export async function stillWorks (t: Test, { host, upstream, keyOf }: Service): Promise<void> {
  const fields = { key: await keyOf('plain'), status: 2, url: `${upstream.origin}/ok/still`, users: ['a'] }
  const answer = await host.postSignedCallback('plain', fields)
  t.equal(answer.body, '{"error":0}', 'a good save is accepted')
  t.equal(await host.storedText('plain'), SAVED, 'and stored')
  const download = await host.downloadAsDocumentServer('😀')
  t.equal(await download.text(), contentOf('😀'), 'a good download is served')
}

/** Exactly one of the two possible answers to a callback. */
export function errorOf ({ answer }: Seen): 0 | 1 {
  const { status, text } = answer
  if (status !== 200 || answer.header('content-type') !== 'application/json' || !/^\{"error":[01]\}$/.test(text)) {
    throw new Error(`a callback is answered ${status} ${text.slice(0, 200)}`)
  }
  return text === '{"error":0}' ? 0 : 1
}

/** The answer to what is no HTTP, before any route: it has none of the plugin's own headers. */
export function isNoHttp ({ status, header }: RawAnswer): boolean {
  return (status === 400 || status === 431) && header('content-type') === 'application/json' && header('x-content-type-options') === undefined
}

export function isOfUpstream (answer: RawAnswer): boolean {
  return answer.header('content-type')?.startsWith(TYPE) === true
}

export function assertThat (condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

/** A callback with the document server's two tokens. */
export function callbackOf (target: string, fields: object): RawRequest {
  const body = { ...fields, token: signed(fields) }
  return { method: 'POST', target, headers: ['Content-Type: application/json'], body: Buffer.from(JSON.stringify(body)) }
}

function fileIdOf (path: string): string | undefined {
  return Object.keys(DOCUMENTS).find(fileId => path === `uploads/${fileId}.${DOCUMENTS[fileId]}`)
}

/** A save in another format moves the document. */
function isNextTo (path: string, changed: readonly string[]): boolean {
  return changed.some(other =>
    fileIdOf(other) !== undefined && /^\.[0-9a-z]{1,16}$/.test(path.slice(`uploads/${fileIdOf(other)}`.length)) &&
    path.startsWith(`uploads/${fileIdOf(other)}.`)
  )
}

const PROTOTYPES = { Object: Object.prototype, Array: Array.prototype, Function: Function.prototype, String: String.prototype }

function snapshotOfPrototypes (): Record<string, Set<PropertyKey>> {
  return Object.fromEntries(Object.entries(PROTOTYPES).map(([name, prototype]) => [name, new Set(Reflect.ownKeys(prototype))]))
}

/** Takes the pollution away, so that the next input is tried on clean prototypes. */
function pollution (before: Record<string, Set<PropertyKey>>): string[] {
  return Object.entries(PROTOTYPES).flatMap(([name, prototype]) => Reflect.ownKeys(prototype).filter(key => !before[name]!.has(key)).map(key => {
    Reflect.deleteProperty(prototype, key)
    return `${name}.prototype has ${String(key)}`
  }))
}

export interface RawAnswer {
  readonly status: number
  header (name: string): string | undefined
  readonly body: Buffer
  readonly text: string
  /** The connection ended before the body did. */
  readonly isCut: boolean
}

interface Head {
  readonly status: number
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly end: number
}

const PATIENCE_MS = 10_000

/**
 * Sends bytes as they stand and resolves to the answer; rejects when there is none. Ends the connection then, whether
 * or not the other side would keep it.
 */
function exchange (origin: string, request: Uint8Array, { method = 'GET' } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = net.connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    const timer = setTimeout(
      () =>
        end(
          new Error(
            `no whole answer within ${PATIENCE_MS} ms, but ${JSON.stringify(received.toString('latin1').slice(0, 200))}`
          )
        ),
      PATIENCE_MS
    )
    const end = (outcome: Error | RawAnswer): void => {
      clearTimeout(timer)
      socket.destroy()
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    const tryToRead = (isOver: boolean): void => {
      const answer = read(received, method, isOver)
      if (answer) end(answer)
      else if (isOver) end(new Error(`the connection ended after ${JSON.stringify(received.toString('latin1').slice(0, 200))}`))
    }
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      tryToRead(false)
    })
    socket.on('error', () => {}) // what came before it may still be a whole answer
    socket.on('close', () => tryToRead(true))
    socket.write(request)
  })
}

function read (bytes: Buffer, method: string, isOver: boolean): RawAnswer | undefined {
  const head = readHead(bytes)
  if (!head) return undefined
  const { status, fields, end } = head
  if (status < 200) return read(bytes.subarray(end), method, isOver)
  const header = (name: string) => fields.find(([field]) => field === name)?.[1]
  const body = bodyOf(bytes.subarray(end), { header, isOver, none: method === 'HEAD' || status === 204 || status === 304 })
  if (!body && !isOver) return undefined
  return { status, header, body: body ?? Buffer.alloc(0), text: body?.toString('utf8') ?? '', isCut: !body }
}

function readHead (bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]
  if (!status) throw new Error(`no status line but ${JSON.stringify(first)}`)
  return {
    status: Number(status),
    fields: lines.map(
      line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]
    ),
    end: end + 4
  }
}

function bodyOf (rest: Buffer, { header, isOver, none }: { header (name: string): string | undefined, isOver: boolean, none: boolean }): Buffer | undefined {
  if (none) return Buffer.alloc(0)
  if (header('transfer-encoding') === 'chunked') return unchunked(rest)
  const length = header('content-length')
  if (length === undefined) return isOver ? rest : undefined
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined
}

function unchunked (bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (bytes.length < line + 4 + size) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 4 + size
  }
}

/** A package, as every format is that documents are saved in. */
export const SAVED = packageOf('what the document server saved')

/** Of the answers of the upstream, and of nothing the service says itself. */
const TYPE = 'text/x-upstream'

/** The document server, and a site the proxy may fetch. What it answers is in the path. */
async function startFuzzedUpstream (t: Test): Promise<Upstream> {
  const gzipped = gzipSync(SAVED)
  return startUpstream(t, ({ url = '' }, response) => {
    answer(url, response)
  })

  function answer (url: string, response: ServerResponse): unknown {
    const [, kind, detail = ''] = url.replace(/^\/cache\/files(?=\/)/, '').split(/[/?#]/)
    const headers = { 'content-type': TYPE }
    if (kind === 'status') return response.writeHead(Math.min(Math.max(Number(detail) || 200, 200), 599), headers).end('upstream')
    if (kind === 'redirect') return response.writeHead(302, { location: decodeURIComponent(url.slice(url.indexOf('?to=') + 4)) }).end()
    if (kind === 'cut') return response.writeHead(200, { ...headers, 'content-length': '99' }).write('cut', () => response.destroy())
    if (kind === 'gzip') return response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipped)
    if (kind === 'empty') return response.writeHead(200, headers).end()
    if (kind === 'html') return response.writeHead(200, headers).end('<!doctype html><p>an error page')
    return response.writeHead(200, headers).end(SAVED)
  }
}
