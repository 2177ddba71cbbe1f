/** What the demo takes as an upload, by the kind its icon shows. The document server knows more. */
const EXTENSIONS = {
  word: ['docx', 'doc', 'odt', 'rtf', 'dotx', 'ott'],
  cell: ['xlsx', 'xls', 'ods', 'csv', 'xltx', 'ots'],
  slide: ['pptx', 'ppt', 'odp', 'ppsx', 'otp'],
  pdf: ['pdf'],
  text: ['txt', 'md', 'html', 'htm', 'xml']
}

/** @type {Map<string, string>} */
const kinds = new Map(Object.entries(EXTENSIONS).flatMap(([kind, extensions]) => extensions.map(extension => [extension, kind])))

/** For the upload field. */
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
 * The name with the extension of the stored bytes: a .doc is saved as .docx.
 * @param {string} name
 * @param {string} extension
 */
export function nameWith (name, extension) {
  return extensionOf(name) === extension ? name : `${name.slice(0, name.lastIndexOf('.'))}.${extension}`
}
