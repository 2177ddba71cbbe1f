import type { Settings } from '../options.js'

/** The URL of a service of the document server, as this application reaches it: the virtual path exists only at the public origin. */
export function serviceUrl ({ publicUrl, internalOrigin }: Settings['documentServer'], path: string): URL {
  if (internalOrigin !== null) return new URL(path, internalOrigin)
  const url = new URL(publicUrl)
  url.pathname = `${publicUrl.pathname.replace(/\/$/, '')}${path}`
  return url
}
