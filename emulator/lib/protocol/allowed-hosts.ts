import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toUrl } from '../url.js'
import type { DocumentServerOptions } from '../../types/document-server.js'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']
const UNSPECIFIED: ReadonlyArray<string | undefined> = ['0.0.0.0', '[::]']

/**
 * Answers HTTP 421 to requests for any other host, before anything else looks at them. Otherwise a website whose name
 * resolves to this machine (DNS rebinding) could read everything here as its own server.
 */
export function allowHosts (
  app: FastifyInstance,
  { host = '127.0.0.1', publicUrl, allowedHosts = [] }: DocumentServerOptions
): void {
  const invalid = allowedHosts.find(name => hostnameOf(name) === undefined)
  if (invalid !== undefined) throw new TypeError(`allowedHosts: ${JSON.stringify(invalid)} is not a host name`)
  const allowed = new Set([...LOOPBACK, host, toUrl(publicUrl ?? '')?.host ?? '', ...allowedHosts].map(hostnameOf))
  allowed.delete(undefined) // the host of a request without one
  const listensEverywhere = UNSPECIFIED.includes(hostnameOf(host))
  // An IP address, unlike a name, always means this machine.
  const isAllowed = (name: string | undefined) =>
    allowed.has(name) || (listensEverywhere && name !== undefined && isIP(name.replace(/^\[|\]$/g, '')) !== 0)

  app.addHook('onRequest', async (request, reply) => {
    const names = hostsOf(request.raw).map(hostnameOf)
    if (names.length > 0 && names.every(isAllowed)) return
    const text = `Misdirected request: this document server does not answer to ${names.map(name => name ?? '(no name)').join(', ') || '(no name)'}. ` +
      'If this is one of its names, add it with the option allowedHosts or --allowed-host.\n'
    // Bypasses send(): the faults of a test are meant for allowed requests.
    reply.hijack()
    reply.raw.writeHead(421, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      connection: 'close'
    })
    reply.raw.end(text, () =>
      request.raw.destroy()) // nothing else closes the connection of an upgrade
  })
}

/** Whether the request comes from a page of this server, or not from a page at all. */
export function isOwnPage ({ headers }: FastifyRequest, publicUrl: string): boolean {
  if (headers.origin === undefined) return true
  const page = toUrl(headers.origin)
  if (page === undefined) return false
  const requested = toUrl(`${page.protocol}//${headers.host}`) // with the page's scheme, for the default port
  return page.host === requested?.host || page.host === toUrl(publicUrl)?.host
}

/** The hosts that a request names: every Host header, and the request target if it is a complete URL. */
function hostsOf ({ rawHeaders, url = '' }: IncomingMessage): string[] {
  const hosts = rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host')
  return /^[/*]/.test(url) ? hosts : [...hosts, toUrl(url)?.host ?? '']
}

/** The name in a host with or without a port, normalized as in a URL; `undefined` when invalid. */
function hostnameOf (host: string): string | undefined {
  const url = toUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  return url?.href === `http://${url?.host}/` && !host.includes('*') ? url.hostname.replace(/\.$/, '') : undefined
}
