// The page on which failures are caused. Its state is requested again and again, also while the application is gone.
import { send } from './shared/api.js'
import { find } from './shared/page.js'
import { showLocalTimes } from './shared/times.js'

const REFRESH_MS = 1000

const live = find('[data-live="failure"]')
const problem = find('[data-problem]')
const status = find('[data-status]')
let sent = live.innerHTML

showLocalTimes(live)
live.addEventListener('click', async event => {
  const button =
    /** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (event.target).closest('[data-failure]'))
  if (!button) return
  const { failure } = button.dataset
  for (const each of live.querySelectorAll('button')) each.disabled = true
  try {
    await (failure === 'end' ? send('DELETE', '/failures') : send('POST', '/failures', { kind: failure }))
  } catch (error) {
    problem.textContent = /** @type {Error} */ (error).message
  }
  sent = ''
  await refresh()
})
setInterval(() => { if (!document.hidden) refresh() }, REFRESH_MS)

async function refresh () {
  const response = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  const text = response?.ok ? '' : 'The application is not running. Go on typing: the document server takes it.'
  if (problem.textContent !== text) problem.textContent = text
  if (!response?.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector('[data-live="failure"]')
  if (!fresh || fresh.innerHTML === sent) return
  sent = fresh.innerHTML
  const focused = [...live.querySelectorAll('button')].indexOf(/** @type {any} */ (document.activeElement))
  const before = find('strong, p', find('[data-outcome]')).textContent
  live.replaceChildren(...fresh.childNodes)
  showLocalTimes(live)
  const now = find('strong, p', find('[data-outcome]')).textContent
  if (now !== before) status.textContent = now
  if (focused >= 0) live.querySelectorAll('button')[focused]?.focus()
}
