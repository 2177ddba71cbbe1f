/**
 * What to tell users, by the code of the error.
 * @type {Record<string, string>}
 */
const WORDS = {
  FST_EDITOR_UNKNOWN_FORMAT: 'Files of this kind cannot be opened in the editor.', // 415
  FST_EDITOR_INVALID_NAME: 'The name of the file must end in its format, such as .docx.', // 400
  FST_EDITOR_EMPTY_DOCUMENT: 'This file is empty.', // 422
  FST_EDITOR_WRONG_FORMAT: 'The content of this file is not what its name says.', // 422
  FST_EDITOR_DAMAGED_DOCUMENT: 'This file is damaged, or was not sent completely.', // 422
  FST_REQ_FILE_TOO_LARGE: 'This file is too large. The limit is 10 MB.', // 413
  FST_FILES_LIMIT: 'Send one file at a time.', // 413
  FST_EDITOR_FILE_NOT_FOUND: 'There is no such document.', // 404
  FST_EDITOR_CONVERSION_FAILED: 'This document cannot be converted.', // 502
  FST_EDITOR_CONVERSION_TIMEOUT: 'Converting takes too long. Try again later.', // 504
  FST_EDITOR_UPSTREAM: 'The document server cannot be reached. Try again later.', // 502
  FST_EDITOR_UPSTREAM_TIMEOUT: 'The document server is too slow. Try again later.' // 504
}

/** @param {{ code?: string, statusCode?: number }} error */
export function wordsFor ({ code = '', statusCode = 500 }) {
  return WORDS[code] ??
    (statusCode < 500 ? 'This request cannot be understood.' : 'Something went wrong. Try again later.')
}
