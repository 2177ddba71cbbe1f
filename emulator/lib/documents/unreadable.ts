import { isCompoundFile } from './office/protected/compound-file.js'

/** The code of a protected document: the editor asks for its password. */
export const NEEDS_PASSWORD = -90
/** The code of content in no known format. */
const RUBBISH = -80

// Formats that are zip files. Compound files of the first ones are protected.
const OFFICE_OPEN_XML = /^(doc|dot|xls|xlt|ppt|pot|pps)[xm]$/
const OPEN_DOCUMENT = /^(od|ot)[tsp]$/

/** Why a document can't be opened in the editor: a code that the editor shows, `null` if it can. Source: recorded. */
export function whyUnreadable (bytes: Uint8Array, fileType: string): number | null {
  const isOfficeOpenXml = OFFICE_OPEN_XML.test(fileType)
  if (!isOfficeOpenXml && !OPEN_DOCUMENT.test(fileType)) return null
  if (isCompoundFile(bytes)) return isOfficeOpenXml ? NEEDS_PASSWORD : null
  // Content decides which format it is read as.
  return /^(PK|%PDF-|\{\\rtf|\s*<)/.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1')) ? null : RUBBISH
}
