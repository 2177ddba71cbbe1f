import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toUrl } from './url.js'
import type { DocumentServerOptions } from '../types/document-server.js'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']
const ANY_ADDRESS: ReadonlyArray<string | undefined> = ['0.0.0.0', '[::]']

/**
 * Refuses whatever is asked of a name that is not this server's, before anything else looks at it. A web site whose name is
 * pointed at this machine (DNS rebinding) could else read here as if it were its own server.
 */
export function answerToOwnNames (app: FastifyInstance, { host = '127.0.0.1', publicUrl, allowedHosts = [] }: DocumentServerOptions): void {
  const invalid = allowedHosts.find(name => nameOf(name) === undefined)
  if (invalid !== undefined) throw new TypeError(`allowedHosts: ${JSON.stringify(invalid)} is not the name of a host`)
  const own = new Set([...LOOPBACK, host, toUrl(publicUrl ?? '')?.host ?? '', ...allowedHosts].map(nameOf))
  own.delete(undefined) // is what a request without a host names
  const isAnyAddress = ANY_ADDRESS.includes(nameOf(host))
  // An address can't be pointed at another machine, as a name can.
  const isOwn = (name: string | undefined) => own.has(name) || (isAnyAddress && name !== undefined && isIP(name.replace(/^\[|\]$/g, '')) !== 0)

  app.addHook('onRequest', async (request, reply) => {
    const names = hostsOf(request.raw).map(nameOf)
    if (names.length > 0 && names.every(isOwn)) return
    const text = `Misdirected request: this document server does not answer to ${names.map(name => name ?? '(no name)').join(', ') || '(no name)'}. ` +
      'If that is a name of it, add it to the option allowedHosts, or by --allowed-host.\n'
    // Not by send(): the faults of a test are for requests that are answered.
    reply.hijack()
    reply.raw.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', connection: 'close' })
    reply.raw.end(text, () => request.raw.destroy()) // nobody else ends the connection of an upgrade
  })
}

/** Whether a page of this server asks, or no page at all. */
export function isOwnPage ({ headers }: FastifyRequest, publicUrl: string): boolean {
  if (headers.origin === undefined) return true
  const page = toUrl(headers.origin)
  if (page === undefined) return false
  const asked = toUrl(`${page.protocol}//${headers.host}`) // its scheme, for its default port
  return page.host === asked?.host || page.host === toUrl(publicUrl)?.host
}

/** What a request names as its host: every Host header, and the target, where that is a whole URL. */
function hostsOf ({ rawHeaders, url = '' }: IncomingMessage): string[] {
  const hosts = rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host')
  return /^[/*]/.test(url) ? hosts : [...hosts, toUrl(url)?.host ?? '']
}

/** The name in a host with or without a port, as URLs spell it; `undefined` when there is none. */
function nameOf (host: string): string | undefined {
  const url = toUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  return url?.href === `http://${url?.host}/` && !host.includes('*') ? url.hostname.replace(/\.$/, '') : undefined
}
