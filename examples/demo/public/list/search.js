import { find } from '../shared/page.js'

const input = /** @type {HTMLInputElement} */ (find('[data-search]'))
const documents = find('[data-documents] tbody')
const nothingFound = find('[data-empty="search"]')
const noDocuments = find('[data-empty="none"]')
const status = find('[data-status]')

/** Hides the documents whose names do not contain all words that are searched for. */
export function showMatches () {
  const words = plain(input.value).split(/\s+/).filter(Boolean)
  let count = 0
  for (const row of /** @type {Iterable<HTMLElement>} */ (documents.children)) {
    const name = plain(row.dataset.name ?? '')
    row.hidden = !words.every(word => name.includes(word))
    if (!row.hidden) count++
  }
  const isEmpty = documents.children.length === 0
  noDocuments.hidden = !isEmpty
  nothingFound.hidden = isEmpty || count > 0
  find('[data-empty-term]').textContent = input.value.trim()
  return count
}

/** @param {string} text */
function plain (text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

export function searchDocuments () {
  input.addEventListener('input', () => {
    const count = showMatches()
    status.textContent = count === 1 ? '1 document' : `${count} documents`
  })
  input.addEventListener('keydown', event => {
    if (event.key === 'Escape') clear()
  })
  find('[data-search-clear]').addEventListener('click', () => {
    clear()
    input.focus()
  })
  if (input.value !== '') showMatches() // the browser restored it
}

function clear () {
  input.value = ''
  showMatches()
}
