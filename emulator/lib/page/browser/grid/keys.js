/** Keys that start a composition, or that only the system knows. */
const COMPOSED = ['Dead', 'Process', 'Unidentified']
/** @typedef {'Up' | 'Down' | 'Left' | 'Right'} Direction */

/**
 * The keys of a sheet and of the bar above it. The grid handles those that are not handled here.
 *
 * @param {object} actions
 * @param {(direction: Direction) => boolean} actions.move ends typing; returns false at the edge
 * @param {(down: number, right: number) => void} actions.jump to the end of the sheet in these directions
 * @param {(first?: string) => void} actions.type starts typing, with the cell's value or with `first`
 * @param {() => void} actions.commit
 * @param {() => void} actions.cancel
 * @param {() => void} actions.clear
 * @param {() => void} actions.undo
 * @param {() => void} actions.redo
 * @param {ReturnType<typeof import('./input.js').gridInput>} input
 */
export function gridKeys ({ move, jump, type, commit, cancel, clear, undo, redo }, input) {
  const jumps = {
    Home: () => jump(-1, -1),
    End: () => jump(1, 1),
    ArrowUp: () => jump(-1, 0),
    ArrowDown: () => jump(1, 0),
    ArrowLeft: () => jump(0, -1),
    ArrowRight: () => jump(0, 1)
  }
  const arrows = ['Up', 'Down', 'Left', 'Right'].map(direction =>
    [`Arrow${direction}`, () => move(/** @type {Direction} */ (direction))]
  )

  /** @param {KeyboardEvent} event @returns {Record<string, () => unknown>} */
  function actionsFor ({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    if (ctrlKey || metaKey || altKey) {
      if (input.isOpen()) return { Enter: input.newLine }
      return altKey ? {} : { z: shiftKey ? redo : undo, Z: redo, y: redo, ...shiftKey ? {} : jumps }
    }
    return {
      Enter: () => move(shiftKey ? 'Up' : 'Down'),
      ...shiftKey && input.isInBar() ? {} : { Tab: () => move(shiftKey ? 'Left' : 'Right') },
      ...input.isOpen() || shiftKey ? {} : { Home: () => jump(0, -1), End: () => jump(0, 1) },
      ...input.isOpen()
        ? { Escape: cancel, F2: input.correct, ...input.isQuick() && !shiftKey ? Object.fromEntries(arrows) : {} }
        : { F2: () => type(), Backspace: () => type(''), Delete: clear }
    }
  }

  /** @param {KeyboardEvent} event */
  return event => {
    const { key } = event
    const control = event.ctrlKey || event.metaKey
    if (control && key.toLowerCase() === 's') return commit()
    const wasTyping = input.isOpen()
    const action = event.isComposing ? undefined : actionsFor(event)[key]
    if (action !== undefined) {
      event.stopPropagation()
      // At the edge the focus leaves the sheet, as it does elsewhere.
      if (action() !== false || key !== 'Tab' || wasTyping) event.preventDefault()
    } else if (wasTyping) {
      if (!control || key.length > 1 || /[azy]/i.test(key)) event.stopPropagation() // only the field handles it
    } else if (!control && !event.altKey && (key.length === 1 || COMPOSED.includes(key))) {
      type('') // the character itself arrives in the field, which has the focus now
    }
  }
}
