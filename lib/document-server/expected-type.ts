import { isOfficeOpenXml } from './file-signatures.js'

const OPEN_DOCUMENT = /^od[tspg]$/
const IMAGES: ReadonlySet<string> = new Set(['bmp', 'gif', 'jpg', 'png', 'tiff'])

/** Formats that the document server writes under another extension. Source: docs/document-server-protocol.md#conversion */
const WRITTEN_AS: Readonly<Record<string, string>> = {
  pdfa: 'pdf', htm: 'html', mhtml: 'mht', jpeg: 'jpg', jpe: 'jpg', tif: 'tiff', wps: 'doc', xml: 'txt', xslt: 'txt', dps: 'ppt', et: 'xls', xltb: 'xlsb'
}

export interface ExpectedType {
  /** What was asked for. */
  readonly outputType: string
  /** The extension of the result, unless the document decides on it. */
  readonly extension: string | undefined
  /** `fileType`: as `writtenAs` says. */
  matches (fileType: string): boolean
}

/** What the result of a conversion must be. `outputType` is in lower case. */
export function expectedType (outputType: string, thumbnail?: { readonly first?: boolean }): ExpectedType {
  if (outputType === 'ooxml') return { outputType, extension: undefined, matches: isOfficeOpenXml }
  if (outputType === 'odf') return { outputType, extension: undefined, matches: fileType => OPEN_DOCUMENT.test(fileType) }
  const written = writtenAs(outputType)
  const extension = thumbnail?.first === false && IMAGES.has(written) ? 'zip' : written
  return { outputType, extension, matches: fileType => fileType === extension }
}

/** The extension under which the document server writes a format. */
export function writtenAs (extension: string): string {
  return Object.hasOwn(WRITTEN_AS, extension) ? WRITTEN_AS[extension]! : extension
}
