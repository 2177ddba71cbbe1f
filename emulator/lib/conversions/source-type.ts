import { openPackage } from '../documents/office/package.js'
import { familyOf } from '../formats.js'

const PACKAGES: ReadonlyArray<readonly [part: RegExp, type: string]> = [[/^word\//, 'docx'], [/^xl\//, 'xlsx'], [/^ppt\//, 'pptx']]
// An OpenDocument begins with its media type, unpacked: the header of a zip entry and its name are 38 bytes.
const OPEN_DOCUMENT = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const OPEN_DOCUMENT_TYPES: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }

/** The format of a source: as it is said to be, else what the content looks like. */
export function sourceType (bytes: Uint8Array, named: string): string {
  if (familyOf(named) !== undefined) return named
  const beginning = Buffer.from(bytes.subarray(0, 100)).toString('latin1')
  if (beginning.startsWith('%PDF-')) return 'pdf'
  if (beginning.startsWith('{\\rtf')) return 'rtf'
  if (beginning.startsWith('PK')) return packageType(bytes, beginning.slice(38))
  return bytes.includes(0) ? named : 'txt'
}

function packageType (bytes: Uint8Array, mediaType: string): string {
  const [, kind] = OPEN_DOCUMENT.exec(mediaType) ?? []
  if (kind !== undefined) return OPEN_DOCUMENT_TYPES[kind]!
  try {
    const names = [...openPackage(bytes).parts.keys()]
    return PACKAGES.find(([part]) => names.some(name => part.test(name)))?.[1] ?? 'txt'
  } catch {
    return 'txt'
  }
}
