import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { AddressBlockedError, InvalidOptionError } from '../errors.js'
import { isPublicAddress, mayBePublic } from '../security/address-policy.js'
import { toOrigin } from '../url.js'
import { type ConnectionOptions, createConnector, dispatcherWith } from './connections.js'

export interface GuardedDispatcherOptions extends ConnectionOptions {
  /** Origins such as `http://documentserver:80` that may have any address. Scheme, host and port must be the same. Default: none. */
  readonly allow?: readonly string[]
}

/**
 * An undici dispatcher that connects to public addresses only, for requests to URLs that somebody else chose. A literal
 * address is looked at, `localhost` refused, and a name refused when any of the addresses it resolves to is not public. The
 * connection goes to exactly the addresses that were looked at: there is no second look-up that could answer otherwise.
 * The rule holds for every connection, so also for the target of a redirect.
 *
 * A request it refuses rejects with `AddressBlockedError` (`FST_EDITOR_ADDRESS_BLOCKED`), which names what was asked for and
 * not what it resolved to; `fetch` has it as the `cause` of its `TypeError`. Throws `InvalidOptionError` when `allow` has
 * anything but http(s) origins. It is the host's to close.
 *
 * ```js
 * import { guardedDispatcher, undiciClient } from 'fastify-onlyoffice'
 * import { fetch } from 'undici'
 *
 * const dispatcher = guardedDispatcher({ allow: ['http://documentserver'] })
 * app.addHook('onClose', () => dispatcher.close())
 *
 * const response = await fetch(urlOfAUser, { dispatcher })
 * await app.register(editor, { ...options, httpClient: undiciClient({ dispatcher }) })
 * ```
 */
export function guardedDispatcher ({ allow = [], ...connections }: GuardedDispatcherOptions = {}): Dispatcher {
  const allowed = new Set(allow.map(allowedOrigin))
  const connectAnywhere = createConnector(connections)
  const connectChecked = createConnector({ ...connections, lookup: publicOnly(connections.lookup ?? dns.lookup) })

  const connect: buildConnector.connector = (target, callback) => {
    const { protocol, hostname, host = hostname } = target
    const { origin } = new URL(`${protocol}//${host}`)
    if (allowed.has(origin)) return connectAnywhere(target, callback)
    if (!mayBePublic(hostname)) return callback(new AddressBlockedError(`${origin} is not allowed`), null)
    connectChecked(target, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new AddressBlockedError(`${origin} is not allowed`), null)
    })
  }
  return dispatcherWith(connect, connections)
}

/** A look-up that fails unless every address is public, and answers with those very addresses. */
function publicOnly (lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, [])
      const found = typeof answer === 'string' ? [answer] : answer.map(({ address }) => address)
      const addresses = found.map(address => ({ address, family: isIP(address) }))
      const [first] = addresses
      if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
      if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(new AddressBlockedError(`${hostname} is not allowed`), [])
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function allowedOrigin (text: string): string {
  const origin = toOrigin(text)
  if (origin === undefined) throw new InvalidOptionError('allow', 'must be a list of http(s) origins such as https://docs.example.com')
  return origin
}
