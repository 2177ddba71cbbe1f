import { content, showNote } from './frame.js'
import { gridView } from './grid/view.js'
import { paragraphsView } from './writing/paragraphs-view.js'
import { pdfView } from './pdf-view.js'
import { readingView } from './reading-view.js'
import { textView } from './writing/text-view.js'
/** @import { GridContent, GridOutbox } from './grid/protocol.js' */
/** @import { Content, Opened, Outbox } from './protocol.js' */

/**
 * Returns `null` for a read-only document.
 * @param {Content} shown
 * @param {Outbox} outbox
 * @param {Opened | null} opened
 */
export function showContent (shown, outbox, opened) {
  content.setAttribute('aria-busy', 'false')
  const viewOnly = opened?.viewOnly ?? true
  content.tabIndex = viewOnly || shown.kind === 'readonly' ? 0 : -1 // lets the keyboard scroll it
  if (shown.kind === 'text') return textView(content, shown.text, viewOnly, outbox)
  if (shown.kind === 'paragraphs') return paragraphsView(content, shown.paragraphs, viewOnly, outbox)
  if (opened?.pdf !== undefined) {
    pdfView(content, opened.pdf, opened.title)
    return null
  }
  showNote(shown.note)
  readingView(content, shown.paragraphs, opened?.fileType ?? '')
  return null
}

/** @param {GridContent} shown @param {GridOutbox} outbox @param {Opened | null} opened */
export function showGrid (shown, outbox, opened) {
  content.tabIndex = -1
  content.setAttribute('aria-busy', 'false')
  return gridView(content, shown, opened?.viewOnly ?? true, outbox)
}
