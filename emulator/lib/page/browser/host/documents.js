import { element } from '../dom.js'
import { emit } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { refused, request } from '../session.js'
import { isEditedWord } from './conditions.js'
import { askUser } from './dialog.js'
import { loadText } from '../text/loading.js'
import { requestInfo } from './users.js'
/** @import { Feature } from './features.js' */

const TITLES = /** @type {Record<string, string>} */ ({ compare: 'Comparison', combine: 'Combined document' })
const INSERT_TEXT = 'insert-text'
const MAX_RECIPIENTS = 50

/** Images and other documents that the page lets the user choose. @type {Feature} */
export const documents = {
  items: /** @type {const} */ ([
    ['file', 'Compare', 'onRequestSelectDocument', 'compare'],
    ['file', 'Combine', 'onRequestSelectDocument', 'combine'],
    ['file', 'Mail merge', 'onRequestSelectSpreadsheet', 'mailmerge'],
    ['insert', 'Image…', 'onRequestInsertImage', 'add'],
    ['insert', 'Text from file', 'onRequestSelectDocument', INSERT_TEXT]
  ]).map(([menu, name, event, c]) => ({ menu, name, event, when: isEditedWord, click: () => emit(event, { c }) })),
  commands: { insertImage, setRequestedDocument, setRequestedSpreadsheet }
}

/** The document server fetches the images and appends them. @param {{ data: object | null }} detail */
async function insertImage ({ data }) {
  try {
    const { inserted } = await request({ type: 'insertImages', data })
    showToast(inserted === 1 ? 'An image was inserted' : `${inserted} images were inserted`)
  } catch (error) {
    refused(error)
  }
}

/** @param {{ data: { c?: string } | null }} detail */
async function setRequestedDocument ({ data }) {
  try {
    if (data?.c === INSERT_TEXT) {
      const { inserted } = await request({ type: 'insertText', data })
      return showToast(inserted === 0 ? 'The document has no text.' : 'The text was inserted at the end')
    }
    const reading = request({ type: 'readDocument', data })
    const [{ doc }, { documentOf, showDocument }] = await Promise.all([reading, loadText()])
    if (data?.c === 'combine') requestInfo(['']) // the authors of its changes
    const box = element('div')
    showDocument(box, documentOf(doc))
    askUser({ title: TITLES[data?.c ?? ''] ?? 'Document', more: [box], onlyTells: true })
  } catch (error) {
    refused(error)
  }
}

/** @param {{ data: object | null }} detail */
async function setRequestedSpreadsheet ({ data }) {
  try {
    const { rows } = await request({ type: 'readRecipients', data })
    if (rows.length === 0) return showToast('The spreadsheet has no recipients.')
    const looks = { className: 'scrolled', tabIndex: 0, role: 'group', ariaLabel: 'Recipients' }
    const box = element('div', looks, tableOf(rows.slice(0, MAX_RECIPIENTS + 1)))
    askUser({
      title: 'Mail merge recipients',
      text: `${rows.length - 1} ${rows.length === 2 ? 'recipient' : 'recipients'}`,
      more: [box],
      onlyTells: true
    })
  } catch (error) {
    refused(error)
  }
}

/** @param {string[][]} rows the first has the names of the fields */
function tableOf ([names = [], ...rows]) {
  const head = element('tr', {}, ...names.map(textContent => element('th', { scope: 'col', textContent })))
  const body = rows.map(row => element('tr', {}, ...row.map(textContent => element('td', { textContent }))))
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body))
}
