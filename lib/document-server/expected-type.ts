import { isOfficeOpenXml } from './file-signatures.js'

const OPEN_DOCUMENT = /^od[tspg]$/
const IMAGES: ReadonlySet<string> = new Set(['bmp', 'gif', 'jpg', 'png', 'tiff'])

/** Formats that the document server writes under another extension. Source: docs/document-server-protocol.md#conversion */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  pdfa: 'pdf', htm: 'html', mhtml: 'mht', jpeg: 'jpg', jpe: 'jpg', tif: 'tiff', wps: 'doc', xml: 'txt', xslt: 'txt', dps: 'ppt', et: 'xls', xltb: 'xlsb'
}

export interface ExpectedType {
  /** The extension of the result, unless the document decides on it. */
  readonly extension: string | undefined
  /** `fileType`: as `writtenAs` says. */
  matches (fileType: string): boolean
}

/** What the result of a conversion must be. `outputtype` is in lower case. */
export function expectedType (outputtype: string, thumbnail?: { readonly first?: boolean }): ExpectedType {
  if (outputtype === 'ooxml') return { extension: undefined, matches: isOfficeOpenXml }
  if (outputtype === 'odf') return { extension: undefined, matches: fileType => OPEN_DOCUMENT.test(fileType) }
  const written = writtenAs(outputtype)
  const extension = thumbnail?.first === false && IMAGES.has(written) ? 'zip' : written
  return { extension, matches: fileType => fileType === extension }
}

/** The extension under which the document server writes a format. */
export function writtenAs (extension: string): string {
  return Object.hasOwn(WRITTEN_AS, extension) ? WRITTEN_AS[extension]! : extension
}
