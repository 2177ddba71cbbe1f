import type { BlankDocumentOptions } from '../../types/blank.js'
import { type Language, languageOf } from './language.js'
import { openDocumentParts } from './open-document.js'
import { type Paper, paperOf } from './paper.js'
import { pdfFile } from './pdf.js'
import { presentationParts } from './presentation.js'
import { wordParts } from './word.js'
import { AnyString, assertOptions, assertValue, isOneOf, rule, type Rules } from '../rules.js'
import { workbookParts } from './workbook.js'
import { zip } from '../zip.js'

const DEFAULT_LANGUAGE = 'en'
/** OpenDocument requires an uncompressed media type. */
const MEDIA_TYPE = ['mimetype']

const openDocument = (format: 'odt' | 'ods' | 'odp') => (language: Language, paper: Paper) => zip(openDocumentParts(format, language, paper), MEDIA_TYPE)
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
/** What they may be is checked where they are used. */
const rules: Rules<BlankDocumentOptions> = { lang: AnyString, paper: AnyString }

/**
 * A new document without content, with the usual styles: one empty paragraph, sheet, page or title slide. Text has no bytes.
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
