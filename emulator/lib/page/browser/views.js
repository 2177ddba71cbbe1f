import { element } from './dom.js'
import { content, showFormats, showNote } from './frame.js'
import { formView } from './form-view.js'
import { gridView } from './grid/view.js'
import { text } from './text/loading.js'
/** @import { EditorState, Transaction } from 'prosemirror-state' */
/** @import { GridCells, GridContent } from './grid/protocol.js' */
/** @import { FixedContent, FieldOperation, FormContent, Opened, TextContent } from './protocol.js' */

/**
 * @param {TextContent} shown
 * @param {EditorState} state
 * @param {(transaction: Transaction) => void} dispatch
 * @param {Opened | null} opened
 */
export function showText (shown, state, dispatch, opened) {
  const readOnly = !opened?.mayWrite
  ready(readOnly)
  return text.textView(content, shown, readOnly, state, dispatch)
}

/** @param {GridContent} shown @param {GridCells} cells @param {Opened | null} opened */
export function showGrid (shown, cells, opened) {
  ready(false)
  return gridView(content, shown, !opened?.mayWrite, cells)
}

/**
 * @param {FormContent} shown
 * @param {Opened | null} opened
 * @param {{ fill: (operation: FieldOperation) => void, submit: (() => Promise<void>) | null }} actions
 */
export function showForm (shown, opened, actions) {
  ready(true)
  if (!opened?.viewOnly) return formView(content, shown, actions)
  showFixedContent({ kind: 'readonly', note: '' }, opened)
  return null
}

/**
 * What is not edited, such as a PDF, which the browser's own viewer shows.
 *
 * @param {FixedContent} shown
 * @param {Opened | null} opened
 */
export function showFixedContent (shown, opened) {
  ready(true)
  if (opened?.pdf !== undefined) {
    if (content.querySelector('.pdf') !== null) return // after a reconnect it is unchanged
    const src = new URL(`../../../..${opened.pdf}`, location.href).href
    return content.replaceChildren(navigator.pdfViewerEnabled
      ? element('iframe', { className: 'pdf', title: opened.title, src })
      : element('a', { className: 'pdf nothing', href: src, download: opened.title, textContent: `Download ${opened.title}` }))
  }
  showNote(shown.note)
  if (shown.doc !== undefined) return text.showDocument(content, text.documentOf(shown.doc))
  const textContent = `This ${opened?.fileType ?? ''} file has nothing to show. It can still be downloaded.`
  content.replaceChildren(element('p', { className: 'nothing', textContent }))
}

/** @param {boolean} isScrolledByKeys the keyboard can scroll what cannot have the focus itself */
function ready (isScrolledByKeys) {
  showFormats()
  content.setAttribute('aria-busy', 'false')
  content.tabIndex = isScrolledByKeys ? 0 : -1
}
