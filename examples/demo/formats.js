/** Formats by the kind that their icon shows. */
const EXTENSIONS = {
  word: ['docx', 'doc', 'docm', 'odt', 'rtf', 'dotx', 'ott'],
  cell: ['xlsx', 'xls', 'xlsm', 'ods', 'csv', 'xltx', 'ots'],
  slide: ['pptx', 'ppt', 'pptm', 'odp', 'ppsx', 'potx', 'otp'],
  pdf: ['pdf'],
  text: ['txt', 'md', 'html', 'htm', 'xml']
}

/** @param {string} extension Lower case, without the dot. */
export function kindOf (extension) {
  return Object.entries(EXTENSIONS).find(([, extensions]) => extensions.includes(extension))?.[0] ?? 'other'
}

/** @param {string} name */
export function extensionOf (name) {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/**
 * The name without its extension.
 * @param {string} name
 */
export function baseOf (name) {
  return name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : name
}

/**
 * Replaces the extension of a name by that of the stored file: a .doc is saved as .docx.
 * @param {string} name
 * @param {string} extension
 */
export function nameWith (name, extension) {
  return extensionOf(name) === extension ? name : `${baseOf(name)}.${extension}`
}

/** @type {Record<string, string>} */
const FORMAT_NAMES = {
  docx: 'Word document',
  docm: 'Word document with macros',
  dotx: 'Word template',
  dotm: 'Word template with macros',
  odt: 'OpenDocument text',
  ott: 'OpenDocument text template',
  rtf: 'Rich text',
  txt: 'Plain text',
  md: 'Markdown',
  html: 'Web page',
  epub: 'E-book',
  fb2: 'FictionBook',
  pdf: 'PDF',
  pdfa: 'PDF for archives',
  xlsx: 'Excel workbook',
  xlsm: 'Excel workbook with macros',
  xltx: 'Excel template',
  xltm: 'Excel template with macros',
  xlsb: 'Excel binary workbook',
  ods: 'OpenDocument spreadsheet',
  ots: 'OpenDocument spreadsheet template',
  csv: 'Comma-separated values',
  pptx: 'PowerPoint presentation',
  pptm: 'PowerPoint presentation with macros',
  potx: 'PowerPoint template',
  potm: 'PowerPoint template with macros',
  ppsm: 'PowerPoint show with macros',
  ppsx: 'PowerPoint show',
  odp: 'OpenDocument presentation',
  otp: 'OpenDocument presentation template',
  png: 'Image',
  jpg: 'Image',
  bmp: 'Image',
  gif: 'Image'
}

/**
 * What users call a format.
 * @param {string} extension
 */
export function formatName (extension) {
  return FORMAT_NAMES[extension] ?? extension.toUpperCase()
}
