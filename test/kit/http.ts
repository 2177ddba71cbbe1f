// Servers and requests of a test: `startUpstream` stands where another server would be, `startReverseProxy` in front
// of one, `exchange` sends bytes that no HTTP library would send.
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Certificate } from './network.js'

export interface Listener {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly origin: string
}

/** Listens on a port of the system's choice until the test ends, then ends every connection. */
export async function listen (t: Test, server: Server, host = '127.0.0.1'): Promise<Listener> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  t.teardown(() => new Promise<void>(resolve => {
    for (const socket of sockets) socket.destroy()
    server.close(() => resolve())
  }))
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

/**
 * A port of this machine on which nothing listens at the moment. The system gives none of these to whoever wants any
 * port, such as another test, before it is used.
 */
export async function freePort (): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = net.createServer().listen(port, '127.0.0.1')
    if (!await once(server, 'listening').then(() => true, () => false)) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

export interface Upstream extends Listener {
  /** Path and query of every request it got. */
  readonly requests: string[]
  /** How often somebody connected, whether or not a request came. */
  connections (): number
}

/**
 * A server standing where the document server, a proxied site or something inside would be. Bytes are sent as they
 * stand to whoever has sent something, then the connection is closed: for answers no HTTP library would send.
 */
export async function startUpstream (t: Test, answer: http.RequestListener | string | Uint8Array): Promise<Upstream> {
  const requests: string[] = []
  let connections = 0
  const server = typeof answer === 'function'
    ? http.createServer((request, response) => {
      request.url = pathOfSaved(request.url ?? '')
      requests.push(request.url)
      answer(request, response)
    })
    : net.createServer(socket => { socket.once('data', () => socket.end(answer)) })
  server.on('connection', () => { connections++ })
  return { ...await listen(t, server), requests, connections: () => connections }
}

/** The URL of a saved file as the document server writes it. `number` tells the saves of a key apart. */
export function savedAt (origin: string, key: string, number = 1, { name = 'output.docx', shardkey = '' } = {}): string {
  return `${origin}/cache/files/data/${key}_${number}/${name}/${name}?md5=m-d-5&expires=1${shardkey && `&shardkey=${shardkey}`}&filename=${name}`
}

interface CallbackFields {
  readonly key?: unknown
  readonly url?: unknown
  readonly changesurl?: unknown
  readonly formsdataurl?: unknown
}

const NAMES = { url: 'output.docx', changesurl: 'changes.zip', formsdataurl: 'formsdata.json' } as const
/** Before the path in `shardkey`. */
const MARK = 'path%3A'

/**
 * A test may name saved files by any path at its document server, such as `/slow`. This puts such URLs of a callback
 * into the form in which the document server writes them; `startUpstream` gets the path back. Other URLs stay.
 */
export function asDocumentServer<Fields extends CallbackFields> (fields: Fields, origins: readonly string[]): Fields {
  const { url } = fields
  if (typeof url !== 'string' || origins.length === 0) return fields
  const key = typeof fields.key === 'string' && fields.key !== '' ? fields.key : 'no-key'
  const written = (n: string) => new RegExp(`/data/${key.replace(/\W/g, '\\$&')}_(${n})/([\\w.]+)/\\2\\?md5=[^&]*&expires=\\d+(&shardkey=[^&]*)?&filename=\\2$`)
  const number = written('\\d+').exec(url)?.[1] ?? String(createHash('sha256').update(url.split('?', 1)[0]!.replace(/^\w+:\/\/[^/]*/, '')).digest().readUInt16BE() % 10_001)
  const changed: Record<string, string> = {}
  for (const [field, name] of Object.entries(NAMES)) {
    const text = fields[field as keyof typeof NAMES]
    const origin = origins.find(one => typeof text === 'string' && text.startsWith(`${one}/`))
    if (origin === undefined || written(number).test(text as string)) continue
    const path = (text as string).slice(origin.length)
    changed[field] = savedAt(origin, key, Number(number), { name, shardkey: `${MARK}${encodeURIComponent(path)}` })
  }
  return { ...fields, ...changed }
}

