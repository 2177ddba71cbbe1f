import { readFileSync } from 'node:fs'
import type { BlankDocumentOptions, PaperSize } from '../../types/blank.js'
import type { StorageContent } from '../../types/storage.js'
import { isZip } from '../document-server/file-signatures.js'
import { mediaTypeOf } from '../document-server/formats.js'
import { checkDocument } from '../document-server/content-check.js'
import { DamagedDocumentError, type EditorError, InvalidOptionError, WrongFormatError } from '../errors.js'
import { bytesOfContent } from '../util/streams.js'
import { AnyString, assertOptions, assertValue, isOneOf, rule, type Rules } from '../util/validate.js'
import { rewriteZip } from '../util/zip.js'

/** The file types of `blankDocument`. */
export const blankFileTypes: readonly string[] = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'pdf', 'txt', 'md', 'csv']

const TEXT = ['txt', 'md', 'csv']
const SLIDES = ['pptx', 'odp']
const PAPERS: readonly PaperSize[] = ['a4', 'letter']
/** Territories that use letter paper. Source: Unicode CLDR, `paperSize` of the measurement data. */
const LETTER = 'BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' ')

const BlankFileType = rule(`must be one of ${blankFileTypes.join(', ')}`, isOneOf(...blankFileTypes))
const Paper = rule(`must be one of ${PAPERS.join(', ')}`, isOneOf(...PAPERS))
/** The language is checked where it is used. */
const rules: Rules<BlankDocumentOptions> = { lang: AnyString, paper: Paper }

/** Files of this folder that were read. */
const templates = new Map<string, Buffer>()

/**
 * Makes a new, empty document with the usual styles: one empty paragraph, sheet, page or title slide. Text formats have
 * no bytes.
 *
 * @param fileType One of `blankFileTypes`: `docx`, `xlsx`, `pptx`, `odt`, `ods`, `odp`, `pdf`, `txt`, `md`, `csv`.
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `fileType`, `lang` or `paper` is invalid.
 * @example
 * ```js
 * const { fileId } = await app.editorStorage.create('docx', blankDocument('docx', { lang: 'de' }))
 * ```
 */
export function blankDocument (fileType: string, options: BlankDocumentOptions = {}): Buffer {
  assertValue('fileType', fileType, BlankFileType)
  assertOptions(rules, options)
  const { language, region = '' } = localeOf(options.lang ?? 'en')
  if (TEXT.includes(fileType)) return Buffer.alloc(0)
  const { paper = LETTER.includes(region) ? 'letter' : 'a4' } = options
  const file = template(`${SLIDES.includes(fileType) ? 'slides' : paper}.${fileType}`)
  // A page of PDF has no text yet.
  return fileType === 'pdf' ? Buffer.from(file) : rewriteZip(file, (_path, read) => inLanguage(read(), language, region))
}

/** A new Word document with this text, which must contain nothing that XML would have to escape. */
export function documentWithText (text: string): Buffer {
  const paragraph = `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  return rewriteZip(template('a4.docx'), (_path, read) => read().replace('<w:p/>', paragraph))
}

function template (name: string): Buffer {
  const file = templates.get(name) ?? readFileSync(new URL(`./${name}`, import.meta.url))
  templates.set(name, file)
  return file
}

/** The templates are in American English. */
function inLanguage (text: string, language: string, region: string): string {
  return text
    .replaceAll('en-US', region === '' ? language : `${language}-${region}`)
    .replace(/(:language[\w-]*)="en" ([\w:-]+)="US"/g, `$1="${language}" $2="${region || 'none'}"`)
}

/** With the main territory of the language if the tag names none. */
function localeOf (lang: string): Intl.Locale {
  try {
    return new Intl.Locale(lang.replaceAll('_', '-')).maximize()
  } catch (cause) {
    throw new InvalidOptionError('lang', 'must be a language tag, such as de or pt-BR', { cause })
  }
}

/** A template is read into memory. */
const MAX_TEMPLATE_BYTES = 64 * 1024 ** 2

const DOCUMENTS: Readonly<Record<string, string>> = {
  dotx: 'docx', xltx: 'xlsx', potx: 'pptx', ott: 'odt', ots: 'ods', otp: 'odp'
}
/** Templates with macros, or in formats whose content does not show that it is a template. */
const OTHER_TEMPLATES = /^(dot|xlt|pot)m?$|^(wpt|ett|dpt|stw|vst[mx])$/

/** The type of documents that are made from a file of this type. Throws `InvalidOptionError` if there is none. */
export function fileTypeMadeFrom (fileType: string): string {
  if (!OTHER_TEMPLATES.test(fileType)) return DOCUMENTS[fileType] ?? fileType
  throw new InvalidOptionError('from', `must not be a .${fileType} file: the supported templates are ${Object.keys(DOCUMENTS).join(', ')}`)
}

/**
 * Makes the document of a template: changes the format that its package names. Rejects with `TooLargeError`, or like
 * `checkDocument`. A template with macros counts as the wrong format.
 *
 * Source: ECMA-376, part 2 (content types); OpenDocument 1.2, part 3 (mimetype, manifest)
 */
export async function documentFrom (content: StorageContent, template: string): Promise<StorageContent> {
  const document = fileTypeMadeFrom(template)
  const file = Buffer.from(await bytesOfContent(content, MAX_TEMPLATE_BYTES))
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
