/** @import { Config } from '../protocol.js' */

/** Shows the text of `document.options.watermark_on_draw` over the document. @param {Config} config */
export function showWatermark (config) {
  const { paragraphs } = config.document?.options?.watermark_on_draw ?? {}
  if (!Array.isArray(paragraphs)) return
  const lines = paragraphs.map(({ runs }) => runs.map(({ text }) => text).join(''))
  const text = lines.join('\n').replaceAll('%user_name%', () => config.editorConfig?.user?.name ?? '')
  const watermark = Object.assign(document.createElement('div'), { className: 'watermark', textContent: text })
  watermark.setAttribute('aria-hidden', 'true')
  document.body.append(watermark)
}