/** The path that a test gave a saved file. */
export function pathOfSaved (url: string): string {
  const [, path] = new RegExp(`[?&]shardkey=${MARK}([^&]*)`).exec(url) ?? []
  return path === undefined ? url : decodeURIComponent(path)
}

export function answerWith (body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): http.RequestListener {
  return (_request, response) => response.writeHead(status, headers).end(body)
}

export interface Reply {
  readonly status: number | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** Sends a request with the headers as they stand: `fetch` merges some, adds some and lets nobody set others. */
export async function send (url: string | URL, { body, ...options }: http.RequestOptions & { readonly body?: string } = {}): Promise<Reply> {
  const request = http.request(url, options).end(body)
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Sends bytes as they stand and resolves to all that comes back, as Latin-1 text. */
export async function exchange (t: Test, origin: string, request: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.write(request, 'latin1')
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** A GET with `Connection: close`, its target as it stands. */
export function exchangeGet (t: Test, origin: string, target: string, headers: Record<string, string> = {}): Promise<string> {
  const lines = Object.entries({ Host: new URL(origin).host, Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return exchange(t, origin, `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

export interface ReverseProxyOptions {
  /** Serves https with this certificate. */
  readonly certificate?: Certificate
  /** Changes the headers of a request. Default: those of a proxy that is set up well. */
  readonly headers?: (headers: http.IncomingHttpHeaders, proxy: ProxyFacts) => http.OutgoingHttpHeaders
  /** Changes path and query. */
  readonly rewrite?: (url: string) => string
  /** Answers instead of the application. Returns whether it has. */
  readonly answer?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean
  /** A larger body is answered with 413 as soon as it is too large. */
  readonly maxBody?: number
}

interface ProxyFacts {
  readonly scheme: 'http' | 'https'
  readonly targetHost: string
}

export interface ReverseProxy {
  readonly origin: string
  readonly port: number
  /** Where requests go from now on. */
  forwardTo (origin: string): void
}

/** A proxy on loopback that a test sets up well or badly. */
export async function startReverseProxy (
  t: Test,
  { certificate, headers = forwarded, rewrite = url => url, answer = () => false, maxBody = Infinity }:
  ReverseProxyOptions = {}
): Promise<ReverseProxy> {
  const scheme = certificate ? 'https' : 'http'
  let target: URL | undefined

  function forward (request: http.IncomingMessage, response: http.ServerResponse): void {
    if (answer(request, response)) return
    if (!target) throw new Error('forwardTo() comes first')
    if (Number(request.headers['content-length']) > maxBody) {
      response.writeHead(413, { 'content-type': 'text/html', connection: 'close' }).end('<html><h1>413 Request Entity Too Large</h1></html>')
      request.resume()
      return
    }
    const upstream = http.request(new URL(rewrite(request.url!), target), {
      method: request.method,
      headers: headers(request.headers, { scheme, targetHost: target.host })
    }, answered => {
      response.writeHead(answered.statusCode!, answered.headers)
      answered.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  }

  const server = certificate ? https.createServer({ cert: certificate.cert, key: certificate.key }, forward) : http.createServer(forward)
  const { port } = await listen(t, server)
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    forwardTo (origin) { target = new URL(origin) }
  }
}

export function forwarded (headers: http.IncomingHttpHeaders, { scheme, targetHost }: ProxyFacts): http.OutgoingHttpHeaders {
  return { ...headers, host: targetHost, 'x-forwarded-host': headers.host, 'x-forwarded-proto': scheme }
}

/** Whether a request is one of the emulated document server, not of this application. */
export function isFromDocumentServer ({ headers }: http.IncomingMessage): boolean {
  return headers['user-agent'] === 'Node.js/6.13'
}
