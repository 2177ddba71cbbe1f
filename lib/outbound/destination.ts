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
    // The proxy is for files. The document server's internal address has more to say than its public one: its own web server
    // opens its settings to those who ask from the same machine.
    const isOpenPath = purpose !== 'proxy' || isResultPath(url.pathname)
    const isNamed = purpose === 'proxy' ? (isOpenPath && documentServer.publicOrigins.has(url.origin)) || isAllowed(url) : documentServer.origins.has(url.origin)
    const { anyOrigin } = purpose === 'proxy' ? proxy : documentServer
    const publicOnly = !isNamed && !allowPrivateAddresses
    if (!isNamed && !anyOrigin) throw new AddressBlockedError(purpose === 'proxy' ? notProxied(url) : foreign(url))
    if (publicOnly && !mayBePublic(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
    const isInside = isOpenPath && !publicOnly && documentServer.origins.has(url.origin)
    return { url: isInside ? asReachedInside(url) : url, publicOnly }
  }

  function isAllowed ({ origin, pathname }: URL): boolean {
    return proxy.allowed.some(allowed => allowed.origin === origin && (allowed.path === undefined || isBelow(pathname, allowed.path)))
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
