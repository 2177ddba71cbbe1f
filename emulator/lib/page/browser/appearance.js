import { element } from './dom.js'
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

/** Shows the text of `document.options.watermark_on_draw` over the document. @param {Config} config */
export function showWatermark (config) {
  const { paragraphs } = config.document?.options?.watermark_on_draw ?? {}
  if (!Array.isArray(paragraphs)) return
  const lines = paragraphs.map(({ runs }) => runs.map(({ text }) => text).join(''))
  const text = lines.join('\n').replaceAll('%user_name%', () => config.editorConfig?.user?.name ?? '')
  document.body.append(element('div', { className: 'watermark', textContent: text, ariaHidden: 'true' }))
}
