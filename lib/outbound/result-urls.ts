import { AddressBlockedError } from '../errors.js'
import type { Settings } from '../options.js'
import { parseHttpUrl } from '../util/url.js'

/*
 * URLs of the files that the document server makes.
 * Source: docs/document-server-protocol.md#result-files
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
  `^(?:\\/${BASE_FOLDER})*\\/?${CACHE}\\/(?:files\\/|(?:${FOLDER}\\/){2,5}[\\w.=~-]+\\/[^/]+\\/)[^/]`
)

/**
 * The path of a file in a callback: its base, the part that the document server signs, and in that the key, the number
 * and the name. The base is as long as possible, because clients decide it.
 */
const SAVED_PATH = new RegExp(
  `^(.*)(${CACHE}\\/(?:${FOLDER}\\/){2,5}([\\w.=-]+)_(\\d{1,5})\\/((?:output\\.\\w+|changes\\.zip|formsdata\\.json))\\/\\5)$`
)

/** What the document server adds to it. */
const SAVED_QUERY = /^md5=[^&=]+&expires=\d+(?:&(?:shardkey|WOPISrc)=[^&=]*)?&filename=([^&=]+)$/

/** The end of the decoded path of a file in a callback, in an object store: the key, the number and the name. */
const STORED_PATH = /\/([\w.=-]+)_(\d{1,5})\/(output\.\w+|changes\.zip|formsdata\.json)$/

/** Parameters with the signatures of Amazon S3, versions 4 and 2, and of Azure. */
const STORE_SIGNATURES = ['X-Amz-Signature', 'Signature', 'sig']

/** A URL as document servers write it: only ASCII characters that no parser removes or changes, and one `?`. */
const WRITTEN = /^https?:\/\/[!$-.0->A-[\]-~]+(\/[!$->A-[\]-~]*)\?([!$->A-[\]-~]*)$/i

const NAMES = { url: /^output\./, changesurl: /^changes\./, formsdataurl: /^formsdata\./ } as const

export type CallbackUrlField = keyof typeof NAMES

/** The fields of a callback that say where its files are. */
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
 * Where to fetch a file that a callback announces. The document server makes the beginning of these URLs from headers
 * of whoever opened the document last, so only the end can be believed: it names the file, and the base is replaced by
 * that of the options. Throws `AddressBlockedError` for a URL that names anything but a file of this save, or as
 * `parseHttpUrl` does. Where any origin is allowed, the URL is fetched as it is.
 * Source: docs/document-server-protocol.md#result-files
 */
export function callbackUrl (
  { documentServer }: Pick<Settings, 'documentServer'>, field: CallbackUrlField, callback: CallbackUrls
): URL {
  const parsed = parseHttpUrl(callback[field])
  if (documentServer.anyOrigin) return parsed
  const file = fileAt(documentServer, parsed, callback[field]!)
  if (!file) {
    throw refused(field, 'is neither a result file of the document server nor a signed URL at one of documentServer.origins')
  }
  if (!NAMES[field].test(file.name)) throw refused(field, 'names another file of the save')
  if (callback.key !== undefined && file.key !== callback.key) throw refused(field, 'belongs to another document key')
  if (field !== 'url') {
    const saved = fileAt(documentServer, parseHttpUrl(callback.url), callback.url!)
    if (file.key !== saved?.key || file.number !== saved.number) throw refused(field, 'belongs to another save')
  }
  return file.url
}

/** Neither path nor query may be in a log. */
function refused (field: CallbackUrlField, reason: string): Error {
  return new AddressBlockedError(`the ${field} in the callback ${reason}`)
}

type DocumentServer = Settings['documentServer']

function fileAt (documentServer: DocumentServer, url: URL, text: string): NamedFile | undefined {
  const [, path, query] = WRITTEN.exec(text) ?? []
  if (path === undefined || query === undefined || url.pathname !== path || !hasNoTraversal(path)) return undefined
  return fileAtDocumentServer(documentServer, url, path, query) ?? fileInStore(documentServer, url)
}

function fileAtDocumentServer (
  documentServer: DocumentServer, url: URL, path: string, query: string
): NamedFile | undefined {
  const [, base, end, key, number, name] = SAVED_PATH.exec(path) ?? []
  if (name === undefined || SAVED_QUERY.exec(query)?.[1] !== name) return undefined
  const { bases, publicUrl, internalOrigin } = documentServer
  const isAt = ({ href }: Readonly<URL>) => normalizedBase(href) === normalizedBase(`${url.origin}${base}`)
  const isNamed = bases.some(isAt) && !isAt(publicUrl)
  // Only the reverse proxy that serves the public origin has the virtual path.
  const own = internalOrigin ?? publicUrl.href.replace(/\/$/, '')
  return { url: isNamed ? url : new URL(`${own}${end}?${query}`), key: key!, number: number!, name }
}

function fileInStore ({ bases }: DocumentServer, url: URL): NamedFile | undefined {
  const isNamed = bases.some(({ origin }) => origin === url.origin)
  if (!isNamed || !STORE_SIGNATURES.some(name => url.searchParams.has(name))) return undefined
  const [, key, number, name] = STORED_PATH.exec(decodeURIComponent(url.pathname)) ?? []
  return name === undefined ? undefined : { url, key: key!, number: number!, name }
}

/** Origin and path of a base in a form to compare. The document server writes `%5f` for `_`. */
function normalizedBase (base: string): string {
  return base.replace(/\/+$/, '').replace(/%5f/gi, '_')
}

/**
 * The path of a file that a callback names, without the base, which may change when the document server repeats the
 * callback.
 */
export function pathWithoutBase (pathname: string): string {
  return SAVED_PATH.exec(pathname)?.[2] ?? pathname
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
