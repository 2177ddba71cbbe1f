import type { HttpPurpose } from '../../types/http.js'
import { AddressBlockedError } from '../errors.js'
import type { Settings } from '../options.js'
import { mayBePublic } from '../security/address-policy.js'
import { isBelow, isResultPath } from '../security/result-path.js'

export interface Destination {
  /** What to connect to. */
  readonly url: URL
  /** Whether a connection to an address that is not public has to be refused. */
  readonly publicOnly: boolean
}

/**
 * Where a request for a purpose goes, or `AddressBlockedError`. What an option names may have any address, because whoever
 * runs the service chose it; what can be asked for only because every origin is allowed must be public.
 */
export function destinationRules ({ documentServer, proxy, allowPrivateAddresses }: Settings): (purpose: HttpPurpose, url: URL) => Destination {
  return function destination (purpose, url) {
    const isNamed = purpose === 'proxy' ? mayBeProxied(url) : documentServer.origins.has(url.origin)
    const { anyOrigin } = purpose === 'proxy' ? proxy : documentServer
    const publicOnly = !isNamed && !allowPrivateAddresses
    if (!isNamed && !anyOrigin) throw new AddressBlockedError(purpose === 'proxy' ? notProxied(url) : foreign(url))
    if (publicOnly && !mayBePublic(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
    // What only an open list lets through must not reach the inside by the way that is meant for the document server's files.
    return { url: isReachedInside(purpose, url) && !publicOnly ? asReachedInside(url) : url, publicOnly }
  }

  /**
   * The internal address has more to say than the public one: the document server's own web server opens its settings to
   * those who ask from the same machine.
   */
  function mayBeProxied ({ origin, pathname }: URL): boolean {
    return (documentServer.publicOrigins.has(origin) && isResultPath(pathname)) ||
      proxy.allowed.some(allowed => allowed.origin === origin && (allowed.path === undefined || isBelow(pathname, allowed.path)))
  }

  function isReachedInside (purpose: HttpPurpose, { origin, pathname }: URL): boolean {
    return documentServer.origins.has(origin) && (purpose !== 'proxy' || isResultPath(pathname))
  }

  function notProxied ({ origin }: URL): string {
    return documentServer.publicOrigins.has(origin)
      ? `of ${origin} is not that of a result file, and proxy.allow does not name it`
      : `${origin} is not allowed`
  }

  /** The document server makes its URLs from what the editing browser's connection says, as its proxy passes that on. */
  function foreign ({ origin, host }: URL): string {
    const own = [...documentServer.origins]
    const header = own.some(one => new URL(one).host === host) ? 'X-Forwarded-Proto' : 'X-Forwarded-Host'
    return `${origin} is not an origin of the document server (${own.join(', ')}): add it to documentServer.origins, or set ${header} at its proxy`
  }

  function asReachedInside (url: URL): URL {
    if (documentServer.internalOrigin === null) return url
    const internal = new URL(documentServer.internalOrigin)
    internal.pathname = url.pathname // not resolved as a reference: `//host/path` would name another host
    internal.search = url.search
    return internal
  }
}
