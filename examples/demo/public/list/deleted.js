import { send } from '../shared/api.js'
import { find } from '../shared/page.js'
import { restore } from './actions.js'
import { ask } from './dialog.js'
import { refresh } from './live.js'
import { tell } from './toasts.js'

/** The buttons below "Recently deleted". */
export function restoreDeleted () {
  find('[data-live="deleted"]').addEventListener('click', event => {
    const button = /** @type {Element} */ (event.target).closest('button')
    const { id = '', name = '' } = button?.closest('li')?.dataset ?? {}
    if (button?.matches('[data-restore]')) restore(id, name)
    if (button?.matches('[data-purge]')) purge(id, name)
  })
}

/**
 * @param {string} id
 * @param {string} name
 */
function purge (id, name) {
  ask('purge', {
    title: `Delete ${name} for good?`,
    async run () {
      await send('POST', `/documents/${id}/purge`)
      await refresh()
      tell(`${name} was deleted for good`)
      setTimeout(() =>
        /** @type {HTMLElement} */ (document.querySelector('.bin summary') ?? find('[data-documents]')).focus()
      )
    }
  })
}
