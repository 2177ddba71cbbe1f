/** @typedef {{ extension: string, kind: string, label: string }} NewFormat */

/** @type {readonly NewFormat[]} What the dialog for a new document offers. */
export const newFormats = [
  { extension: 'docx', kind: 'word', label: 'Text document' },
  { extension: 'xlsx', kind: 'cell', label: 'Spreadsheet' },
  { extension: 'pptx', kind: 'slide', label: 'Presentation' },
  { extension: 'pdf', kind: 'pdf', label: 'PDF' },
  { extension: 'odt', kind: 'word', label: 'OpenDocument text' },
  { extension: 'ods', kind: 'cell', label: 'OpenDocument spreadsheet' },
  { extension: 'odp', kind: 'slide', label: 'OpenDocument presentation' },
  { extension: 'txt', kind: 'text', label: 'Plain text' },
  { extension: 'md', kind: 'text', label: 'Markdown' },
  { extension: 'csv', kind: 'cell', label: 'Comma-separated values' }
]

/** Languages of a new document's text, by their own names. */
export const languages = [
  { code: 'en-US', label: 'English (United States)' },
  { code: 'en-GB', label: 'English (United Kingdom)' },
  { code: 'ar-SA', label: 'العربية' },
  { code: 'cs-CZ', label: 'Čeština' },
  { code: 'da-DK', label: 'Dansk' },
  { code: 'de-DE', label: 'Deutsch' },
  { code: 'es-ES', label: 'Español' },
  { code: 'fr-FR', label: 'Français' },
  { code: 'it-IT', label: 'Italiano' },
  { code: 'nl-NL', label: 'Nederlands' },
  { code: 'pl-PL', label: 'Polski' },
  { code: 'pt-BR', label: 'Português (Brasil)' },
  { code: 'sv-SE', label: 'Svenska' },
  { code: 'tr-TR', label: 'Türkçe' },
  { code: 'uk-UA', label: 'Українська' },
  { code: 'ja-JP', label: '日本語' },
  { code: 'ko-KR', label: '한국어' },
  { code: 'zh-CN', label: '简体中文' }
]

/** @param {unknown} extension */
export function isNewFormat (extension) {
  return newFormats.some(format => format.extension === extension)
}

/** @param {unknown} code */
export function languageOf (code) {
  return languages.some(language => language.code === code) ? String(code) : 'en-US'
}
