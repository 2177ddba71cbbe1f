import type { BlankDocumentOptions } from '../../types/blank.js'
import { AnyString, assertOptions, assertValue, isOneOf, rule, type Rules } from '../util/validate.js'
import { zip } from '../util/zip.js'
import { type Language, languageOf, type Paper, paperOf } from './locale.js'
import { presentationParts, wordParts, workbookParts } from './office-open-xml.js'
import { openDocumentParts } from './open-document.js'

const DEFAULT_LANGUAGE = 'en'
/** OpenDocument requires an uncompressed media type. */
const MEDIA_TYPE = ['mimetype']

const openDocument = (format: 'odt' | 'ods' | 'odp') => (language: Language, paper: Paper) =>
  zip(openDocumentParts(format, language, paper), MEDIA_TYPE)
const noBytes = () => Buffer.alloc(0)

const files: Readonly<Record<string, (language: Language, paper: Paper) => Buffer>> = {
  docx: (language, paper) => zip(wordParts(language, paper)),
  xlsx: (language, paper) => zip(workbookParts(language, paper)),
  pptx: language => zip(presentationParts(language)),
  odt: openDocument('odt'),
  ods: openDocument('ods'),
  odp: openDocument('odp'),
  pdf: pdfFile,
  txt: noBytes,
  md: noBytes,
  csv: noBytes
}

/** The formats of `blankDocument`. */
export const blankFormats: readonly string[] = Object.keys(files)

const Format = rule(`must be one of ${blankFormats.join(', ')}`, isOneOf(...blankFormats))
/** The allowed values are checked where they are used. */
const rules: Rules<BlankDocumentOptions> = { lang: AnyString, paper: AnyString }

/**
 * A new document without content, with the usual styles: one empty paragraph, sheet, page or title slide. Text has no
 * bytes.
 *
 * @param format One of `blankFormats`: `docx`, `xlsx`, `pptx`, `odt`, `ods`, `odp`, `pdf`, `txt`, `md`, `csv`.
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `format`, `lang` or `paper` is invalid.
 * @example
 * ```js
 * const { fileId } = await app.editorStorage.create('docx', blankDocument('docx', { lang: 'de' }))
 * ```
 */
export function blankDocument (format: string, options: BlankDocumentOptions = {}): Buffer {
  assertValue('format', format, Format)
  assertOptions(rules, options)
  const { lang = DEFAULT_LANGUAGE, paper } = options
  const language = languageOf(lang)
  return files[format]!(language, paperOf(paper, language))
}

const TWIPS_PER_POINT = 20

/** One empty page. Source of the syntax: ISO 32000-1. */
function pdfFile ({ tag, writing }: Language, { width, height }: Paper): Buffer {
  const direction = writing === 'right-to-left' ? ' /ViewerPreferences << /Direction /R2L >>' : ''
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /Lang (${tag})${direction} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width / TWIPS_PER_POINT} ${height / TWIPS_PER_POINT}] /Resources << >> >>`
  ]
  let file = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n' // bytes beyond ASCII mark the file as binary
  const positions = objects.map((object, index) => {
    const position = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return position
  })
  const entries = positions.map(position => `${String(position).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  return Buffer.from(
    `${file}xref\n0 ${count}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1'
  )
}
