import { InvalidUrlError, UnsupportedSchemeError } from '../errors.js'
import { toUrl } from '../url.js'

/**
 * The absolute http(s) URL a text holds, or means in the place of `base`. Only the parsed URL is used from there on,
 * without credentials and fragment.
 * Throws `InvalidUrlError`, and for another scheme `UnsupportedSchemeError`; neither repeats the text.
 */
export function parseHttpUrl (text: string | null | undefined, base?: URL): URL {
  const url = typeof text === 'string' && text.trim() !== '' ? toUrl(text, base) : undefined
  if (!url) throw new InvalidUrlError()
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UnsupportedSchemeError()
  url.username = url.password = url.hash = ''
  return url
}
