import { mediaTypeOf } from './formats.js'

/** Bytes at the end of a package that hold the directory of about 2,500 parts. */
export const DIRECTORY_REACH = 256 * 1024

const CONTENT_TYPES = '[content_types].xml'
const MANIFEST = 'meta-inf/manifest.xml'
const CONTAINER = 'meta-inf/container.xml'
/** The folder of the main part, by the editor's formats. */
const OFFICE_FOLDERS: ReadonlyArray<readonly [formats: RegExp, folder: string]> = [
  [/^do[ct]/, 'word/'],
  [/^xl/, 'xl/'],
  [/^(pp|pot)/, 'ppt/'],
  [/^vs/, 'visio/']
]
const OPEN_DOCUMENT = /^o[dt][tspg]$/

// Offsets in the header of a part. Source: APPNOTE.TXT, the specification of the zip format.
const METHOD = 8
const SIZE = 22
const EXTRA_LENGTH = 28
const LOCAL_BYTES = 30
const STORED = 0

const MIME_TYPE = 'mimetype'
const TEMPLATE = /[-.]template$/

/** Whether a package that begins like this says that it is of another format: text as a spreadsheet, a book as text. A template counts as its format. */
export function namesOtherFormat (start: Buffer, format: string): boolean {
  const mediaType = namedMediaType(start)
  return mediaType !== undefined && familyOf(mediaType) !== familyOf(mediaTypeOf(format))
}

/** What the first part says, which some packages have uncompressed, so that it can be found. */
function namedMediaType (start: Buffer): string | undefined {
  const nameEnd = LOCAL_BYTES + MIME_TYPE.length
  if (start.length < nameEnd || start.toString('latin1', LOCAL_BYTES, nameEnd) !== MIME_TYPE || start.readUInt16LE(METHOD) !== STORED) return undefined
  const contentAt = nameEnd + start.readUInt16LE(EXTRA_LENGTH)
  return start.toString('latin1', contentAt, contentAt + start.readUInt32LE(SIZE)).trim() || undefined
}

function familyOf (mediaType: string): string {
  return mediaType.replace(TEMPLATE, '')
}

/** Whether a package with these parts can be of a format. */
export function hasPartsOf (format: string, names: readonly string[]): boolean {
  const parts = names.map(name => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase())
  if (OPEN_DOCUMENT.test(format)) return parts.includes(MANIFEST)
  if (format === 'epub') return parts.includes(CONTAINER)
  const own = OFFICE_FOLDERS.find(([formats]) => formats.test(format))?.[1]
  if (own === undefined) return true
  if (!parts.includes(CONTENT_TYPES)) return false
  const hasFolder = (folder: string) => parts.some(part => part.startsWith(folder))
  // The main part may be anywhere, but hardly anybody puts it into the folder of another format.
  return hasFolder(own) || !OFFICE_FOLDERS.some(([, folder]) => hasFolder(folder))
}
