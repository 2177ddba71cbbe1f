/**
 * The first element that matches, which the page has.
 * @template {HTMLElement} [Wanted=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [parent]
 * @returns {Wanted}
 */
export function find (selector, parent = document) {
  return /** @type {Wanted} */ (parent.querySelector(selector))
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element (tag, className = '', text = '') {
  const created = document.createElement(tag)
  created.className = className
  created.textContent = text
  return created
}

/**
 * @param {string} className
 * @param {string} text
 * @param {() => void} run
 */
export function button (className, text, run) {
  const created = element('button', className, text)
  created.type = 'button'
  created.addEventListener('click', run)
  return created
}

/** Who the user says they are. */
export function currentUser () {
  return find('[data-user]').dataset.user ?? ''
}
