// What a fragment says to its user while the document is open.
import { ActionError } from './errors.js'

/** @import { Button, Content, Notice } from './notice.js' */

/**
 * @typedef {Readonly<Record<
 *   'loading' | 'slow' | 'unreachable' | 'unreachableAdvice' | 'failed' | 'failedAdvice' | 'unconvertedAdvice' |
 *   'outdated' | 'outdatedAdvice' | 'expired' | 'expiredAdvice' | 'loggedOut' | 'loggedOutAdvice' | 'tryAgain' |
 *   'reload' | 'denied' | 'notFound' | 'nameTaken' | 'beingEdited' | 'beingEditedAdvice' | 'locked' | 'tooLarge'
 *   | 'refused' | 'notDone' | 'notDoneAdvice' | 'offlineAdvice' | 'savingCopy' | 'copySaved' | 'copyOffered' |
 *   'download' | 'restoring' | 'loadingHistory' | 'created' | 'linkReady' | 'open' | 'dismiss' | 'unstored' |
 *   'unstoredAdvice' | 'storedAgain' | 'closing' | 'unsent' | 'unsentAdvice' | 'unsavedAdvice' | 'closeAnyway' |
 *   'keepOpen' | 'closed' | 'openAgain' | 'chooseImage' | 'chooseCompare' | 'chooseCombine' | 'chooseInsert' |
 *   'chooseTemplate' | 'blankDocument' | 'chooseSpreadsheet' | 'sharing' | 'sharedByLink' | 'sharedWithNobody' |
 *   'changeSharing' | 'search' | 'searching' | 'nothingFound' | 'cancel',
 *   string>>} Messages In `copySaved` and `copyOffered`, `{name}` is the name of the copy.
 */
/** @typedef {ReturnType<typeof createTeller>} Teller */
/** @typedef {Pick<Content, 'title' | 'advice' | 'details'>} Standing What stays until something else is true. */

const READING_MS = 8000

/** While the document is being edited, no version can be restored. */
const BEING_EDITED = 'FST_EDITOR_BEING_EDITED'
/** The page's token has expired. Any other 401 is the application's: it has logged out the user. */
const EXPIRED = 'FST_EDITOR_UNAUTHORIZED'
const LOCKED = 'FST_EDITOR_LOCKED'

/**
 * @param {object} fragment
 * @param {Notice} fragment.notice
 * @param {Messages} fragment.messages
 * @param {() => boolean} fragment.isFree Whether the fragment shows nothing more important.
 */
export function createTeller ({ notice, messages, isFree }) {
  let timer = 0
  /** Whether an outcome is shown. @type {boolean} */
  let isTaken = false
  /** What is shown while no outcome is. @type {Standing | null} */
  let standing = null
  const reload = { label: messages.reload, run: () => location.reload() }
  const dismiss = { label: messages.dismiss, run: hide }

  function hide () {
    clearTimeout(timer)
    isTaken = false
    if (!isFree()) return
    if (!standing) return notice.hide()
    const hideForGood = () => { standing = null; hide() }
    notice.show({ place: 'bar', role: 'status', ...standing, buttons: [{ label: messages.dismiss, run: hideForGood }] })
  }

  /** @param {Pick<Content, 'role' | 'title' | 'advice' | 'buttons'>} content */
  function show (content) {
    clearTimeout(timer)
    isTaken = true
    if (isFree()) notice.show({ place: 'bar', ...content })
  }

  /** @param {Button} button @returns {Button} */
  function hiding ({ label, run }) {
    return { label, run: () => { hide(); run() } }
  }

  /** The page can do nothing more. @param {{ title: string, advice?: string }} texts */
  function mustReload (texts) {
    show({ role: 'alert', ...texts, buttons: [reload, dismiss] })
  }

  /** @param {unknown} error */
  function textsOf (error) {
    const { status, code, forUser } = error instanceof ActionError ? error : { status: -1, code: '', forUser: '' }
    if (forUser) return { title: messages.refused, advice: forUser }
    if (code === BEING_EDITED) return { title: messages.beingEdited, advice: messages.beingEditedAdvice }
    if (code === LOCKED) return { title: messages.locked }
    if (code === EXPIRED) return { title: messages.expired, advice: messages.expiredAdvice }
    if (status === 401) return { title: messages.loggedOut, advice: messages.loggedOutAdvice }
    if (status === 403) return { title: messages.denied }
    if (status === 404) return { title: messages.notFound }
    if (status === 409) return { title: messages.nameTaken }
    if (status === 413) return { title: messages.tooLarge }
    if (status >= 400 && status < 500) return { title: messages.refused }
    return { title: messages.notDone, advice: status === 0 ? messages.offlineAdvice : messages.notDoneAdvice }
  }

  return {
    hide,

    /**
     * Shows something until the user hides it, or until `null` takes its place.
     * @param {Standing | null} content
     */
    stand (content) {
      standing = content
      if (!isTaken) hide()
    },

    /** Shows why the user cannot edit, if so. @param {{ lockReason: string | undefined }} page */
    locked ({ lockReason: advice }) {
      if (advice !== undefined) this.stand({ title: messages.locked, advice })
    },

    /** Shows that the action is in progress. @param {string} title */
    busy (title) {
      show({ role: 'status', title })
    },

    /**
     * Shows that the action is done.
     * @param {string} title
     * @param {Button} [button]
     */
    done (title, button) {
      show({ role: 'status', title, buttons: button ? [hiding(button), dismiss] : [] })
      if (!button) timer = setTimeout(hide, READING_MS)
    },

    /**
     * Shows that the action has failed.
     * @param {unknown} error
     * @param {() => void} [again] Tries again. Without it the user cannot.
     */
    failed (error, again) {
      console.error(error)
      if (error instanceof ActionError && error.status === 401) return mustReload(textsOf(error))
      const retry = again ? [hiding({ label: messages.tryAgain, run: again })] : []
      show({ role: 'alert', ...textsOf(error), buttons: [...retry, dismiss] })
    },

    /** The document was frozen, and the editor is disconnected. @param {string} reason */
    sentAway: reason => mustReload({ title: messages.locked, advice: reason }),

    outdated: () => mustReload({ title: messages.outdated, advice: messages.outdatedAdvice }),

    /**
     * The text of an error that the editor itself shows.
     * @param {unknown} error
     */
    textOf (error) {
      console.error(error)
      const { title, advice } = textsOf(error)
      return advice ? `${title}. ${advice}` : title
    },

    /**
     * Asks a question.
     * @param {{ title: string, advice: string, buttons: Button[] }} question
     */
    ask ({ title, advice, buttons }) {
      show({ role: 'alert', title, advice, buttons: buttons.map(hiding) })
    }
  }
}
