import { AddressBlockedError } from '../errors.js'
import type { Settings } from '../options.js'
import { parseHttpUrl, parseUrl } from '../util/url.js'

/*
 * URLs of the files that the document server makes.
 * Source: emulator/docs/document-server-protocol.md#result-files
 */

/** A folder of a result file's path, or of the base before that path. The document server writes `%5f` in the base. */
const FOLDER = '[\\w.~-]+'
const BASE_FOLDER = '(?:[\\w.~-]|%5[fF])+'

/** Where the files begin. A base that ends with a slash makes a second one. */
const CACHE = '\\/(?:storage-)?cache'

/**
 * The path of a saved or converted file, below any base. Below `files` any depth is enough; a folder with another name
 * (`storage.fs.folderPath` and the like) is recognized by the depth of all result files: folders, the key's folder, and
 * the name twice.
 */
const RESULT_PATH = new RegExp(
  `^(?:\\/${BASE_FOLDER})*\\/?(${CACHE}\\/(?:files\\/|(?:${FOLDER}\\/){2,5}[\\w.=~-]+\\/[^/]+\\/)[^/].*)$`
)

/**
 * The URL of a file in a callback: its base; the path that the document server signs, with the key, the number and the
 * name; the query. Clients decide the base, so it may be anything, and it is as long as possible.
 */
const SAVED_URL = new RegExp(
  `^(.*)(${CACHE}\\/(?:${FOLDER}\\/){2,5}([\\w.=-]+)_(\\d{1,5})\\/((?:output\\.\\w+|changes\\.zip|formsdata\\.json))\\/\\5)` +
  '(\\?md5=[\\w.~%-]+&expires=\\d+(?:&(?:shardkey|WOPISrc)=[^&/?#\\s]*)?&filename=\\5)$',
  's'
)

/** The end of the decoded path of a file in a callback, in an object store: the key, the number and the name. */
const STORED_PATH = /\/([\w.=-]+)_(\d{1,5})\/(output\.\w+|changes\.zip|formsdata\.json)$/

/** Parameters with the signatures of Amazon S3, versions 4 and 2, and of Azure. */
const STORE_SIGNATURES = ['X-Amz-Signature', 'Signature', 'sig']

/** A URL as object stores write it: only ASCII characters that no parser removes or changes, and one `?`. */
const WRITTEN = /^https?:\/\/[!$-.0->A-[\]-~]+(\/[!$->A-[\]-~]*)\?[!$->A-[\]-~]*$/i

const NAMES = { url: /^output\./, changesurl: /^changes\./, formsdataurl: /^formsdata\./ } as const

export type CallbackUrlField = keyof typeof NAMES

/** The fields of a callback with the URLs of its files. */
export interface CallbackUrls {
  /** Absent only if tokens are not required. */
  readonly key?: string | undefined
  readonly url?: string | undefined
  readonly changesurl?: string | undefined
  readonly formsdataurl?: string | undefined
}

/** Which file a URL names. */
interface NamedFile {
  readonly url: URL
  readonly key: string
  readonly number: string
  readonly name: string
}

/**
 * Where to fetch a file that a callback announces. The document server takes the beginning of these URLs from headers
 * of whoever opened the document last. So only the end, which names the file, is trusted, and the base comes from the
 * options. Those headers may even make the text an invalid URL: a viewer must not be able to make a save fail in this
 * way either. Throws `AddressBlockedError` for a URL that does not name a file of this save, or like `parseHttpUrl`. If
 * any origin is allowed, the URL is fetched unchanged. Source: emulator/docs/document-server-protocol.md#result-files
 */
export function callbackUrl (
  { documentServer }: Pick<Settings, 'documentServer'>, field: CallbackUrlField, callback: CallbackUrls
): URL {
  if (documentServer.anyOrigin) return parseHttpUrl(callback[field])
  const file = fileAt(documentServer, callback[field])
  // Neither path nor query may be in a log.
  if (!file) {
    throw new AddressBlockedError(`the ${field} in the callback is neither a result file of the document server nor a signed URL at one of documentServer.origins`)
  }
  if (!NAMES[field].test(file.name)) {
    throw new AddressBlockedError(`the ${field} in the callback names another file of the save`)
  }
  if (callback.key !== undefined && file.key !== callback.key) {
    throw new AddressBlockedError(`the ${field} in the callback belongs to another document key`)
  }
  if (field !== 'url') {
    const saved = fileAt(documentServer, callback.url)
    if (file.key !== saved?.key || file.number !== saved.number) {
      throw new AddressBlockedError(`the ${field} in the callback belongs to another save`)
    }
  }
  return file.url
}

