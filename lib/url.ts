/**
 * The URL a text holds, or means in the place of `base`; `undefined` when it is none. `URL.canParse` is not asked: on Node.js
 * 20 and 22 it says no to a host with a letter such as ü once it has been called some thousand times. Node.js 20 has no
 * `URL.parse`.
 */
export function toUrl (text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** The origin a text names: an http(s) URL with nothing but scheme, host and port. A host counts in any spelling. */
export function toOrigin (text: string): string | undefined {
  const url = toUrl(text)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !/[?#*]/.test(text)
  return isOrigin ? url.origin : undefined
}
