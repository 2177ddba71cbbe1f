/**
 * The bar, the notes and the screens around the document.
 */

/** @template {Element} E @param {string} name @returns {E} */
function part (name) {
  return /** @type {E} */ (document.querySelector(`[${name}]`))
}

const TOAST_MS = 6000

const STATES = {
  connecting: 'Opening…',
  ready: 'No changes',
  viewing: 'View only',
  editing: 'Editing…',
  received: 'All changes saved',
  saving: 'Saving…',
  stored: 'Saved',
  error: 'Not saved',
  refused: 'Not opened',
  closed: 'Closed'
}

/** @type {HTMLElement} */ export const content = part('data-content')
/** @type {HTMLButtonElement} */ export const saveButton = part('data-action="save"')
/** @type {HTMLButtonElement} */ export const closeButton = part('data-action="close"')

/** @param {keyof typeof STATES} state */
export function showState (state) {
  /** @type {HTMLElement} */
  const element = part('data-state')
  if (element.dataset.state === state) return
  element.dataset.state = state
  element.textContent = STATES[state]
}

/** @param {string} title */
export function showTitle (title) {
  part('data-title').textContent = title
  document.title = title
}

/** @param {import('./protocol.js').User[]} users */
export function showUsers (users) {
  part('data-users').replaceChildren(...users.map(({ name, viewOnly, self }) => {
    const item = document.createElement('li')
    item.textContent = name.split(/\s+/).map(word => [...word][0] ?? '').slice(0, 2).join('').toUpperCase()
    item.title = `${name}${self ? ' (you)' : ''}${viewOnly ? ', viewing' : ''}`
    item.setAttribute('aria-label', item.title)
    item.className = `${self ? 'self' : ''} ${viewOnly ? 'viewer' : ''}`
    return item
  }))
}

/** @param {string | null} text */
export function showNote (text) {
  /** @type {HTMLElement} */
  const note = part('data-note')
  note.hidden = text === null
  note.textContent = text
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

/** Takes the place of the document. @param {string} title @param {string} text */
export function showScreen (title, text) {
  /** @type {HTMLElement} */
  const screen = part('data-screen')
  content.hidden = true
  screen.hidden = false
  saveButton.disabled = true
  part('data-screen-title').textContent = title
  part('data-screen-text').textContent = text
}
