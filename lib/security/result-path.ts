/** After any version and virtual prefix, with `%5f` for underscores. Source: the `url` of a saved or converted file, at every document server. */
const RESULT_FILE = /^(?:\/(?:[\w.~-]|%5[fF])+)*\/cache\/files\/[^/]/

/** One server takes it for a separator, the next for a part of a name. */
const ENCODED_SEPARATOR = /%(?:2f|5c)/i

/** How often a path may be encoded, beyond the once that is usual. The document server does it twice to a slash in a title. */
const MAX_LAYERS = 3

/** Whether a URL's path is that of a file which the document server made: nothing else of it is a stranger's business. */
export function isResultPath (pathname: string): boolean {
  return RESULT_FILE.test(pathname) && staysInside(pathname)
}

/** Whether a URL's path is the one given or below it. */
export function isBelow (pathname: string, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`
  return (pathname === path || pathname.startsWith(folder)) && staysInside(pathname)
}

/** Whether no server behind us, however often it decodes and whatever it takes for a dot or a slash, reads a path of another folder. */
function staysInside (pathname: string): boolean {
  const text = decoded(pathname)
  // eslint-disable-next-line no-control-regex -- NUL ends a path for some servers, a line break a request
  return text !== undefined && !/[\0-\x1f\x7f]/.test(text) && !text.normalize('NFKC').split(/[/\\]/).some(isDots)
}

/** What is left when nothing can be decoded any more; `undefined` for what no program encodes like that. */
function decoded (pathname: string): string | undefined {
  if (ENCODED_SEPARATOR.test(pathname)) return undefined
  let text: string
  try {
    text = decodeURIComponent(pathname)
  } catch { // not UTF-8: there is more than one way to write a dot or a slash in such bytes
    return undefined
  }
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const inner = text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (inner === text) return text
    text = inner
  }
  return undefined
}

/** `..` and what some take for it: with a parameter (Tomcat), a query or a fragment after it, with dots and blanks (Windows). */
function isDots (segment: string): boolean {
  const [name = ''] = segment.split(/[;?#]/, 1)
  return name.includes('.') && /^[.\s]+$/.test(name)
}
