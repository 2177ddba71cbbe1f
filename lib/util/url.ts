import { InvalidUrlError, UnsupportedSchemeError } from '../errors.js'

/**
 * Parses a URL, relative to `base` if one is given; `undefined` if the string is not a URL. `URL.canParse` is no
 * alternative: on Node.js 22 it rejects hosts with letters such as ü after some thousand calls.
 */
export function parseUrl (value: string, base?: URL): URL | undefined {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}

/** Maximum DNS name length. A longer name would only fill the log. */
const MAX_HOST_LENGTH = 253

/**
 * Parses an absolute http(s) URL, or one relative to `base`, and removes its credentials and fragment.
 * Throws `InvalidUrlError`, or `UnsupportedSchemeError` for another scheme; neither quotes the value.
 */
export function parseHttpUrl (value: string | null | undefined, base?: URL): URL {
  const url = typeof value === 'string' && value.trim() !== '' ? parseUrl(value, base) : undefined
  if (hasTwoHosts(value ?? '')) {
    throw new InvalidUrlError({ cause: new Error('two proxies in front of the document server set X-Forwarded-Host') })
  }
  if (!url) throw new InvalidUrlError()
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UnsupportedSchemeError()
  if (url.hostname.length > MAX_HOST_LENGTH) throw new InvalidUrlError()
  if (/[@#]/.test(url.href)) url.username = url.password = url.hash = '' // each takes as long as parsing
  return url
}

/** Whether a URL that the document server made from `X-Forwarded-Host` has two hosts, as in `https://a, a/`. */
function hasTwoHosts (url: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}

/** Whether a string is an absolute http(s) URL. */
export function isHttpUrl (value: string): boolean {
  return /^https?:$/.test(parseUrl(value)?.protocol ?? '')
}

/** Whether a string can be the URL of a page of the application: absolute and http(s), or a path. */
export function isPageUrl (value: string): boolean {
  // browsers ignore tabs and line breaks, and take \ for /
  return isHttpUrl(value) || /^\/(?![/\\])[^\t\r\n]*$/.test(value)
}

/** Whether a string can be the URL of an image in a page of the application. */
export function isImageUrl (value: string): boolean {
  return isPageUrl(value) || /^data:image\/[\w.+-]+[;,]/.test(value)
}

/** Parses an http(s) URL that has only scheme, host and port; `undefined` for anything else. */
export function parseOrigin (value: string): string | undefined {
  const url = parseUrl(value)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !/[?#*]/.test(value)
  return isOrigin ? url.origin : undefined
}
