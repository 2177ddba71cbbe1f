// Calls of `captureDocument` that wait for the editor. It answers only one `downloadAs` at a time, and says nothing about which.
import { CaptureError } from './errors.js'

/** @import { DownloadAsEvent } from '@onlyoffice/doceditor-types' */
/** @typedef {NonNullable<DownloadAsEvent['data']>} DownloadedFile */

/**
 * @typedef {object} Capture
 * @property {string | undefined} fileType `undefined`: what the editor makes by default.
 * @property {(file: DownloadedFile) => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** No right to download. The editor raises no `onDownloadAs` then. */
const DENIED = -23

/** After another error, an answer that has not come for so long will not come. */
const GIVEN_UP_MS = 60_000

/** @typedef {ReturnType<typeof createCaptures>} Captures */

/** @param {(fileType: string | undefined) => void} downloadAs */
export function createCaptures (downloadAs) {
  /** @type {Capture[]} */
  const waiting = []
  /** What the editor was asked for last. It keeps its place when it is aborted: its answer must not go to the next. @type {Capture | undefined} */
  let current
  let isReady = false
  let givenUp = 0

  function next () {
    if (!isReady || current !== undefined) return
    current = waiting.shift()
    if (current === undefined) return
    try {
      downloadAs(current.fileType)
    } catch (cause) {
      finish()?.reject(new CaptureError('failed', 'The editor cannot be asked for the document', { cause }))
    }
  }

  /** The editor has answered. */
  function finish () {
    const finished = current
    clearTimeout(givenUp)
    givenUp = 0
    current = undefined
    queueMicrotask(next)
    return finished
  }

  /** @param {number} errorCode @param {string} description */
  function fail (errorCode, description) {
    if (current === undefined) return
    if (errorCode === DENIED) return finish()?.reject(new CaptureError('denied', 'The user has no right to download this document', { errorCode }))
    // It may be about something else: the answer may come yet.
    if (givenUp === 0) givenUp = setTimeout(() => finish()?.reject(new CaptureError('failed', `The editor made no file. It reported error ${errorCode}: ${description}`, { errorCode })), GIVEN_UP_MS)
  }

  return {
    /**
     * @param {string | undefined} fileType
     * @param {AbortSignal} signal
     * @returns {Promise<DownloadedFile>}
     */
    async add (fileType, signal) {
      signal.throwIfAborted()
      let abort = () => {}
      try {
        return await new Promise((resolve, reject) => {
          const capture = { fileType, resolve, reject }
          abort = () => {
            const position = waiting.indexOf(capture)
            if (position >= 0) waiting.splice(position, 1)
            reject(signal.reason)
          }
          signal.addEventListener('abort', abort)
          waiting.push(capture)
          next()
        })
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },

    /**
     * An event of the editor.
     * @param {string} name
     * @param {any} data
     * @returns {boolean} Whether it is the answer to a capture.
     */
    event (name, data) {
      if (name === 'onDocumentReady') {
        isReady = true
        next()
      }
      if (name === 'onError' && isReady) fail(data?.errorCode, String(data?.errorDescription ?? ''))
      if (name !== 'onDownloadAs' || current === undefined) return false
      finish()?.resolve(data ?? {})
      return true
    },

    /** The editor is gone. */
    end () {
      isReady = false
      const left = [finish(), ...waiting.splice(0)]
      for (const capture of left) capture?.reject(new CaptureError('closed', 'The editor was closed before it gave the document'))
    }
  }
}
