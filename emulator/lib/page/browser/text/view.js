import { Node } from 'prosemirror-model'
import { EditorState } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { showFormats } from '../frame.js'
import { clipboard } from './clipboard.js'
import { withCarets, withLink } from './places.js'
import { schema } from '../../../text/schema.js'
import { hasSlides } from '../../../text/slides.js'
import { formatBar } from './formats.js'
/** @import { Transaction } from 'prosemirror-state' */
/** @import { TextContent, TextView } from '../protocol.js' */

/** What is shown where. @type {WeakMap<HTMLElement, EditorView>} */
const shown = new WeakMap()

/**
 * Shows a text and lets it be edited.
 *
 * @param {HTMLElement} container
 * @param {TextContent} content
 * @param {boolean} viewOnly
 * @param {EditorState} state
 * @param {(transaction: Transaction) => void} dispatch
 * @returns {TextView}
 */
export function textView (container, content, viewOnly, state, dispatch) {
  const bar = viewOnly || content.plain ? null : formatBar(content, () => view)
  const view = new EditorView(null, {
    state,
    dispatchTransaction: dispatch,
    editable: () => !viewOnly,
    attributes: {
      ...looks(state.doc, content.plain),
      spellcheck: 'false',
      ...!viewOnly && { tabindex: '0', role: 'textbox', 'aria-multiline': 'true', 'aria-label': 'Text of the document' }
    },
    handleDOMEvents: { click: openLink, keydown: readCaret, ...content.plain && { beforeinput: refuseFormats } },
    ...clipboard
  })
  bar?.update(state)
  show(container, view)
  showFormats(...bar?.elements ?? [])

  return {
    update (next) {
      if (view.isDestroyed) return // a version is shown in its place
      view.updateState(next)
      bar?.update(next)
    },
    destroy: () => view.destroy(),
    focus: () => viewOnly ? container.focus() : view.focus(),
    caret: () => String(view.state.selection.head),
    place: () => view.hasFocus() ? String(view.state.selection.head) : null,
    mark: marks => { if (!view.isDestroyed) dispatch(withCarets(view.state, marks)) },
    reveal (place) {
      dispatch(withLink(view.state, place))
      view.dom.querySelector('.linked')?.scrollIntoView({ block: 'center' })
    }
  }
}

/**
 * Shows a document that is not edited.
 *
 * @param {HTMLElement} container
 * @param {Node} doc
 */
export function showDocument (container, doc) {
  const view = new EditorView(null, {
    state: EditorState.create({ doc }),
    editable: () => false,
    attributes: looks(doc, false),
    handleDOMEvents: { click: openLink }
  })
  show(container, view)
}

/** @param {HTMLElement} container @param {EditorView} view */
function show (container, view) {
  shown.get(container)?.destroy()
  shown.set(container, view)
  container.replaceChildren(view.dom)
}

/** @param {object} json */
export function documentOf (json) {
  return Node.fromJSON(schema, json)
}

/** @param {Node} doc @param {boolean} plain */
function looks (doc, plain) {
  const { color } = doc.attrs
  const kind = hasSlides(doc) ? 'slides' : plain ? 'paper plain' : 'paper'
  return { class: kind, style: color === null ? '' : `color: ${color}` }
}

/**
 * The browser reports a moved caret only after a moment: keys of a script can come before.
 *
 * @param {EditorView} _view @param {KeyboardEvent} event
 */
function readCaret (_view, event) {
  if (!event.isComposing) document.dispatchEvent(new Event('selectionchange'))
}

/** The browser has keys and menus of its own for them. @param {EditorView} _view @param {InputEvent} event */
function refuseFormats (_view, event) {
  if (event.inputType.startsWith('format')) event.preventDefault()
}

/** In editable text only with Ctrl, as in other editors. @param {EditorView} view @param {MouseEvent} event */
function openLink (view, event) {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null) return false
  event.preventDefault()
  const isWanted = !view.editable || event.ctrlKey || event.metaKey
  if (isWanted && !link.getAttribute('href')?.startsWith('#')) open(link.href, '_blank', 'noopener,noreferrer')
  return true
}
