// The switch between light and dark. Without a choice the page follows the system.
import { remember } from './shared/cookies.js'

const root = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')
const toggle = document.querySelector('[data-theme-switch]')

function isDark () {
  return root.dataset.theme === 'system' ? system.matches : root.dataset.theme === 'dark'
}

function show () {
  toggle?.setAttribute('aria-checked', String(isDark()))
}

toggle?.addEventListener('click', () => {
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
