/** Formats that the demo accepts as uploads, by the kind that the icon shows. The document server opens more. */
const EXTENSIONS = {
  word: ['docx', 'doc', 'odt', 'rtf', 'dotx', 'ott'],
  cell: ['xlsx', 'xls', 'ods', 'csv', 'xltx', 'ots'],
  slide: ['pptx', 'ppt', 'odp', 'ppsx', 'otp'],
  pdf: ['pdf'],
  text: ['txt', 'md', 'html', 'htm', 'xml']
}

/** @type {Map<string, string>} */
const kinds = new Map(Object.entries(EXTENSIONS).flatMap(([kind, extensions]) => extensions.map(extension => [extension, kind])))

/** Value of `accept` for the upload field. */
export const acceptedExtensions = [...kinds.keys()].map(extension => `.${extension}`).join(',')

/** @param {string} extension Lower case, without the dot. */
export function kindOf (extension) {
  return kinds.get(extension)
}

/** @param {string} name */
export function extensionOf (name) {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/**
 * Replaces the extension of a name by that of the stored file: a .doc is saved as .docx.
 * @param {string} name
 * @param {string} extension
 */
export function nameWith (name, extension) {
  return extensionOf(name) === extension ? name : `${name.slice(0, name.lastIndexOf('.'))}.${extension}`
}
