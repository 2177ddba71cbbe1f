import { baseKeymap, splitBlockAs, toggleMark } from 'prosemirror-commands'
import { keymap } from 'prosemirror-keymap'
import { schema } from '../../../text/schema.js'
import { clearCells } from './tables.js'
/** @import { Attrs, Node } from 'prosemirror-model' */
/** @import { Command } from 'prosemirror-state' */
/** @import { TextContent } from '../protocol.js' */

const { marks, nodes } = schema

/** @param {Pick<TextContent, 'plain'>} content */
export function keys ({ plain }) {
  const formatted = {
    Enter: split,
    'Shift-Enter': breakLine,
    Backspace: clearCells,
    Delete: clearCells,
    Tab: insertTab,
    'Mod-b': toggleMark(marks.bold),
    'Mod-i': toggleMark(marks.italic),
    'Mod-u': toggleMark(marks.underline)
  }
  return [keymap(plain ? { Enter: split, 'Shift-Enter': split, Tab: insertTab } : formatted), keymap(baseKeymap)]
}

/**
 * Changes the selected paragraphs.
 * @param {(paragraph: Node) => Attrs} change attributes to set
 * @returns {Command}
 */
export function setParagraphs (change) {
  return (state, dispatch) => {
    const { tr, selection: { from, to } } = state
    state.doc.nodesBetween(from, to, (node, position) => {
      if (node.type !== nodes.paragraph) return
      for (const [name, value] of Object.entries(change(node))) {
        if (node.attrs[name] !== value) tr.setNodeAttribute(position, name, value)
      }
    })
    if (tr.docChanged) dispatch?.(tr.scrollIntoView())
    return tr.docChanged
  }
}

/** The new half is like the other one, but what follows a heading is an ordinary paragraph. @type {Command} */
function split (state, dispatch, view) {
  const { $from, $to } = state.selection
  const formats = state.storedMarks ?? $to.marks()
  return splitBlockAs(({ type, attrs }, atEnd) => ({ type, ...!(atEnd && isHeading(attrs)) && { attrs } }))(
    state,
    dispatch && (tr => dispatch(isHeading($from.parent.attrs) ? tr : tr.ensureMarks(formats))),
    view
  )
}

/** @param {Attrs} attrs */
function isHeading ({ level = null }) {
  return level !== null
}

/** @type {Command} */
function insertTab (state, dispatch) {
  dispatch?.(state.tr.insertText('\t').scrollIntoView())
  return true
}

/** @type {Command} */
function breakLine (state, dispatch) {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}
