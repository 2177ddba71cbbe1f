// The fragment in the HTML that `control.render()` returned.

/**
 * A copy of its data alone: nothing else of the HTML gets into the page.
 * @param {string} html
 * @returns {HTMLElement | null}
 */
export function readRendered (html) {
  const rendered = new DOMParser().parseFromString(html, 'text/html').querySelector('[data-onlyoffice-editor]')
  if (!(rendered instanceof HTMLElement)) return null
  const [data, placeholder] = rendered.children
  if (!(data instanceof HTMLScriptElement) || !placeholder) return null

  const fragment = document.createElement('div')
  fragment.className = 'onlyoffice-editor'
  Object.assign(fragment.dataset, rendered.dataset)
  const config = document.createElement('script')
  config.type = 'application/json'
  config.textContent = data.textContent
  const editor = document.createElement('div')
  editor.id = placeholder.id
  fragment.append(config, editor)
  return fragment
}
