import { content, showNote } from './frame.js'
import { gridView } from './grid/view.js'
import { pdfView } from './pdf-view.js'
import { text } from './text/loading.js'
/** @import { EditorState, Transaction } from 'prosemirror-state' */
/** @import { GridContent, GridOutbox } from './grid/protocol.js' */
/** @import { FixedContent, Opened, TextContent } from './protocol.js' */

const SHEETS = ['xlsx', 'ods', 'xls', 'xlsm']

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

/** What is not edited: a PDF, or the text of a document. @param {FixedContent} shown @param {Opened | null} opened */
export function showReading (shown, opened) {
  ready(true)
  if (opened?.pdf !== undefined) return pdfView(content, opened.pdf, opened.title)
  showNote(shown.note)
  const doc = text.documentOf(shown.doc)
  const fileType = opened?.fileType ?? ''
  if (doc.textContent === '' && doc.childCount === 1 && doc.firstChild?.isTextblock) {
    return content.replaceChildren(nothing(fileType))
  }
  text.showDocument(content, doc)
  content.firstElementChild?.classList.toggle('sheets', SHEETS.includes(fileType))
}

/** @param {boolean} isScrolledByKeys the keyboard can scroll what cannot have the focus itself */
function ready (isScrolledByKeys) {
  content.setAttribute('aria-busy', 'false')
  content.tabIndex = isScrolledByKeys ? 0 : -1
}

/** @param {string} fileType */
function nothing (fileType) {
  const note = document.createElement('p')
  note.className = 'nothing'
  note.textContent = `This ${fileType} file has no text to show. It can still be downloaded.`
  return note
}