type DocumentServer = Settings['documentServer']

/** Throws as `parseHttpUrl` does, unless the text ends as the document server's URLs do. */
function fileAt (documentServer: DocumentServer, text: string | undefined): NamedFile | undefined {
  return fileAtDocumentServer(documentServer, text) ?? fileInStore(documentServer, text)
}

function fileAtDocumentServer ({ bases, publicUrl }: DocumentServer, text = ''): NamedFile | undefined {
  const [, base = '', path = '', key, number, name, query] = SAVED_URL.exec(text) ?? []
  if (name === undefined || !/^https?:\/\//i.test(base) || !hasNoTraversal(path)) return undefined
  const given = parseUrl(base)
  const { href } = (given && namedBase(bases, given)) ?? publicUrl // which a request replaces by `internalUrl`
  return { url: urlBelow(href, path, query!), key: key!, number: number!, name }
}

/**
 * Where to fetch a result file that the document server has announced at one of its origins. It takes the base from the
 * headers of a request, which may lack the virtual path or have a host that only browsers reach. So the base is
 * replaced by the one in the options, unless `documentServer.origins` names it; `internalUrl` replaces all bases at the
 * origin of `editorApiUrl`. `undefined` for any other URL.
 */
export function documentServerFile (
  { origins, bases, publicUrl, internalOrigin }: DocumentServer, { origin, pathname, search }: URL
): URL | undefined {
  const path = origins.has(origin) ? resultPathIn(pathname) : undefined
  if (path === undefined) return undefined
  const isReplaced = internalOrigin !== null && origin === publicUrl.origin
  const named = isReplaced ? undefined : namedBase(bases, new URL(origin + pathname.slice(0, -path.length)))
  return urlBelow(named?.href ?? internalOrigin ?? publicUrl.href, path, search)
}

/** The base that `documentServer.origins` names. The document server writes `%5f` for `_`. */
function namedBase (bases: DocumentServer['bases'], base: URL): Readonly<URL> | undefined {
  const normalized = ({ href }: Readonly<URL>) => href.replace(/\/+$/, '').replace(/%5f/gi, '_')
  return bases.find(named => normalized(named) === normalized(base))
}

/** Not resolved as a relative URL: `//host/path` would change the host. */
export function urlBelow (base: string, path: string, search: string): URL {
  return new URL(base.replace(/\/+$/, '') + path + search)
}

function fileInStore ({ bases }: DocumentServer, text: string | undefined): NamedFile | undefined {
  const url = parseHttpUrl(text)
  const [, path] = WRITTEN.exec(text!) ?? []
  if (path === undefined || url.pathname !== path || !hasNoTraversal(path)) return undefined
  const isNamed = bases.some(({ origin }) => origin === url.origin)
  if (!isNamed || !STORE_SIGNATURES.some(name => url.searchParams.has(name))) return undefined
  const [, key, number, name] = STORED_PATH.exec(decodeURIComponent(path)) ?? []
  return name === undefined ? undefined : { url, key: key!, number: number!, name }
}

/**
 * The path of a file that a callback names, without the base, which may change when the document server repeats the
 * callback.
 */
export function savedPathOf (url: string): string {
  return SAVED_URL.exec(url)?.[2] ?? parseUrl(url)?.pathname ?? url
}

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
  return resultPathIn(pathname) !== undefined
}

/** The path of a result file below its base; `undefined` if the path belongs to none. */
function resultPathIn (pathname: string): string | undefined {
  const [, path] = RESULT_PATH.exec(pathname) ?? []
  return path !== undefined && hasNoTraversal(pathname) ? path : undefined
}

/** Whether a URL belongs to a result file at one of these origins. */
export function isResultAt (origins: ReadonlySet<string>, { origin, pathname }: URL): boolean {
  return origins.has(origin) && isResultPath(pathname)
}

/** Why the plugin does not fetch a URL for a page. Reveals no origin except the URL's, which the page already knows. */
export function notAResult ({ origin, pathname }: URL): Error {
  const reason = isResultPath(pathname)
    ? `${origin} is not an origin of the document server: set X-Forwarded-Host and X-Forwarded-Proto at its proxy, or add it to documentServer.origins`
    : 'only a result file of the document server may be fetched'
  return new AddressBlockedError(reason, { statusCode: 403 })
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
