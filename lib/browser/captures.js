// Queues calls of `captureDocument`: the editor answers only one `downloadAs` at a time, and does not say which one.
// Few pages need this module, so it is loaded with the first call. The page's module passes it the class of its errors,
// which callers compare.
import { wasLedElsewhere } from './request.js'

/** @import { DownloadAsEvent } from '@onlyoffice/doceditor-types' */
/** @import { EditorPage } from './fragment.js' */

/** @typedef {NonNullable<DownloadAsEvent['data']>} DownloadedFile */

/**
 * @typedef {object} Capture
 * @property {string | undefined} fileType `undefined` for the editor's default.
 * @property {(file: DownloadedFile) => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** The user has no right to download. The editor then raises no `onDownloadAs`. */
const DENIED = -23
/** The conversion has failed. The editor raises it as a warning. */
const NOT_CONVERTED = -83

/** The document server itself gives up after five minutes. */
const SILENT_MS = 300_000
/** An answer that is this late after another error or warning will not come. */
const REPORTED_MS = 30_000
/** Time for the answer to an aborted capture. */
const ABORTED_MS = 5_000

/** Formats with another file type. @type {Record<string, string>} */
const SAME_TYPE = { pdfa: 'pdf', jpeg: 'jpg' }

/** @typedef {ReturnType<typeof createCaptures>} Captures */

/**
 * @param {object} editor
 * @param {EditorPage} editor.page
 * @param {() => string} editor.title
 * @param {boolean} editor.isReady Whether the document is open.
 * @param {(fileType: string | undefined) => void} editor.downloadAs
 * @param {typeof import('./errors.js').CaptureError} CaptureError
 */
export function createCaptures ({ page, title, isReady, downloadAs }, CaptureError) {
  /** @type {Capture[]} */
  const waiting = []
  /**
   * The latest request to the editor. When aborted, it keeps its place for a while: its answer must not go to the next
   * one.
   * @type {Capture | undefined}
   */
  let current
  /** Whether the answer to an abandoned capture may still come. */
  let isOneLate = false
  /** Whether the time of the current capture is already limited. */
  let isEnding = false
  let timer = 0

  function next () {
    if (!isReady || current !== undefined) return
    current = waiting.shift()
    if (current !== undefined) ask(current)
  }

  /** @param {Capture} capture */
  function ask ({ fileType }) {
    isEnding = false
    giveUpIn(SILENT_MS, new CaptureError('timeout', `The editor did not answer within ${SILENT_MS / 1000} s`))
    try {
      downloadAs(fileType)
    } catch (cause) {
      finish()?.reject(new CaptureError('failed', 'The editor cannot be asked for the document', { cause }))
    }
  }

  /** @param {number} milliseconds @param {unknown} [reason] */
  function giveUpIn (milliseconds, reason) {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isOneLate = true
      finish()?.reject(reason)
    }, milliseconds)
  }

  /** @returns {Capture | undefined} The one whose turn it was. */
  function finish () {
    const finished = current
    clearTimeout(timer)
    current = undefined
    queueMicrotask(next)
    return finished
  }

  /**
   * The editor has answered. If the answer may belong to an earlier capture, the editor is asked again: it makes one
   * file at a time.
   * @returns {Capture | undefined}
   */
  function answered () {
    const wasLate = isOneLate
    isOneLate = false
    if (!wasLate || current === undefined) return finish()
    ask(current)
    return undefined
  }

  /** @param {number} errorCode @param {string} description @param {unknown} cause */
  function reported (errorCode, description, cause) {
    const failure = new CaptureError('failed', `The editor made no file. It reported ${errorCode}: ${description}`, {
      errorCode,
      cause
    })
    if (errorCode === NOT_CONVERTED) return answered()?.reject(failure)
    if (errorCode === DENIED) {
      return finish()?.reject(
        new CaptureError('denied', 'The user has no right to download this document', { errorCode, cause })
      )
    }
    if (current === undefined || isEnding) return
    isEnding = true
    giveUpIn(REPORTED_MS, failure) // it may be about something else: the answer may still come
  }

  /**
   * @param {string | undefined} fileType
   * @param {AbortSignal} signal
   * @returns {Promise<DownloadedFile>}
   */
  async function turnOf (fileType, signal) {
    signal.throwIfAborted()
    let abort = () => {}
    try {
      return await new Promise((resolve, reject) => {
        const capture = { fileType, resolve, reject }
        abort = () => {
          const position = waiting.indexOf(capture)
          if (position >= 0) waiting.splice(position, 1)
          if (capture === current) {
            isEnding = true
            giveUpIn(ABORTED_MS)
          }
          reject(signal.reason)
        }
        signal.addEventListener('abort', abort)
        waiting.push(capture)
        next()
      })
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  return {
    /**
     * @param {string | undefined} fileType
     * @param {AbortSignal} signal
     * @returns {Promise<File>}
     */
    async capture (fileType, signal) {
      const { url, fileType: made = fileType ?? page.config.document?.fileType ?? '' } = await turnOf(fileType, signal)
      if (fileType !== undefined && !isSame(fileType, made)) {
        throw new CaptureError('format', `The editor cannot make ${fileType} of this document: it made ${made}`, {
          fileType: made
        })
      }
      if (!url) throw new CaptureError('failed', 'The editor returned no URL for the document')
      const blob = await fetchThroughProxy(page, url, signal, CaptureError)
      return new File([blob], `${title().replace(/\.[^.]*$/, '')}.${made}`, { type: blob.type })
    },

    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {any} data
     * @returns {boolean} Whether it is the answer to a capture.
     */
    event (name, data) {
      if (name === 'onDocumentReady') {
        isReady = true
        next()
      }
      if (name === 'onError' && isReady) reported(data?.errorCode, String(data?.errorDescription ?? ''), data)
      if (name === 'onWarning' && isReady) reported(data?.warningCode, String(data?.warningDescription ?? ''), data)
      if (name !== 'onDownloadAs' || (current === undefined && !isOneLate)) return false
      answered()?.resolve(data ?? {})
      return true
    },

    /** Ends all captures: the editor is gone. */
    end () {
      isReady = false
      const left = [finish(), ...waiting.splice(0)]
      for (const capture of left) {
        capture?.reject(new CaptureError('closed', 'The editor was closed before it gave the document'))
      }
    }
  }
}

/**
 * @param {string} asked
 * @param {string} made
 */
function isSame (asked, made) {
  const [one, other] = [asked, made].map(type => SAME_TYPE[type.toLowerCase()] ?? type.toLowerCase())
  return one === other
}

/**
 * Fetches a document through the handler's proxy action.
 * @param {EditorPage} page
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {typeof import('./errors.js').CaptureError} CaptureError
 */
export async function fetchThroughProxy ({ handler, fileId, proxyToken }, url, signal, CaptureError) {
  const query = new URLSearchParams({ action: 'proxy', fileId, url })
  try {
    const response = await fetch(`${handler}?${query}`, { signal, headers: { 'x-editor-proxy-token': proxyToken } })
    const { ok, status } = response
    if (wasLedElsewhere(response, handler)) {
      throw new CaptureError('expired', 'The application has logged out the user: reload the page', { status: 401 })
    }
    if (status === 401) {
      throw new CaptureError('expired', 'The proxy token of this page has expired: reload the page', { status })
    }
    if (!ok) {
      throw new CaptureError('failed', `The proxy action answered ${status}: ${await response.text()}`, { status })
    }
    return await response.blob()
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    if (cause instanceof CaptureError) throw cause
    throw new CaptureError('unreachable', 'The proxy action did not answer', { cause })
  }
}
