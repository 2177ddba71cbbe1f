// The menu of a document. One for all rows: it is filled when it is opened.
import { find, currentUser } from '../shared/page.js'
import * as actions from './actions.js'

/** @typedef {import('./actions.js').Listed} Listed */

const GAP = 4

const menu = find('[data-menu]')
/** @type {HTMLElement | null} */
let opener = null
/** @type {Listed | null} */
let chosen = null
let openedAt = 0
/** The pointer is pressed on the button of the open menu, which closes it. */
let isClosing = false

/** @param {HTMLElement} list */
export function openMenus (list) {
  list.addEventListener('click', event => {
    const more = moreButton(event)
    if (more && !isClosing) open(more, 0)
    isClosing = false
  })
  list.addEventListener('pointerdown', event => {
    isClosing = menu.matches(':popover-open') && moreButton(event) === opener
  })
  list.addEventListener('keydown', event => {
    const more = moreButton(event)
    if (!more || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    open(more, event.key === 'ArrowUp' ? -1 : 0)
  })
  menu.addEventListener('keydown', onKey)
  menu.addEventListener('beforetoggle', event => {
    const isOpen = /** @type {ToggleEvent} */ (event).newState === 'open'
    opener?.setAttribute('aria-expanded', String(isOpen))
  })
  menu.addEventListener('click', event => {
    const name =
      /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-item]'))?.dataset.item ??
        ''
    const run = actions.items[name]
    menu.hidePopover()
    if (run && chosen) run(chosen)
  })
  // Not when the event is about scrolling before it was opened.
  addEventListener('scroll', () => {
    if (opener?.getBoundingClientRect().bottom !== openedAt) menu.hidePopover()
  }, { passive: true })
  addEventListener('resize', () => menu.hidePopover())
}

/**
 * @param {Event} event
 * @returns {HTMLElement | null}
 */
function moreButton ({ target }) {
  return /** @type {Element} */ (target).closest('[data-more]')
}

/**
 * @param {HTMLElement} more
 * @param {number} position Of the item that gets the focus; -1: the last one.
 */
function open (more, position) {
  const row = /** @type {HTMLElement} */ (more.closest('tr'))
  opener = more
  chosen = actions.listed(row)
  fill(chosen)
  menu.showPopover()
  const { bottom, top, right } = more.getBoundingClientRect()
  openedAt = bottom
  const { offsetHeight: height, offsetWidth: width } = menu
  const fitsBelow = bottom + GAP + height <= innerHeight
  menu.style.top = `${Math.max(GAP, fitsBelow ? bottom + GAP : Math.min(top - GAP - height, innerHeight - GAP - height))}px`
  menu.style.left = `${Math.max(GAP, right - width)}px`
  items().at(position)?.focus()
}

/** @param {Listed} document */
function fill ({ id, name, isFavorite }) {
  const query = new URLSearchParams({ user: currentUser() })
  menu.setAttribute('aria-label', `More for ${name}`)
  link('edit', `/edit/${id}?${query}`)
  link('view', `/edit/${id}?${query}&mode=view`)
  link('two', `/two?${new URLSearchParams({ user: currentUser(), document: id })}`)
  link('versions', `/documents/${id}/versions?${query}`)
  link('download', `/documents/${id}/download`)
  find('[data-item="favorite"]', menu).textContent = isFavorite ? 'Remove from favorites' : 'Add to favorites'
}

/**
 * @param {string} item
 * @param {string} url
 */
function link (item, url) {
  /** @type {HTMLAnchorElement} */ (find(`[data-item="${item}"]`, menu)).href = url
}

/** @returns {HTMLElement[]} */
function items () {
  return [...menu.querySelectorAll('[role="menuitem"]')].map(item => /** @type {HTMLElement} */ (item))
}

/** @param {KeyboardEvent} event */
function onKey (event) {
  const all = items()
  const position = all.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  if (event.key === 'Tab') {
    menu.hidePopover()
    opener?.focus()
    return
  }
  const next = nextPosition(event.key, position, all)
  if (next === undefined) return
  event.preventDefault()
  all.at(next)?.focus()
}

/**
 * @param {string} key
 * @param {number} position
 * @param {HTMLElement[]} all
 */
function nextPosition (key, position, all) {
  if (key === 'ArrowDown') return (position + 1) % all.length
  if (key === 'ArrowUp') return position - 1
  if (key === 'Home') return 0
  if (key === 'End') return -1
  if (key.length !== 1 || key === ' ') return undefined
  const after = [...all.slice(position + 1), ...all.slice(0, position + 1)]
  const found = after.find(item => item.textContent?.toLowerCase().startsWith(key.toLowerCase()))
  return found && all.indexOf(found)
}
