// Who the user is, and the theme: what the bar of a page offers, and this browser remembers.
import { remember } from './shared/cookies.js'
import { currentUser, find } from './shared/page.js'

const root = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const themeSwitch = find('[data-theme-switch]')

if (window === top) remember('user', currentUser()) // not of the users who are shown side by side
addEventListener('blur', () => find('[data-preferences]').hidePopover()) // pressing into the editor's frame

themeSwitch.addEventListener('click', () => {
  const isWanted = !isDark()
  const theme = isWanted ? 'dark' : 'light'
  const isAsSystem = isWanted === system.matches
  root.dataset.theme = isAsSystem ? 'system' : theme
  document.querySelector('meta[name="color-scheme"]')?.setAttribute('content', isAsSystem ? 'light dark' : theme)
  remember('theme', isAsSystem ? null : theme)
  show()
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
