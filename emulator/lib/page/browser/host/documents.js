import { emit } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { refused, request } from '../session.js'
import { isWord, mayEdit } from './conditions.js'
import { askUser } from './dialog.js'
import { loadText } from '../text/loading.js'
import { requestInfo } from './users.js'
/** @import { Feature } from './features.js' */

const TITLES = /** @type {Record<string, string>} */ ({ compare: 'Comparison', combine: 'Combined document' })
const INSERT_TEXT = 'insert-text'
const MAX_RECIPIENTS = 50

/** Other documents that the page lets the user choose. @type {Feature} */
export const documents = {
  buttons: [
    {
      name: 'Compare',
      event: 'onRequestSelectDocument',
      when: isEditedWord,
      click: () => emit('onRequestSelectDocument', { c: 'compare' })
    },
    {
      name: 'Combine',
      event: 'onRequestSelectDocument',
      when: isEditedWord,
      click: () => emit('onRequestSelectDocument', { c: 'combine' })
    },
    {
      name: 'Text from file',
      event: 'onRequestSelectDocument',
      when: isEditedWord,
      click: () => emit('onRequestSelectDocument', { c: INSERT_TEXT })
    },
    {
      name: 'Mail merge',
      event: 'onRequestSelectSpreadsheet',
      when: isEditedWord,
      click: () => emit('onRequestSelectSpreadsheet', { c: 'mailmerge' })
    }
  ],
  commands: { setRequestedDocument, setRequestedSpreadsheet }
}

/** @param {Parameters<NonNullable<Feature['buttons'][0]['when']>>[0]} opened */
function isEditedWord (opened) {
  return mayEdit(opened) && isWord(opened)
}

/** @param {{ data: { c?: string } | null }} detail */
async function setRequestedDocument ({ data }) {
  try {
    if (data?.c === INSERT_TEXT) {
      const { inserted } = await request({ type: 'insertText', data })
      return showToast(inserted === 0 ? 'The document has no text.' : 'The text was inserted at the end')
    }
    const asked = request({ type: 'readDocument', data })
    const [{ doc, present }, { showDifferences }] = await Promise.all([asked, loadText()])
    if (data?.c === 'combine') requestInfo(['']) // the authors of its changes
    const box = document.createElement('div')
    showDifferences(box, present, doc)
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
    const box = document.createElement('div')
    box.className = 'scrolled'
    box.tabIndex = 0
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', 'Recipients')
    box.append(tableOf(rows.slice(0, MAX_RECIPIENTS + 1)))
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
  const table = document.createElement('table')
  const head = table.createTHead().insertRow()
  for (const name of names) {
    const cell = document.createElement('th')
    cell.scope = 'col'
    cell.textContent = name
    head.append(cell)
  }
  for (const row of rows) {
    const line = table.insertRow()
    for (const text of row) line.insertCell().textContent = text
  }
  return table
}
