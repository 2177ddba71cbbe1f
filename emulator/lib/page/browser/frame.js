/**
 * The toolbar, notes and screens around the document.
 */

/** @template {Element} E @param {string} name @returns {E} */
export function part (name) {
  return /** @type {E} */ (document.querySelector(`[${name}]`))
}

const TOAST_MS = 6000

const STATES = {
  connecting: 'Opening…',
  ready: 'No changes',
  viewing: 'View only',
  commenting: 'Comments only',
  editing: 'Editing…',
  received: 'Unsaved changes',
  saving: 'Saving…',
  stored: 'Saved',
  reconnecting: 'Reconnecting…',
  error: 'Not saved',
  refused: 'Not opened',
  closed: 'Closed'
}

/** @type {HTMLElement} */ export const content = part('data-content')
/** @type {HTMLElement} */ export const tools = part('data-tools')
/** @type {HTMLElement} */ const formats = part('data-formats')
/** @type {HTMLElement} */ export const versionBar = part('data-versions')
/** @type {HTMLButtonElement} */ export const saveButton = part('data-action="save"')
/** @type {HTMLButtonElement} */ export const closeButton = part('data-action="close"')
/** @type {HTMLButtonElement} */ export const retryButton = part('data-action="retry"')
/** @type {HTMLButtonElement} */ export const reloadButton = part('data-action="reload"')
let isCut = false

/**
 * Gives an element other children, and leaves it alone if they look the same as those it has: one that is being clicked
 * would miss the click, and a screen reader would lose its place.
 * @param {HTMLElement} element @param {...Element} children
 */
export function showChildren (element, ...children) {
  const next = /** @type {HTMLElement} */ (element.cloneNode())
  next.append(...children)
  if (!next.isEqualNode(element)) element.replaceChildren(...children)
}

/** @param {keyof typeof STATES} state */
export function showState (state) {
  const shown = isCut && !['closed', 'refused'].includes(state) ? 'reconnecting' : state
  /** @type {HTMLElement} */
  const element = part('data-state')
  if (element.dataset.state === shown) return
  element.dataset.state = shown
  element.textContent = STATES[shown]
}

/** @param {string} title */
export function showTitle (title) {
  part('data-title').textContent = title
  document.title = title
}

/** @param {string | null} text */
export function showNote (text) {
  /** @type {HTMLElement} */
  const note = part('data-note')
  note.hidden = text === null
  note.textContent = text
}

/** Shows whether the connection is lost. Meanwhile no other state is shown. @param {boolean} value */
export function showCut (value) {
  isCut = value
  /** @type {HTMLElement} */
  const note = part('data-cut')
  note.hidden = !value
}

let toastTimer = 0

/** @param {string} text */
export function showToast (text) {
  /** @type {HTMLElement} */
  const toast = part('data-toast')
  toast.hidden = false
  toast.textContent = text
  clearTimeout(toastTimer)
  toastTimer = setTimeout(() => { toast.hidden = true }, TOAST_MS)
}

/** What formats the text in the document. @param {...Element} controls */
export function showFormats (...controls) {
  formats.replaceChildren(...controls)
  formats.hidden = controls.length === 0
}

/** Shows the document again. */
export function hideScreen () {
  part('data-screen').setAttribute('hidden', '')
  content.hidden = false
}

/**
 * Replaces the document with a message.
 *
 * @param {string} title
 * @param {string} text
 */
export function showScreen (title, text) {
  /** @type {HTMLElement} */
  const screen = part('data-screen')
  content.hidden = true
  content.setAttribute('aria-busy', 'false')
  screen.hidden = false
  saveButton.hidden = true
  part('data-users').replaceChildren()
  part('data-screen-title').textContent = title
  part('data-screen-text').textContent = text
}
