// Queues calls of `captureDocument`: the editor answers only one `downloadAs` at a time, and does not say which one.
import { CaptureError } from './errors.js'
import { wasLedElsewhere } from './request.js'

/** @import { DownloadAsEvent } from '@onlyoffice/doceditor-types' */
/** @import { EditorPage } from './fragment.js' */

/** @typedef {NonNullable<DownloadAsEvent['data']>} DownloadedFile */

/** The user has no right to download. The editor then raises no `onDownloadAs`. */
const DENIED = -23
/** The conversion has failed. The editor raises it as a warning. */
const NOT_CONVERTED = -83

/** The document server itself gives up after five minutes. */
const SILENT_MS = 300_000

/** Formats with another file type. @type {Record<string, string>} */
const SAME_TYPE = { pdfa: 'pdf', jpeg: 'jpg' }

/** @typedef {ReturnType<typeof createCaptures>} Captures */

/**
 * @param {object} editor
 * @param {EditorPage} editor.page
 * @param {() => string} editor.title
 * @param {(fileType: string | undefined) => void} editor.downloadAs
 */
export function createCaptures ({ page, title, downloadAs }) {
  const closed = new AbortController()
  let ready = () => {}
  /**
   * Settles when the editor may be asked: the document is open, and it has answered, even a capture that was aborted.
   * @type {Promise<void>}
   */
  let free = new Promise(resolve => { ready = resolve })
  /**
   * What the editor was asked for.
   * @type {{ resolve: (file: DownloadedFile) => void, reject: (reason: unknown) => void } | undefined}
   */
  let current

  /**
   * @param {string | undefined} fileType
   * @returns {Promise<DownloadedFile>}
   */
  async function asked (fileType) {
    let timer = 0
    try {
      return await new Promise((resolve, reject) => {
        current = { resolve, reject }
        const silence = new CaptureError('timeout', `The editor did not answer within ${SILENT_MS / 1000} s`)
        timer = setTimeout(reject, SILENT_MS, silence)
        downloadAs(fileType)
      })
    } catch (cause) {
      if (cause instanceof CaptureError) throw cause
      throw new CaptureError('failed', 'The editor cannot be asked for the document', { cause })
    } finally {
      clearTimeout(timer)
      current = undefined
    }
  }

  /**
   * @param {string | undefined} fileType
   * @param {AbortSignal} signal
   * @returns {Promise<DownloadedFile>}
   */
  function inTurn (fileType, signal) {
    return new Promise((resolve, reject) => {
      for (const end of [signal, closed.signal]) {
        if (end.aborted) reject(end.reason)
        end.addEventListener('abort', () => reject(end.reason), { once: true })
      }
      free = free.then(async () => {
        if (!signal.aborted && !closed.signal.aborted) await asked(fileType).then(resolve, reject)
      })
    })
  }

  return {
    /**
     * @param {string | undefined} fileType
     * @param {AbortSignal} signal
     * @returns {Promise<File>}
     */
    async capture (fileType, signal) {
      const { url, fileType: made = fileType ?? page.config.document?.fileType ?? '' } = await inTurn(fileType, signal)
      if (fileType !== undefined && !isSame(fileType, made)) {
        throw new CaptureError('format', `The editor cannot make ${fileType} of this document: it made ${made}`, {
          fileType: made
        })
      }
      if (!url) throw new CaptureError('failed', 'The editor returned no URL for the document')
      const blob = await fetchThroughProxy(page, url, signal)
      return new File([blob], `${title().replace(/\.[^.]*$/, '')}.${made}`, { type: blob.type })
    },

    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {any} data
     * @returns {boolean} Whether it is the answer to a capture.
     */
    event (name, data) {
      if (name === 'onDocumentReady') ready()
      if (name === 'onError' && data?.errorCode === DENIED) {
        const details = { errorCode: DENIED, cause: data }
        current?.reject(new CaptureError('denied', 'The user has no right to download this document', details))
      }
      if (name === 'onWarning' && data?.warningCode === NOT_CONVERTED) {
        const details = { errorCode: NOT_CONVERTED, cause: data }
        current?.reject(new CaptureError('failed', `The editor made no file: ${data.warningDescription}`, details))
      }
      if (name !== 'onDownloadAs' || current === undefined) return false
      current.resolve(data ?? {})
      return true
    },

    /** Ends all captures: the editor is gone. */
    end () {
      closed.abort(new CaptureError('closed', 'The editor was closed before it gave the document'))
      current?.reject(closed.signal.reason)
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
 */
export async function fetchThroughProxy ({ handler, fileId, proxyToken }, url, signal) {
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
