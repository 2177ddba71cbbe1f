import type { Test } from 'tap'
import { fileStorage, type Profile, undiciClient } from '../../../lib/index.js'
import { type HandlerUrls, handlerUrls } from '../../../lib/security/handler-urls.js'
import { HANDLER, type Host, SECRET, signed, startHost } from '../../kit/host.js'
import { startInside } from '../../helpers/inside.js'
import { type Upstream } from '../../kit/http.js'
import { noWayOut } from '../../helpers/no-way-out.js'
import { CANARY, contentOf, createDirectory, DOCUMENTS, type FuzzedDirectory } from './directory.js'
import { exchange, type RawAnswer } from './exchange.js'
import { SAVED, startFuzzedUpstream, TYPE } from './upstream.js'

export const profiles = ['secure', 'classic'] as const

export const BODY_LIMIT = 64 * 1024

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
  /** Requests that the document server got. */
  readonly requests: readonly string[]
}

export interface ServiceOptions {
  /** What the proxy may fetch of the document server, in `secure`. */
  readonly reach?: 'any path' | 'result files'
  readonly signedUrls?: boolean
}

export interface Service {
  readonly profile: Profile
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
  profile: Profile,
  { reach = 'any path', signedUrls = profile === 'secure' }: ServiceOptions = {}
): Promise<Service> {
  const begun = noWayOut(t)
  const directory = createDirectory(t.testdir())
  const upstream = await startFuzzedUpstream(t)
  const inside = await startInside(t)
  const httpClient = undiciClient({
    timeouts: { connect: 2000, headers: 2000, idle: 2000 },
    // no query leaves
    lookup: (name, _options, callback) => callback(Object.assign(new Error(`no such name: ${name}`), { code: 'ENOTFOUND' }), [])
  })
  t.teardown(() => httpClient.close?.())
  const host = await startHost(t, {
    profile,
    signedUrls,
    httpClient,
    documentServerOrigin: upstream.origin,
    storage: fileStorage({ directory: directory.uploads }),
    saveRetries: 0,
    bodyLimit: BODY_LIMIT,
    ...(profile === 'secure' && reach === 'any path' && { proxy: { allow: [upstream.origin] } })
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
  const prototypes = snapshotOfPrototypes()

  async function send ({ method = 'GET', target, headers = [], body }: RawRequest): Promise<Seen> {
    begun.length = upstream.requests.length = 0
    const lines = [`${method} ${target} HTTP/1.1`, `Host: ${own}`, 'Connection: close', ...headers, ...(body ? [`Content-Length: ${body.length}`] : [])]
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)])
    const answer = await exchange(host.origin, request, { method })
    const paths = directory.changes() // the service keeps records of each version: the next input finds none
    const faults = [
      ...(answer.isCut && !isOfUpstream(answer) ? ['the answer is cut off'] : []),
      ...(answer.status < 500 || isOfUpstream(answer) || answer.status === 502 || answer.status === 504 ? [] : [`status ${answer.status}`]),
      ...(answer.body.includes(CANARY) ? ['a file was read that nobody may read'] : []),
      ...(profile === 'secure' && inside.connections() > 0 ? ['somebody connected inside'] : []),
      ...(profile === 'secure' ? begun.filter(address => address !== hosts.ds && address !== own).map(address => `a connection to ${address}`) : []),
      ...pollution(prototypes),
      ...paths.filter(path => fileIdOf(path) === undefined && !isNextTo(path, paths)).map(path => `${path} changed`)
    ]
    if (faults.length > 0) throw new Error(faults.join('; '))
    return { answer, changed: paths.map(fileIdOf).filter(fileId => fileId !== undefined), requests: [...upstream.requests] }
  }

  return {
    profile,
    signedUrls,
    host,
    upstream,
    directory,
    expiredUrls: handlerUrls({ publicBaseUrl: host.origin, path: HANDLER, secrets: [SECRET], signedUrls, downloadUrlLifetime: -100_000 }),
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
export async function stillWorks (t: Test, { host, upstream, profile, keyOf }: Service): Promise<void> {
  const fields = { key: await keyOf('plain'), status: 2, url: `${upstream.origin}/ok/still`, users: ['a'] }
  const answer = profile === 'secure' ? await host.postSignedCallback('plain', fields) : await host.postCallback('plain', fields)
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

/** A callback with the document server's two tokens where the profile wants them. */
export function callbackOf ({ profile }: Service, target: string, fields: object): RawRequest {
  const body = profile === 'secure' ? { ...fields, token: signed(fields) } : fields
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
