import { Type } from 'typebox'
import { EXTENSION, resultMediaTypeOf } from '../document-server/formats.js'
import { AddressBlockedError, InvalidActionError } from '../errors.js'
import { isResultPath } from '../security/result-path.js'
import { parseHttpUrl } from '../url.js'

/** A file that the document server has made for an editor, as the page names it. */
export const NamedResult = Type.Object({
  url: Type.String({ maxLength: 16_000 }),
  fileType: Type.String({ pattern: EXTENSION })
})

/**
 * Checks a file that a page names: only what the document server has made for an editor may be fetched, whatever other options
 * allow. `origins` are those of the document server, as browsers reach it.
 */
export function checkedResult ({ url: given, fileType: type }: { readonly url: string, readonly fileType: string }, origins: ReadonlySet<string>): { readonly url: string, readonly fileType: string } {
  const fileType = type.toLowerCase()
  // Others would be stored under names such as `copy.php`.
  if (resultMediaTypeOf(fileType) === 'application/octet-stream') throw new InvalidActionError('the document server does not make files of this type')
  const url = parseHttpUrl(given)
  if (!origins.has(url.origin) || !isResultPath(url.pathname)) throw new AddressBlockedError('only a result file of the document server may be fetched')
  return { url: url.href, fileType }
}
