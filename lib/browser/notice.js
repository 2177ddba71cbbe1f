// The notices of a fragment over or beside the editor: a status while the document is opening, an alert if it does not
// open, and later the outcomes of the user's actions.
import { element, styleSheet } from './elements.js'
import { ActionError } from './errors.js'

/**
 * @typedef {object} Content
 * @property {'cover' | 'bar'} place Over the whole editor, or a bar above its status bar that covers no dialogs.
 * @property {'status' | 'alert'} role
 * @property {string} title
 * @property {string} [advice]
 * @property {string} [details] For the operator.
 * @property {Button[]} [buttons]
 * @property {boolean} [isBusy]
 */

/** @typedef {{ label: string, run: () => void }} Button */
/** @typedef {ReturnType<typeof createNotice>} Notice */

/** @type {WeakMap<HTMLElement, Notice>} */
const notices = new WeakMap()

/** @param {HTMLElement} fragment */
export function noticeOf (fragment) {
  const notice = notices.get(fragment) ?? createNotice(fragment)
  notices.set(fragment, notice)
  return notice
}

/**
 * Assistive technology announces the text: of a `status` when there is time, of an `alert` at once.
 * @param {HTMLElement} fragment
 */
function createNotice (fragment) {
  const notice = element('div', 'onlyoffice-notice', '', { tabIndex: -1, dir: 'auto' })

  function focus () {
    (notice.querySelector('button') ?? notice).focus()
  }

  return {
    /** For a notice that replaces the element with the focus. */
    focus,

    /** @param {Content} content */
    show ({ place, role, title, advice, details, buttons = [], isBusy = false }) {
      useStyle()
      const wasFocused = notice.contains(document.activeElement)
      const text = element('div', 'onlyoffice-notice-text')
      text.setAttribute('role', role)
      notice.className = `onlyoffice-notice onlyoffice-notice-${place}`
      notice.replaceChildren(...(isBusy ? [element('div', 'onlyoffice-notice-spinner')] : []), text)
      fragment.append(notice)
      // Added when the element is already in the page: assistive technology only announces its changes.
      text.append(
        ...[['title', title], ['advice', advice], ['details', details]].flatMap(([part, value]) =>
          value ? [element('p', `onlyoffice-notice-${part}`, value)] : []
        )
      )
      if (buttons.length > 0) notice.append(buttonsFor(buttons))
      if (wasFocused) focus()
      fragment.setAttribute('aria-busy', String(isBusy))
      setCovered(fragment, place === 'cover' && !isBusy)
    },

    hide () {
      const wasFocused = notice.contains(document.activeElement)
      notice.remove()
      fragment.removeAttribute('aria-busy')
      setCovered(fragment, false)
      if (wasFocused) fragment.querySelector('iframe')?.focus()
    }
  }
}

/**
 * Keeps the keyboard, too, from reaching an editor behind an alert.
 * @param {Element} fragment
 * @param {boolean} isCovered
 */
function setCovered (fragment, isCovered) {
  for (const frame of fragment.querySelectorAll('iframe')) frame.inert = isCovered
}

/** @param {Button[]} buttons */
function buttonsFor (buttons) {
  const group = element('div', 'onlyoffice-notice-buttons')
  group.append(...buttons.map(({ label, run }) =>
    element('button', 'onlyoffice-notice-button', label, { type: 'button', onclick: () => run() })
  ))
  return group
}

/**
 * System colors follow the page's color scheme and the user's settings. The page's own style sheets take precedence if
 * they are more specific. Only elements after the script of a fragment are placed over others: sanitized HTML of a user
 * may contain these classes, but no script.
 */
const NOTICE = ':where([data-onlyoffice-editor] > script) ~ .onlyoffice-notice'
const useStyle = styleSheet(`
:where([data-onlyoffice-editor]) { position: relative }
${NOTICE} {
  position: absolute; z-index: 1; box-sizing: border-box; overflow: auto;
  background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
${NOTICE}:focus { outline: none }
${NOTICE}-cover {
  inset: 0; display: flex; flex-direction: column; align-items: center; padding: 1.5rem; text-align: center;
}
${NOTICE}-cover::before, ${NOTICE}-cover::after { content: ""; flex: 1 }
${NOTICE}-bar {
  bottom: 2.75rem; left: 50%; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem;
  width: max-content; max-width: min(44rem, 100% - 1.5rem); max-height: calc(100% - 3.5rem); padding: .625rem 1rem;
  transform: translateX(-50%); border: 1px solid color-mix(in srgb, CanvasText 25%, Canvas); border-radius: .5rem;
  box-shadow: 0 .25rem 1rem rgb(0 0 0 / .2); font-size: 14px;
}
${NOTICE} p { max-width: 34rem; margin: 0; padding: 0; color: inherit; font: inherit }
${NOTICE}-cover p { margin: 0 auto; text-wrap: balance }
${NOTICE}-bar .onlyoffice-notice-text { flex: 1 1 16rem }
${NOTICE}-cover .onlyoffice-notice-title:not(:last-child) { margin-bottom: .25rem; font-size: 1.25rem; font-weight: 600; line-height: 1.3 }
${NOTICE} .onlyoffice-notice-details { margin-top: .75rem; opacity: .75; font-size: .875rem }
${NOTICE}-bar .onlyoffice-notice-details { margin-top: 0 }
${NOTICE} .onlyoffice-notice-button {
  flex: none; margin: 0; padding: .5rem 1.125rem; border: 1px solid transparent; border-radius: .375rem;
  background: #2f5fb3; color: #fff; font: inherit; font-weight: 600; cursor: pointer;
}
${NOTICE} .onlyoffice-notice-button:hover { background: #244c91 }
${NOTICE} .onlyoffice-notice-button:focus-visible { outline: 2px solid CanvasText; outline-offset: 2px }
${NOTICE} .onlyoffice-notice-button + .onlyoffice-notice-button { border-color: color-mix(in srgb, CanvasText 35%, Canvas); background: Canvas; color: CanvasText }
${NOTICE} .onlyoffice-notice-button + .onlyoffice-notice-button:hover { background: color-mix(in srgb, CanvasText 10%, Canvas) }
${NOTICE} .onlyoffice-notice-buttons { display: flex; flex-wrap: wrap; gap: .5rem; flex: none; max-width: 100% }
${NOTICE}-cover .onlyoffice-notice-buttons { margin-top: 1.25rem; justify-content: center }
:where(${NOTICE}) > .onlyoffice-notice-spinner {
  flex: none; width: 1.75rem; height: 1.75rem; margin-bottom: .75rem; box-sizing: border-box;
  border: 3px solid color-mix(in srgb, CanvasText 20%, Canvas); border-top-color: #2f5fb3; border-radius: 50%;
  animation: onlyoffice-notice-turn 1s linear infinite;
}
@keyframes onlyoffice-notice-turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { :where(${NOTICE}) > .onlyoffice-notice-spinner { animation: none } }
`)

/** @import { Button, Notice } from './notice.js' */
/** @import { Messages } from './messages.js' */
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
