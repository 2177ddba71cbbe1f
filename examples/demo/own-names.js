import { isIP } from 'node:net'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/**
 * Refuses requests for hosts other than the demo's own. There is no login: otherwise a web site whose host name is
 * pointed at this machine (DNS rebinding) could read every document, because the browser takes the demo for the web
 * site's server.
 * @param {FastifyInstance} app
 * @param {{ host: string, publicBaseUrl: string, allowedHosts: string[] }} options
 */
export function answerToOwnNames (app, { host, publicBaseUrl, allowedHosts }) {
  const invalid = allowedHosts.find(name => nameOf(name) === undefined)
  if (invalid !== undefined) throw new Error(`ALLOWED_HOSTS: ${invalid} is not a host name`)
  const own = new Set([...LOOPBACK, host, toUrl(publicBaseUrl)?.host ?? '', ...allowedHosts].map(nameOf))
  own.delete(undefined) // what nameOf() returns for a request without a host
  const isAnyAddress = ['0.0.0.0', '[::]'].includes(nameOf(host) ?? '')

  app.addHook('onRequest', async (request, reply) => {
    const names = hostsOf(request).map(nameOf)
    // Only host names can be pointed at other machines, not IP addresses: when listening on all of them, any is fine.
    if (names.length > 0 && names.every(name => own.has(name) || (isAnyAddress && isAddress(name)))) return
    return await reply
      .code(421)
      .type('text/plain; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('connection', 'close')
      .send(`Misdirected request: this demo does not answer to ${names.map(name => name ?? '(no name)').join(', ') || '(no name)'}. If this is one of its names, add it to ALLOWED_HOSTS.\n`)
  })
}

/**
 * All hosts that a request names: in Host headers, and in the request target if that is an absolute URL.
 * @param {FastifyRequest} request
 */
function hostsOf ({ raw: { rawHeaders, url = '' } }) {
  const hosts = rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  return /^[/*]/.test(url) ? hosts : [...hosts, toUrl(url)?.host ?? '']
}

/**
 * The host name without the port, normalized as in URLs; `undefined` if it is invalid.
 * @param {string} host
 */
function nameOf (host) {
  const url = toUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  return url?.href === `http://${url?.host}/` && !host.includes('*') ? url.hostname.replace(/\.$/, '') : undefined
}

/** @param {string | undefined} name */
function isAddress (name) {
  return name !== undefined && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** @param {string} text */
function toUrl (text) {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
