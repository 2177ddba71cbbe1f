import { resultMediaTypeOf } from '../document-server/formats.js'
import { AddressBlockedError, InvalidActionError } from '../errors.js'
import { isResultAt } from '../security/result-path.js'
import { parseHttpUrl } from '../util/url.js'
import type { NamedResult } from './requests.schema.js'

/**
 * Checks a file that a page names: only what the document server has made for an editor may be fetched, whatever other
 * options allow. `origins` are those of the document server, as browsers reach it. The request checks that, too, and
 * where redirects lead.
 */
export function checkedResult ({ url: given, fileType: type }: NamedResult, origins: ReadonlySet<string>): NamedResult {
  const fileType = type.toLowerCase()
  // Others would be stored under names such as `copy.php`.
  if (resultMediaTypeOf(fileType) === 'application/octet-stream') {
    throw new InvalidActionError('the document server does not make files of this type')
  }
  const url = parseHttpUrl(given)
  if (!isResultAt(origins, url)) {
    throw new AddressBlockedError('only a result file of the document server may be fetched')
  }
  return { url: url.href, fileType }
}
