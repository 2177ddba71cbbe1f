/** @import { Position } from './protocol.js' */

const PAGE = 20
/** Keys that start a composition, or that only the system knows. */
const COMPOSED = ['Dead', 'Process', 'Unidentified']

/**
 * The keys of a sheet while no cell is being typed into.
 *
 * @param {object} actions
 * @param {(down: number, right: number) => boolean} actions.move returns false at the edge
 * @param {(first?: string) => void} actions.type starts typing, with the cell's value or with `first`
 * @param {() => void} actions.clear
 * @param {() => void} actions.undo
 * @param {() => void} actions.redo
 */
export function gridKeys ({ move, type, clear, undo, redo }) {
  /** @param {KeyboardEvent} event */
  return event => {
    if (event.isComposing || event.altKey) return
    const { key, shiftKey } = event
    const back = shiftKey ? -1 : 1
    const control = event.ctrlKey || event.metaKey
    /** @type {Record<string, () => unknown>} */
    const plain = {
      ArrowUp: () => move(-1, 0),
      ArrowDown: () => move(1, 0),
      ArrowLeft: () => move(0, -1),
      ArrowRight: () => move(0, 1),
      PageUp: () => move(-PAGE, 0),
      PageDown: () => move(PAGE, 0),
      Home: () => move(0, -Infinity),
      End: () => move(0, Infinity),
      Enter: () => move(back, 0),
      // At the edge the focus leaves the sheet, as it does elsewhere.
      Tab: () => move(0, back),
      F2: () => type(),
      Backspace: () => type(''),
      Delete: clear
    }
    /** @type {Record<string, () => unknown>} */
    const controlled = {
      Home: () => move(-Infinity, -Infinity),
      End: () => move(Infinity, Infinity),
      z: shiftKey ? redo : undo,
      y: redo
    }
    const action = control ? controlled[key.length === 1 ? key.toLowerCase() : key] : plain[key]
    if (action !== undefined) {
      if (action() === false && key === 'Tab') return
      event.preventDefault()
      event.stopPropagation()
    } else if (!control && (key.length === 1 || COMPOSED.includes(key))) {
      type('') // the character itself arrives in the field, which has the focus now
    }
  }
}
