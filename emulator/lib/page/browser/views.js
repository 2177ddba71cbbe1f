import { content, showNote } from './frame.js'
import { formView } from './form-view.js'
import { gridView } from './grid/view.js'
import { pdfView } from './pdf-view.js'
import { text } from './text/loading.js'
/** @import { EditorState, Transaction } from 'prosemirror-state' */
/** @import { GridContent, GridOutbox } from './grid/protocol.js' */
/** @import { FixedContent, FieldOperation, FormContent, Opened, TextContent } from './protocol.js' */

/**
 * @param {TextContent} shown
 * @param {EditorState} state
 * @param {(transaction: Transaction) => void} dispatch
 * @param {Opened | null} opened
 */
export function showText (shown, state, dispatch, opened) {
  const viewOnly = opened?.viewOnly ?? true
  ready(viewOnly)
  return text.textView(content, shown, viewOnly, state, dispatch)
}

/** @param {GridContent} shown @param {GridOutbox} outbox @param {Opened | null} opened */
export function showGrid (shown, outbox, opened) {
  ready(false)
  return gridView(content, shown, opened?.viewOnly ?? true, outbox)
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

/** What has no text or sheets to show, such as a PDF. @param {FixedContent} shown @param {Opened | null} opened */
export function showFixedContent (shown, opened) {
  ready(true)
  if (opened?.pdf !== undefined) return pdfView(content, opened.pdf, opened.title)
  showNote(shown.note)
  const text = document.createElement('p')
  text.className = 'nothing'
  text.textContent = `This ${opened?.fileType ?? ''} file has nothing to show. It can still be downloaded.`
  content.replaceChildren(text)
}

/** @param {boolean} isScrolledByKeys the keyboard can scroll what cannot have the focus itself */
function ready (isScrolledByKeys) {
  content.setAttribute('aria-busy', 'false')
  content.tabIndex = isScrolledByKeys ? 0 : -1
}
