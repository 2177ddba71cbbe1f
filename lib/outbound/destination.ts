import type { HttpPurpose } from '../../types/http.js'
import { AddressBlockedError } from '../errors.js'
import type { Settings } from '../options.js'
import { mayBePublicHost } from '../security/public-ip.js'
import { isBelow, isResultPath } from '../security/result-path.js'

export interface Destination {
  /** The URL to request: that of the request, or the same at the internal origin. */
  readonly url: URL
  /** Whether connections to IP addresses that are not public must be refused. */
  readonly publicOnly: boolean
}

export type DestinationSettings = Pick<Settings, 'documentServer' | 'proxy' | 'allowPrivateAddresses'>

/**
 * Where a request for a purpose goes; throws `AddressBlockedError`. Origins that an option names may have any IP address,
 * because the operator chose them. Origins that are allowed only because `any` is must have a public one.
 */
export function destinationRules ({ documentServer, proxy, allowPrivateAddresses }: DestinationSettings) {
  /** `namedByPage`: the page may have no more fetched than result files of the document server. */
  return function destination (purpose: HttpPurpose, url: URL, namedByPage: boolean): Destination {
    const { origin, pathname } = url
    const isResultFile = isResultPath(pathname)
    const isResult = isResultFile && documentServer.publicOrigins.has(origin)
    if (namedByPage && !isResult) throw new AddressBlockedError('only a result file of the document server may be fetched')
    // At the document server the proxy reads result files only, and a request cannot name the internal origin: the document
    // server's web server shows its settings to requests from the same machine.
    const isPathAllowed = purpose !== 'proxy' || isResultFile
    const isNamed = purpose === 'proxy' ? isResult || isProxyTarget(url) : documentServer.origins.has(origin)
    const { anyOrigin } = purpose === 'proxy' ? proxy : documentServer
    const publicOnly = !isNamed && !allowPrivateAddresses
    if (!isNamed && !anyOrigin) throw new AddressBlockedError(purpose === 'proxy' ? proxyDenial(url) : foreignOrigin(url))
    if (publicOnly && !mayBePublicHost(url.hostname)) throw new AddressBlockedError(`${origin} is not allowed`)
    const isInside = isPathAllowed && !publicOnly && documentServer.origins.has(origin)
    return { url: isInside ? atInternalOrigin(url) : url, publicOnly }
  }

  function isProxyTarget ({ origin, pathname }: URL): boolean {
    return proxy.allowed.some(allowed => allowed.origin === origin && (allowed.path === undefined || isBelow(pathname, allowed.path)))
  }

  function proxyDenial ({ origin }: URL): string {
    return documentServer.publicOrigins.has(origin)
      ? `at ${origin} the proxy reads result files only, and proxy.allow does not name this path`
      : `${origin} is not allowed`
  }

  /** The document server builds its URLs from the headers of the editing browser's connection, as its reverse proxy forwards them. */
  function foreignOrigin ({ origin, host }: URL): string {
    const own = [...documentServer.origins]
    const header = own.some(one => new URL(one).host === host) ? 'X-Forwarded-Proto' : 'X-Forwarded-Host'
    return `${origin} is not an origin of the document server (${own.join(', ')}): add it to documentServer.origins, or set ${header} at its proxy`
  }

  /** The virtual path exists only at the reverse proxy that serves the public origin. */
  function atInternalOrigin (url: URL): URL {
    if (documentServer.internalOrigin === null) return url
    const { origin, pathname } = documentServer.publicUrl
    const virtualPath = pathname === '/' ? '' : pathname
    const internal = new URL(documentServer.internalOrigin)
    // Not resolved as a relative URL: `//host/path` would change the host.
    internal.pathname = url.origin === origin && url.pathname.startsWith(`${virtualPath}/`) ? url.pathname.slice(virtualPath.length) : url.pathname
    internal.search = url.search
    return internal
  }
}
