import type { Content } from '../../types/storage.js'
import { isZip } from '../document-server/file-signatures.js'
import { mediaTypeOf } from '../document-server/formats.js'
import { checkDocument } from '../document-server/upload-check.js'
import { DamagedDocumentError, type EditorError, InvalidOptionError, WrongFormatError } from '../errors.js'
import { bytesOfContent } from '../util/streams.js'
import { rewriteZip } from '../util/zip.js'

/** A template is read into memory. */
const MAX_BYTES = 64 * 1024 ** 2

const DOCUMENTS: Readonly<Record<string, string>> = {
  dotx: 'docx', xltx: 'xlsx', potx: 'pptx', ott: 'odt', ots: 'ods', otp: 'odp'
}
/** With macros, or in formats of which the content does not say what is a template. */
const OTHER_TEMPLATES = /^(dot|xlt|pot)m?$|^(wpt|ett|dpt|stw|vst[mx])$/

/** The format of documents that are made from a file of this format. Throws `InvalidOptionError` if there is none. */
export function documentFormatOf (extension: string): string {
  if (!OTHER_TEMPLATES.test(extension)) return DOCUMENTS[extension] ?? extension
  throw new InvalidOptionError('from', `must not be a .${extension} file: of templates, ${Object.keys(DOCUMENTS).join(', ')} become documents`)
}

/**
 * The document of a template: its package names the format of documents. Rejects with `TooLargeError` or as
 * `checkDocument` does. A template with macros is in the wrong format.
 *
 * Source: ECMA-376, part 2 (content types); OpenDocument 1.2, part 3 (mimetype, manifest)
 */
export async function documentFrom (content: Content, template: string): Promise<Content> {
  const document = documentFormatOf(template)
  const file = Buffer.from(await bytesOfContent(content, MAX_BYTES))
  await checkDocument(file, `_.${template}`)
  if (!isZip(file, template)) throw new WrongFormatError(template) // protected by a password
  const [suffix, ...types] = template.startsWith('o')
    ? ['', 'mimetype', 'meta-inf/manifest.xml']
    : ['.main+xml', '[content_types].xml']
  const [from, to] = [mediaTypeOf(template) + suffix, mediaTypeOf(document) + suffix]
  const seen = new Set<string>()
  try {
    return rewriteZip(file, (path, read) => {
      if (!types.includes(path)) return undefined
      if (seen.has(path)) throw new DamagedDocumentError(template)
      seen.add(path)
      const text = read()
      if ((!text.includes(to) && !text.includes(from)) || /macroEnabled|vbaProject/i.test(text)) {
        throw new WrongFormatError(template)
      }
      return text.replaceAll(from, to)
    })
  } catch (error) {
    if ((error as Partial<EditorError>).code?.startsWith('FST_')) throw error
    throw new DamagedDocumentError(template, { cause: error })
  }
}
