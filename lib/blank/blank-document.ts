import type { BlankDocumentOptions } from '../../types/blank.js'
import { InvalidOptionError } from '../errors.js'
import { type Language, languageOf } from './language.js'
import { openDocumentParts } from './open-document.js'
import { type Paper, paperOf } from './paper.js'
import { pdfFile } from './pdf.js'
import { presentationParts } from './presentation.js'
import { wordParts } from './word.js'
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
export function blankDocument (format: string, { lang = DEFAULT_LANGUAGE, paper }: BlankDocumentOptions = {}): Buffer {
  if (!Object.hasOwn(files, format)) throw new InvalidOptionError('format', `must be one of ${blankFormats.join(', ')}`)
  const language = languageOf(lang)
  return files[format]!(language, paperOf(paper, language))
}
