import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { AddressBlockedError } from '../errors.js'
import { isPublicIp, mayBePublicHost } from '../security/public-ip.js'
import { parseOrigin } from '../util/url.js'
import { assertOptions, listOf, rule, type Rules, stringThat } from '../util/validate.js'
import { agentWith, type ConnectionOptions, connectionRules, createConnector } from './connections.js'

export interface GuardedDispatcherOptions extends ConnectionOptions {
  /**
   * Origins that may have any IP address, such as `http://documentserver:80`. A request is allowed if its scheme, host
   * and port are those of one of them.
   *
   * @default []
   */
  readonly allow?: readonly string[]
}

const rules: Rules<GuardedDispatcherOptions> = {
  ...connectionRules,
  allow: rule(
    'must be a list of http(s) origins such as https://docs.example.com',
    listOf(stringThat(value => parseOrigin(value) !== undefined))
  )
}

/**
 * Creates an undici dispatcher that connects to public IP addresses only. It protects against server-side request
 * forgery (SSRF) when the application requests URLs that users provide.
 *
 * - It refuses URLs with an IP address that is not public, with `localhost`, and with a host of which any IP address is
 *   not public.
 * - It connects to exactly the IP addresses it has checked. There is no second lookup with a different result (DNS
 *   rebinding).
 * - It checks every connection, and so also the targets of redirects.
 *
 * A refused request rejects with `AddressBlockedError` (`FST_EDITOR_ADDRESS_BLOCKED`), whose message contains the
 * origin or host but not the IP addresses it resolves to; with `fetch` that error is the `cause` of its `TypeError`.
 * The application has to close the dispatcher.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `allow` contains something other than http(s) origins.
 *
 * @example
 * ```js
 * import { guardedDispatcher, undiciClient } from 'fastify-onlyoffice'
 * import { fetch } from 'undici'
 *
 * const dispatcher = guardedDispatcher({ allow: ['http://documentserver'] })
 * app.addHook('onClose', () => dispatcher.close())
 *
 * const response = await fetch(urlFromUser, { dispatcher })
 * await app.register(editor, { ...options, httpClient: undiciClient({ dispatcher }) })
 * ```
 */
export function guardedDispatcher (options: GuardedDispatcherOptions = {}): Dispatcher {
  assertOptions(rules, options)
  const { allow = [], ...connections } = options
  const allowedOrigins = new Set(allow.map(parseOrigin))
  const connectToAny = createConnector(connections)
  const connectToPublic = createConnector({ ...connections, lookup: publicLookup(connections.lookup ?? dns.lookup) })

  const connect: buildConnector.connector = (target, callback) => {
    const { protocol, hostname, host = hostname } = target
    const { origin } = new URL(`${protocol}//${host}`)
    if (allowedOrigins.has(origin)) return connectToAny(target, callback)
    if (!mayBePublicHost(hostname)) return callback(new AddressBlockedError(`${origin} is not allowed`), null)
    connectToPublic(target, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (isPublicIp(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new AddressBlockedError(`${origin} is not allowed`), null)
    })
  }
  return agentWith(connect, connections)
}

/** A lookup that fails unless all IP addresses of the host are public. */
function publicLookup (lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, result) => {
      if (error) return callback(error, [])
      const ips = typeof result === 'string' ? [result] : result.map(({ address }) => address)
      const [first] = ips
      if (!first) return callback(Object.assign(new Error(`${hostname} has no IP address`), { code: 'ENOTFOUND' }), [])
      if (!ips.every(isPublicIp)) return callback(new AddressBlockedError(`${hostname} is not allowed`), [])
      if (options.all) callback(null, ips.map(address => ({ address, family: isIP(address) })))
      else callback(null, first, isIP(first))
    })
  }
}
