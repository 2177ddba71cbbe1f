import type { RequestNotes } from './request-notes.js'

/** Of our own errors. Their messages contain no secrets. */
export const OWN_CODE = /^FST_EDITOR_/
/** Of Fastify itself, such as for a header that it cannot parse; plugins have other ones. */
const FASTIFY_CODE = /^FST_ERR_/

/** Whether a request to the handler, which has been answered or has failed, was ended by a hook of the application for certain. */
export function isEndedByHook ({ hasReachedAction, isReadingBody, error }: RequestNotes): boolean {
  if (hasReachedAction) return false
  return !error || !(isReadingBody || OWN_CODE.test(error.code) || FASTIFY_CODE.test(error.code))
}
