import { isIP } from 'node:net'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/**
 * Refuses whatever is asked of another name than the demo's own. There is no login: a web site whose name is pointed at this
 * machine (DNS rebinding) could else read every document, as if it were its own server.
 * @param {FastifyInstance} app
 * @param {{ host: string, publicBaseUrl: string, allowedHosts: string[] }} options
 */
export function answerToOwnNames (app, { host, publicBaseUrl, allowedHosts }) {
  const invalid = allowedHosts.find(name => nameOf(name) === undefined)
  if (invalid !== undefined) throw new Error(`ALLOWED_HOSTS: ${invalid} is not the name of a host`)
  const own = new Set([...LOOPBACK, host, toUrl(publicBaseUrl)?.host ?? '', ...allowedHosts].map(nameOf))
  own.delete(undefined) // is what a request without a host names
  const isAnyAddress = ['0.0.0.0', '[::]'].includes(nameOf(host) ?? '')

  app.addHook('onRequest', async (request, reply) => {
    const names = hostsOf(request).map(nameOf)
    // An address can't be pointed at another machine, as a name can: where it listens at all of them, each will do.
    if (names.length > 0 && names.every(name => own.has(name) || (isAnyAddress && isAddress(name)))) return
    return await reply
      .code(421)
      .type('text/plain; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('connection', 'close')
      .send(`Misdirected request: this demo does not answer to ${names.map(name => name ?? '(no name)').join(', ') || '(no name)'}. If that is a name of it, add it to ALLOWED_HOSTS.\n`)
  })
}

/**
 * What a request names as its host: every Host header, and the target, where that is a whole URL.
 * @param {FastifyRequest} request
 */
function hostsOf ({ raw: { rawHeaders, url = '' } }) {
  const hosts = rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  return /^[/*]/.test(url) ? hosts : [...hosts, toUrl(url)?.host ?? '']
}

/**
 * The name in a host with or without a port, as URLs spell it; `undefined` when there is none.
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
