/**
 * The path of a saved or converted file: after any version and virtual path, with `%5f` for underscores.
 * Source: docs/document-server-protocol.md#result-files
 */
const RESULT_PATH = /^(?:\/(?:[\w.~-]|%5[fF])+)*\/cache\/files\/[^/]/

/** Some servers treat it as a separator, others as part of a name. */
const ENCODED_SEPARATOR = /%(?:2f|5c)/i

/** `..`, also if followed by a parameter (Tomcat), a query or a fragment, or with more dots or spaces (Windows). */
const DOT_SEGMENT = /(?:^|[/\\])\s*\.[.\s]*(?:[/\\;?#]|$)/

/**
 * How often a path may be percent-encoded, beyond the usual once. The document server encodes slashes in titles twice.
 */
const MAX_EXTRA_ENCODINGS = 3

/** Whether the path of a URL belongs to a result file of the document server. */
export function isResultPath (pathname: string): boolean {
  return RESULT_PATH.test(pathname) && hasNoTraversal(pathname)
}

/** Whether a URL belongs to a result file at one of these origins. */
export function isResultAt (origins: ReadonlySet<string>, { origin, pathname }: URL): boolean {
  return origins.has(origin) && isResultPath(pathname)
}

/** Whether the path of a URL is `path` or below it. */
export function isBelow (pathname: string, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`
  return (pathname === path || pathname.startsWith(folder)) && hasNoTraversal(pathname)
}

/** Whether every server reads the path as it is written, without `..` segments, however often it decodes the path. */
function hasNoTraversal (pathname: string): boolean {
  const path = fullyDecoded(pathname)
  // eslint-disable-next-line no-control-regex -- some servers end a path at NUL, or a request at a line break
  return path !== undefined && !/[\0-\x1f\x7f]/.test(path) && !DOT_SEGMENT.test(path.normalize('NFKC'))
}

/** Decodes a path until nothing is encoded any more; `undefined` if servers may read it in different ways. */
function fullyDecoded (pathname: string): string | undefined {
  if (!pathname.includes('%')) return pathname
  if (ENCODED_SEPARATOR.test(pathname)) return undefined
  let path: string
  try {
    path = decodeURIComponent(pathname)
  } catch { // not UTF-8: such bytes can encode a dot or a slash in several ways
    return undefined
  }
  for (let round = 0; round < MAX_EXTRA_ENCODINGS; round++) {
    const decoded = path.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (decoded === path) return path
    path = decoded
  }
  return undefined
}
