import createError from '@fastify/error'

export const NoSuchDocument = createError(
  'DEMO_NO_SUCH_DOCUMENT',
  'There is no such document. It may have been deleted, or the URL is incomplete.',
  404
)
export const UnknownFormat = createError(
  'DEMO_UNKNOWN_FORMAT',
  'Files of this kind can\'t be opened in the editor.',
  415
)
export const NoContent = createError('DEMO_NO_CONTENT', 'Send the file as the body, as application/octet-stream.', 415)
export const UnusableName = createError('DEMO_UNUSABLE_NAME', '%s', 400)
export const UnusableRequest = createError(
  'DEMO_UNUSABLE_REQUEST',
  'This request can\'t be understood. Reload the page and try again.',
  400
)
export const NotHere = createError(
  'DEMO_NOT_HERE',
  'This page is only for users of the machine that runs this application.',
  403
)
export const OtherSite = createError('DEMO_OTHER_SITE', 'Only the pages of this application may do this.', 403)

/** @typedef {Error & { code?: string, statusCode?: number, serverCode?: number }} AnyError */

/** What a document server's error code means to the user. Source: docs/conversions.md#error-codes */
/** @type {Record<number, string>} */
const CONVERSION_PROBLEMS = {
  [-2]: 'Converting takes too long. Try again in a moment.',
  [-3]: 'This file is damaged, or its content is not what its name says.',
  [-4]: 'The document server can\'t fetch this document. Try again in a moment.',
  [-5]: 'This document is protected with a password.',
  [-8]: 'The document server doesn\'t accept requests of this application. The doctor can tell why.',
  [-9]: 'This document can\'t be converted to that format.',
  [-10]: 'This document is too large.'
}

/** @type {Record<string, string>} */
const MESSAGES = {
  FST_EDITOR_UPSTREAM: 'The document server can\'t be reached. Try again in a moment.',
  FST_EDITOR_UPSTREAM_TIMEOUT: 'The document server is too slow to answer. Try again in a moment.',
  FST_EDITOR_CONVERSION_TIMEOUT: 'Converting takes too long. Try again in a moment.',
  FST_EDITOR_CONVERSION_FAILED: 'This document can\'t be converted to that format.',
  FST_EDITOR_COMMAND_FAILED: 'The document server refuses this. The doctor can tell why.',
  FST_EDITOR_FILE_NOT_FOUND: 'There is no such document. It may have been deleted.',
  FST_EDITOR_VERSION_NOT_FOUND: 'This version is not kept any more.',
  FST_EDITOR_BEING_EDITED: 'Somebody is editing this document. Try again when nobody has it open.',
  FST_EDITOR_STORAGE_TIMEOUT: 'Storing takes too long. Try again in a moment.',
  FST_EDITOR_BUSY: 'This document is being saved. Try again in a moment.',
  FST_EDITOR_UNKNOWN_FORMAT: 'Files of this kind can\'t be opened in the editor.',
  FST_EDITOR_EMPTY_DOCUMENT: 'This file is empty.',
  FST_EDITOR_WRONG_FORMAT: 'The content of this file is not what its name says.',
  FST_EDITOR_DAMAGED_DOCUMENT: 'This file is damaged.',
  ENOSPC: 'There is no space left on the disk.'
}

/**
 * Says what went wrong, in words for the user.
 * @param {AnyError} error
 */
export function messageOf (error) {
  const { code = '', statusCode = 500, serverCode } = error
  if (code === 'FST_EDITOR_CONVERSION_FAILED' && serverCode !== undefined && serverCode in CONVERSION_PROBLEMS) {
    return CONVERSION_PROBLEMS[serverCode] ?? ''
  }
  if (code in MESSAGES) return MESSAGES[code] ?? ''
  return statusCode < 500 ? error.message : 'Something went wrong in this application.'
}
