import { isCompoundFile } from '../../documents/office/protected/compound-file.js'
import { familyOf } from '../../formats.js'

const PACKAGES = [[/^word\//, 'docx'], [/^xl\//, 'xlsx'], [/^ppt\//, 'pptx']] as const
// An OpenDocument file begins with its media type, uncompressed, after a zip entry's header and name of 38 bytes.
const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const OPEN_DOCUMENT_TYPES: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }
const OFFICE_OPEN_XML = /^(doc|xls|ppt)[xm]$/

/** The format of a source: the given one if it is known, else detected from the content. */
export async function sourceType (bytes: Uint8Array, given: string): Promise<string> {
  if (familyOf(given) !== undefined) return given
  const beginning = Buffer.from(bytes.subarray(0, 100)).toString('latin1')
  if (beginning.startsWith('%PDF-')) return 'pdf'
  if (beginning.startsWith('{\\rtf')) return 'rtf'
  if (beginning.startsWith('PK')) return await packageType(bytes, beginning.slice(38))
  return bytes.includes(0) ? given : 'txt'
}

async function packageType (bytes: Uint8Array, mediaType: string): Promise<string> {
  const [, kind] = OPEN_DOCUMENT.exec(mediaType) ?? []
  if (kind !== undefined) return OPEN_DOCUMENT_TYPES[kind]!
  const { openPackage } = await import('../../documents/office/package.js')
  try {
    const names = [...openPackage(bytes).parts.keys()]
    return PACKAGES.find(([part]) => names.some(name => part.test(name)))?.[1] ?? 'txt'
  } catch {
    return 'txt'
  }
}

/** Whether a document can be read only with a password: an Office Open XML file that is no zip file. */
export function isProtected (bytes: Uint8Array, fileType: string): boolean {
  return OFFICE_OPEN_XML.test(fileType) && isCompoundFile(bytes)
}
