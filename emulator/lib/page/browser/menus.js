import { element } from './dom.js'
import { part } from './frame.js'

/** The menus of the toolbar, by their names. */
export const menus = { file: menu('file'), insert: menu('insert') }

/** @param {string} name */
function menu (name) {
  /** @type {HTMLElement} */
  const holder = part(`data-menu="${name}"`)
  const [opener, list] = /** @type {[HTMLButtonElement, HTMLElement]} */ (/** @type {unknown} */ ([...holder.children]))
  const items = () => /** @type {HTMLElement[]} */ ([...list.children]).filter(({ hidden }) => !hidden)

  /** @param {boolean} isOpen */
  function show (isOpen) {
    list.hidden = !isOpen
    opener.setAttribute('aria-expanded', String(isOpen))
  }

  /** @param {KeyboardEvent} event */
  function press (event) {
    const all = items()
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement))
    const next = new Map([
      ['ArrowDown', at + 1], ['ArrowUp', at < 0 ? -1 : at - 1], ['Home', 0], ['End', -1]
    ]).get(event.key)
    if (next !== undefined && (at >= 0 || event.key.startsWith('Arrow'))) {
      show(true)
      all.at(next % all.length)?.focus()
    } else if (at >= 0 && ['Escape', 'ArrowLeft', 'ArrowRight'].includes(event.key)) {
      opener.focus()
      show(false)
      if (event.key !== 'Escape') return // the toolbar goes on from here
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  holder.addEventListener('keydown', press)
  holder.addEventListener('focusout', ({ relatedTarget: to }) => {
    if (!(to instanceof Node) || !holder.contains(to)) show(false)
  })
  opener.addEventListener('click', () => {
    show(opener.ariaExpanded === 'false')
    items()[0]?.focus()
  })
  list.addEventListener('click', () => {
    opener.focus() // whatever opens gives the focus back to it
    show(false)
  }, { capture: true })

  return {
    /** @param {HTMLElement[]} children */
    fill (children) {
      list.replaceChildren(...children)
    },
    /** Without items there is no menu. */
    update () {
      holder.hidden = items().length === 0
    }
  }
}

/** @param {string} textContent @param {() => void} onclick @param {object} [properties] */
export function menuItem (textContent, onclick, properties) {
  return element('button', { type: 'button', role: 'menuitem', tabIndex: -1, textContent, onclick, ...properties })
}
