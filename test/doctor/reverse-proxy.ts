import http from 'node:http'
import https from 'node:https'
import type { Test } from 'tap'
import type { Certificate } from '../kit/network.js'
import { listen } from '../kit/http.js'

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
