// Who the user is, the language and the theme: what the bar of every page offers, and this browser remembers.
import { remember } from './shared/cookies.js'
import { currentUser, find } from './shared/page.js'

const root = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const themeSwitch = find('[data-theme-switch]')
const language = /** @type {HTMLSelectElement} */ (find('[data-language]'))

remember('user', currentUser())
addEventListener('blur', () => find('[data-preferences]').hidePopover()) // pressing into the editor's frame

language.addEventListener('change', () => {
  remember('lang', language.value)
  openEditorAgain()
})
themeSwitch.addEventListener('click', () => {
  const isWanted = !isDark()
  const theme = isWanted ? 'dark' : 'light'
  const isAsSystem = isWanted === system.matches
  root.dataset.theme = isAsSystem ? 'system' : theme
  document.querySelector('meta[name="color-scheme"]')?.setAttribute('content', isAsSystem ? 'light dark' : theme)
  remember('theme', isAsSystem ? null : theme)
  show()
  openEditorAgain()
})
system.addEventListener('change', show)
show()

function show () {
  themeSwitch.setAttribute('aria-checked', String(isDark()))
}

/** Without a choice the page follows the system. */
function isDark () {
  return root.dataset.theme === 'system' ? system.matches : root.dataset.theme === 'dark'
}

/** It takes language and theme from the page that it is opened by. */
function openEditorAgain () {
  if (document.querySelector('[data-onlyoffice-editor]')) location.reload()
}
