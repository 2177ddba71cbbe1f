// The document in the open editor, with unsaved changes.
import { assertOptions } from './arguments.js'
import { CaptureError } from './errors.js'
import { firstMounted, stateOf } from './registry.js'

/** @import { FileType } from '@onlyoffice/doceditor-types' */

const TIME_LIMIT_MS = 60_000

/**
 * Fetches the document in the open editor, with unsaved changes, through the handler's proxy action.
 *
 * The editor makes one file at a time: of several calls, each waits for those before it, a few seconds also for one that was aborted.
 * Rejects with a `CaptureError`, whose `code` tells why, or with the reason of `signal`.
 * @param {object} [options]
 * @param {Element | null} [options.fragment] Default: the first fragment in the page with an editor.
 * @param {FileType} [options.fileType] Format, such as `pdf`; any other than the one asked for is an error. Default: the format of the
 *   document, or what the editor makes instead of it.
 * @param {AbortSignal} [options.signal] Default: ends after 60 seconds.
 * @returns {Promise<File>} Named like the document, with the extension of its format.
 * @example
 * const pdf = await captureDocument({ fileType: 'pdf' })
 */
export async function captureDocument (options = {}) {
  assertOptions(options, ['fragment', 'fileType', 'signal'])
  const { fragment = firstMounted(), fileType, signal } = options
  const editor = fragment && stateOf(fragment).editor
  if (!editor) throw new CaptureError('not-mounted', 'No editor is mounted: wait for mountEditor()')
  if (signal) return await editor.capture(fileType, signal)
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort(new CaptureError('timeout', `The document was not there after ${TIME_LIMIT_MS / 1000} s`))
  }, TIME_LIMIT_MS)
  try {
    return await editor.capture(fileType, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}
