/** After any version and virtual prefix. Source: the `url` of a saved or converted file, at every document server. */
const RESULT_FILE = /^(?:\/[\w.~-]+)*\/cache\/files\/./

/** An encoded dot, slash or backslash, encoded again or not, and `..;`: a server behind us may read another path. */
const AMBIGUOUS = /%(?:25)*(?:2e|2f|5c)|\.\.(?:;|%(?:25)*3b)/i

/** Whether a URL's path is that of a file which the document server made: nothing else of it is a stranger's business. */
export function isResultPath (pathname: string): boolean {
  return RESULT_FILE.test(pathname) && !AMBIGUOUS.test(pathname)
}

/** Whether a URL's path is the one given or below it. */
export function isBelow (pathname: string, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`
  return (pathname === path || pathname.startsWith(folder)) && !AMBIGUOUS.test(pathname)
}
