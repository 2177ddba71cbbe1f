/** @import { Config } from './protocol.js' */

/**
 * Colors as `customization.uiTheme` says: `theme-dark`, `theme-night` and `theme-contrast-dark` are dark,
 * `theme-system` follows the system, and so does the page without it.
 * @param {Config} config
 */
export function useTheme ({ editorConfig }) {
  const { uiTheme = 'theme-system' } = editorConfig?.customization ?? {}
  if (uiTheme === 'theme-system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = /dark|night/.test(uiTheme) ? 'dark' : 'light'
}
