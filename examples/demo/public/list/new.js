import { send } from '../shared/api.js'
import { currentUser, find } from '../shared/page.js'
import { ask } from './dialog.js'

/** The dialog for a new document, which is then opened. */
export function offerNewDocument () {
  find('[data-new]').addEventListener('click', () => {
    ask('new', {
      prepare (form) {
        selectLanguage(/** @type {HTMLSelectElement} */ (form.elements.namedItem('lang')))
      },
      async run (fields) {
        const made = await (await send('POST', '/documents/new', Object.fromEntries(fields))).json()
        location.assign(`/edit/${made.id}?${new URLSearchParams({ user: currentUser() })}`)
      }
    })
  })
}

/**
 * The user's own language, or one that is like it.
 * @param {HTMLSelectElement} select
 */
function selectLanguage (select) {
  const codes = [...select.options].map(({ value }) => value)
  const found = navigator.languages.map(code =>
    codes.find(known => known === code) ?? codes.find(known => known.split('-')[0] === code.split('-')[0])
  ).find(Boolean)
  if (found) select.value = found
}
