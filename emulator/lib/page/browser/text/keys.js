import { baseKeymap, chainCommands, splitBlockAs, toggleMark } from 'prosemirror-commands'
import { keymap } from 'prosemirror-keymap'
import { schema } from '../../../text/schema.js'
import { clearCells } from './tables.js'
/** @import { Attrs, Node } from 'prosemirror-model' */
/** @import { Command } from 'prosemirror-state' */
/** @import { TextContent } from '../protocol.js' */

const { marks, nodes } = schema
const MAX_DEPTH = 8

/** @param {Pick<TextContent, 'plain'>} content */
export function keys ({ plain }) {
  const formatted = {
    Enter: chainCommands(leaveEmptyList, split),
    'Shift-Enter': breakLine,
    Backspace: chainCommands(clearCells, outdentAtStart),
    Delete: clearCells,
    Tab: chainCommands(indent(1), insertTab),
    'Shift-Tab': indent(-1),
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

const leaveList = setParagraphs(() => ({ list: null, depth: 0 }))

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
function leaveEmptyList (state, dispatch) {
  return state.selection.$from.parent.content.size === 0 && leaveList(state, dispatch)
}

/** @type {Command} */
function outdentAtStart (state, dispatch) {
  const { empty, $from: { parent, parentOffset } } = state.selection
  if (!empty || parentOffset > 0 || !parent.attrs.list) return false
  return parent.attrs.depth > 0 ? indent(-1)(state, dispatch) : leaveList(state, dispatch)
}

/** @param {number} change of the depth in a list @returns {Command} */
function indent (change) {
  return (state, dispatch) => {
    if (!state.selection.$from.parent.attrs.list) return false
    setParagraphs(({ attrs: { list, depth } }) => ({
      depth: list === null ? depth : Math.min(Math.max(depth + change, 0), MAX_DEPTH)
    }))(state, dispatch)
    return true
  }
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
