import { InvalidUrlError, UnsupportedSchemeError } from '../errors.js'

/**
 * The absolute http(s) URL a text holds, or means in the place of `base`. Only the parsed URL is used from there on,
 * without credentials and fragment.
 * Throws `InvalidUrlError`, and for another scheme `UnsupportedSchemeError`; neither repeats the text.
 */
export function parseHttpUrl (text: string | null | undefined, base?: URL): URL {
  if (typeof text !== 'string' || text.trim() === '' || !URL.canParse(text, base?.href)) throw new InvalidUrlError()
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UnsupportedSchemeError()
  url.username = url.password = url.hash = ''
  return url
}
