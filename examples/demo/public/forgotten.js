// The page of saves that did not arrive.
import { send } from './shared/api.js'
import { find } from './shared/page.js'

function start () {
  document.querySelector('[data-recover]')?.addEventListener('click', recover)
}

async function recover () {
  const status = find('[data-status]')
  const button = /** @type {HTMLButtonElement} */ (find('[data-recover]'))
  button.disabled = true
  status.textContent = 'Storing…'
  try {
    const response = await send('POST', `/forgotten/recover${location.search}`)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    find('main').replaceWith(/** @type {Element} */ (page.querySelector('main')))
    find('[data-result]').focus()
  } catch (error) {
    status.textContent = /** @type {Error} */ (error).message
    button.disabled = false
  }
}

start()
