import { sendableSteps } from 'prosemirror-collab'
import { Plugin, PluginKey, Selection } from 'prosemirror-state'
import { Decoration, DecorationSet } from 'prosemirror-view'
/** @import { EditorState } from 'prosemirror-state' */
/** @import { EditorView } from 'prosemirror-view' */
/** @import { Marks } from '../protocol.js' */

/** @type {PluginKey<DecorationSet>} */
const key = new PluginKey('places')

/** Where others are in the document, and where a link leads to. */
export function places () {
  return new Plugin({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply (transaction, shown) {
        const change = transaction.getMeta(key)
        return change === undefined ? shown.map(transaction.mapping, transaction.doc) : change(shown)
      }
    },
    props: { decorations: state => key.getState(state) }
  })
}

/** @param {EditorState} state @param {Marks} marks by position */
export function withCarets (state, marks) {
  return state.tr.setMeta(key, (/** @type {DecorationSet} */ shown) => {
    const others = [...marks].map(([place, { name, color }]) => {
      // Who has not moved stays where the changes since have brought the caret.
      const [known] = shown.find(undefined, undefined, spec => spec.place === place && spec.name === name)
      const at = known?.from ?? positionIn(state, place)
      return Decoration.widget(at, caret(name, color), { place, name, key: `${color} ${name}`, ignoreSelection: true })
    })
    return DecorationSet.create(state.doc, [...shown.find(undefined, undefined, spec => spec.isLink), ...others])
  })
}

/** @param {EditorState} state @param {string} place that a link leads to */
export function withLink (state, place) {
  const at = state.doc.resolve(positionIn(state, place))
  const attributes = { class: 'linked', 'aria-current': 'location' }
  const link = Decoration.node(at.before(), at.after(), attributes, { isLink: true })
  return state.tr.setMeta(key, (/** @type {DecorationSet} */ shown) => shown.add(state.doc, [link]))
}

/** The other does not have what was not sent, and may have more. @param {EditorState} state @param {string} place */
function positionIn (state, place) {
  let position = Math.max(0, Math.trunc(Number(place)) || 0)
  for (const step of sendableSteps(state)?.steps ?? []) position = step.getMap().map(position, -1)
  return Selection.near(state.doc.resolve(Math.min(position, state.doc.content.size))).head
}

/** @param {string} name @param {number} color */
function caret (name, color) {
  return (/** @type {EditorView} */ { dom }) => {
    const element = dom.ownerDocument.createElement('span')
    element.className = 'caret'
    element.dataset.by = name
    element.dataset.color = String(color)
    return element
  }
}
