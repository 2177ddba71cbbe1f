// Several documents at once.
import { find } from '../shared/page.js'
import { listed, remove } from './actions.js'

const list = find('[data-documents]')
const documents = find('tbody', list)
const bar = find('[data-selection]')
/** @type {Set<string>} */
const ids = new Set()

export function selectDocuments () {
  list.addEventListener('change', ({ target }) => {
    const box = /** @type {HTMLInputElement} */ (target)
    const { id = '' } = /** @type {HTMLElement} */ (box.closest('tr')).dataset
    if (box.checked) ids.add(id)
    else ids.delete(id)
    show()
  })
  new MutationObserver(show).observe(documents, { childList: true }) // rows are replaced, and go
  find('[data-selection-remove]').addEventListener('click', () => remove(selected().map(listed)))
  find('[data-selection-clear]').addEventListener('click', () => {
    ids.clear()
    show()
    list.focus()
  })
}

function selected () {
  return /** @type {HTMLElement[]} */ ([...documents.children]).filter(({ dataset: { id = '' } }) => ids.has(id))
}

function show () {
  const rows = selected()
  ids.clear()
  for (const { dataset: { id = '' } } of rows) ids.add(id)
  for (const row of /** @type {Iterable<HTMLElement>} */ (documents.children)) {
    /** @type {HTMLInputElement} */ (find('[data-select]', row)).checked = ids.has(row.dataset.id ?? '')
  }
  bar.hidden = rows.length === 0
  find('[data-selection-text]').textContent = `${rows.length} selected`
}
