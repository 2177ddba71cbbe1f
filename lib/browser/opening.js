// Follows a document until it is open: shows the progress to the user, and reports failures to the application.
import { NoFrameError } from './errors.js'
import { failureOf } from './messages.js'

/** @import { Notice } from './notice.js' */
/** @import { Messages } from './messages.js' */
/** @typedef {ReturnType<typeof followOpening>} Opening */

/** From the creation of the editor to `onDocumentReady`. After that the user learns that it takes longer. */
const USUAL_MS = 30_000

/**
 * @param {object} page
 * @param {Notice} page.notice
 * @param {Messages} page.messages
 * @param {(code: number | 'slow' | 'no-frame') => void} page.report
 * @param {() => (() => void) | null} page.leave Removes the editor of a document that could not be converted,
 *   so that nobody has it open. Returns a function that tries again; `null` if the page cannot.
 * @param {() => boolean} page.isInPage Whether the page still has the fragment: a page may remove it without
 *   `unmountEditor`.
 */
export function followOpening ({ notice, messages, report, leave, isInPage }) {
  /** @type {'loading' | 'shown' | 'slow' | 'failed' | 'over'} */
  let state = 'loading'
  let timer = 0
  const reload = { label: messages.reload, run: () => location.reload() }
  // If api.js is already loaded, the editor's frame is requested before that.
  setTimeout(() => { if (state === 'loading') showLoading() })

  function showLoading () {
    notice.show({ place: 'cover', role: 'status', title: messages.loading, isBusy: true })
  }

  /** The editor shows something of its own. */
  function showEditor () {
    state = 'shown'
    notice.hide()
  }

  function slow () {
    if (!isInPage()) return end()
    state = 'slow'
    notice.show({ place: 'bar', role: 'status', title: messages.slow })
    report('slow')
  }

  /** @param {unknown} data Data of `onError`. */
  function fail (data) {
    const failure = failureOf(data)
    if (!failure) return
    const { code, kind, reason } = failure
    const isOutdated = kind === 'outdated'
    clearTimeout(timer)
    state = 'failed'
    const tryAgain = kind === 'unconverted' ? leave() : null
    notice.show({
      // The editor may have a dialog about an error that is unknown here.
      place: kind === 'unknown' ? 'bar' : 'cover',
      role: 'alert',
      title: isOutdated ? messages.outdated : messages.failed,
      advice: isOutdated ? messages.outdatedAdvice : tryAgain ? messages.unconvertedAdvice : messages.failedAdvice,
      details: detailsOf(code, reason),
      buttons: [tryAgain ? { label: messages.tryAgain, run: () => { showLoading(); tryAgain() } } : reload]
    })
    report(code)
  }

  function stop () {
    clearTimeout(timer)
    state = 'over'
  }

  function end () {
    stop()
    notice.hide()
  }

  return {
    /** Whether the document is open, or its fragment was unmounted. */
    isOver: () => state === 'over',
    end,
    /** To be called when another opening follows in the same fragment. */
    stop,
    /** The editor was created. Its events should follow. */
    created () {
      if (state === 'loading' || state === 'shown') timer = setTimeout(slow, USUAL_MS)
    },
    /**
     * The editor was not created.
     * @param {Error} error
     * @param {() => void} tryAgain
     */
    notCreated (error, tryAgain) {
      state = 'failed'
      const isRefused = error instanceof NoFrameError
      notice.show({
        place: 'cover',
        role: 'alert',
        title: isRefused ? messages.failed : messages.unreachable,
        advice: isRefused ? messages.failedAdvice : messages.unreachableAdvice,
        details: isRefused ? error.message : detailsOf(0, error.message),
        buttons: [isRefused ? reload : { label: messages.tryAgain, run: tryAgain }]
      })
      report(isRefused ? 'no-frame' : 0)
    },
    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {unknown} data
     */
    event (name, data) {
      if (state === 'over') return
      if (name === 'onDocumentReady') return end()
      if (state === 'failed') return
      if (name === 'onError') return fail(data)
      if (name === 'onAppReady' && state === 'loading') showEditor()
      if (name !== 'onUserActionRequired') return
      clearTimeout(timer) // a dialog, for example for a password, stays open for as long as the user likes
      showEditor()
    }
  }
}

/**
 * @param {number} code
 * @param {string} reason
 */
function detailsOf (code, reason) {
  return reason ? `Error ${code}: ${reason}` : `Error ${code}`
}
