import { Plugin, Selection } from 'prosemirror-state'
import { schema } from '../../../text/schema.js'
import { hasSameShapes, hasSlides } from '../../../text/slides.js'
/** @import { Node } from 'prosemirror-model' */
/** @import { Command, EditorState } from 'prosemirror-state' */

const { table, table_cell: cell } = schema.nodes

/**
 * Keeps the shapes of tables: they can only be removed as a whole.
 * Slides keep their shapes.
 */
export function tables () {
  return new Plugin({
    filterTransaction (transaction, { doc }) {
      const isByOthers = transaction.getMeta('rebased') !== undefined || transaction.getMeta('history$') !== undefined
      if (!transaction.docChanged || isByOthers) return true
      if (!hasSameShapes(doc, transaction.doc)) return false
      const before = new Set(tablesIn(doc).map(shapeOf))
      return tablesIn(transaction.doc).every(table => before.has(shapeOf(table)))
    },
    props: {
      handleTextInput ({ state, dispatch }, _from, _to, text) {
        return clearCells(state, tr => {
          dispatch(tr.insertText(text, Selection.near(tr.doc.resolve(state.selection.from)).from))
        })
      }
    }
  })
}

/** Of a selection that begins or ends within a table, or has more than one shape, only the text goes. @type {Command} */
export function clearCells (state, dispatch) {
  if (!isPartOfTable(state) && !isOfShapes(state)) return false
  const { tr, selection: { from, to } } = state
  state.doc.nodesBetween(from, to, (node, position) => {
    if (!node.isTextblock) return
    const [start, end] = [Math.max(from, position + 1), Math.min(to, position + 1 + node.content.size)]
    if (start < end) tr.delete(tr.mapping.map(start), tr.mapping.map(end))
  })
  dispatch?.(tr.scrollIntoView())
  return true
}

/** @param {EditorState} state */
function isPartOfTable ({ selection: { $from, $to } }) {
  const shared = $from.sharedDepth($to.pos)
  return [$from, $to].some($at => Array.from({ length: $at.depth - shared }, (_, index) => $at.node(shared + 1 + index))
    .some(({ type }) => type === cell))
}

/** @param {EditorState} state */
function isOfShapes ({ doc, selection: { $from, $to } }) {
  return hasSlides(doc) && $from.sharedDepth($to.pos) < 2
}

/** @param {Node} doc */
function tablesIn (doc) {
  /** @type {Node[]} */ const found = []
  doc.descendants(node => {
    if (node.type === table) found.push(node)
    return !node.isTextblock
  })
  return found
}

/** @param {Node} table */
function shapeOf (table) {
  return table.children.map(row => row.children.map(({ attrs: { colspan, rowspan } }) => `${colspan}x${rowspan}`)).join('/')
}
