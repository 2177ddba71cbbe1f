import { serviceUrl } from '../document-server/server-urls.js'
import type { Settings } from '../options.js'

/**
 * The URL of a service of the document server, as this application reaches it: the virtual path exists only at the
 * public origin.
 */
export function reachableServiceUrl ({ publicUrl, internalOrigin }: Settings['documentServer'], path: string): URL {
  return internalOrigin === null ? serviceUrl(publicUrl, path) : new URL(path, internalOrigin)
}
