// Shows the outcomes of the user's actions beside the open editor.
import { ActionError } from './errors.js'

/** @import { Button, Notice } from './notice.js' */
/** @import { Messages } from './messages.js' */
/** @typedef {ReturnType<typeof createTeller>} Teller */

const READING_MS = 8000

/** While the document is being edited, no version can be restored. */
const BEING_EDITED = 'FST_EDITOR_BEING_EDITED'
/** The page's token has expired. Any other 401 is the application's: it has logged out the user. */
const EXPIRED = 'FST_EDITOR_UNAUTHORIZED'

/**
 * @param {object} dependencies
 * @param {Notice} dependencies.notice
 * @param {Messages} dependencies.messages
 * @param {() => boolean} dependencies.isFree Whether the fragment shows nothing more important.
 */
export function createTeller ({ notice, messages, isFree }) {
  let timer = 0

  function hide () {
    clearTimeout(timer)
    if (isFree()) notice.hide()
  }

  /** @param {Parameters<Notice['show']>[0]} content */
  function show (content) {
    clearTimeout(timer)
    if (isFree()) notice.show(content)
  }

  /** The page can do nothing more. @param {{ title: string, advice?: string }} texts */
  function mustReload (texts) {
    const buttons = [{ label: messages.reload, run: () => location.reload() }, { label: messages.dismiss, run: hide }]
    show({ place: 'bar', role: 'alert', ...texts, buttons })
  }

  /** @param {unknown} error */
  function textsOf (error) {
    const { status, code } = error instanceof ActionError ? error : { status: -1, code: '' }
    if (code === BEING_EDITED) return { title: messages.beingEdited, advice: messages.beingEditedAdvice }
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

    /** Shows that the action is in progress. @param {string} title */
    busy (title) {
      show({ place: 'bar', role: 'status', title })
    },

    /**
     * Shows that the action is done.
     * @param {string} title
     * @param {Button} [button]
     */
    done (title, button) {
      const dismiss = { label: messages.dismiss, run: hide }
      show({
        place: 'bar',
        role: 'status',
        title,
        buttons: button
          ? [{
              ...button,
              run: () => {
                hide()
                button.run()
              }
            }, dismiss]
          : []
      })
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
      const retry = again
        ? [{
            label: messages.tryAgain,
            run: () => {
              hide()
              again()
            }
          }]
        : []
      show({
        place: 'bar',
        role: 'alert',
        ...textsOf(error),
        buttons: [...retry, { label: messages.dismiss, run: hide }]
      })
    },

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
      show({
        place: 'bar',
        role: 'alert',
        title,
        advice,
        buttons: buttons.map(({ label, run }) => ({
          label,
          run: () => {
            hide()
            run()
          }
        }))
      })
    }
  }
}
