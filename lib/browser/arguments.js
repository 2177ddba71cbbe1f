// What callers pass to this module. Nothing that is wrong is ignored: it throws a TypeError that says what was expected.

/** @param {unknown} fragment */
export function assertFragment (fragment) {
  const { hasAttribute } = /** @type {Partial<Element>} */ (fragment ?? {})
  if (typeof hasAttribute === 'function' && /** @type {Element} */ (fragment).hasAttribute('data-onlyoffice-editor')) return
  throw new TypeError('The fragment must be the element with the attribute data-onlyoffice-editor, of what control.render() returned')
}

/** @param {unknown} options @param {readonly string[]} names */
export function assertOptions (options, names) {
  if (typeof options !== 'object' || options === null) throw new TypeError(`The options must be an object such as { ${names.join(', ')} }`)
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`The option ${name} is unknown: use ${names.join(', ')}`)
  }
}

/** Newer editors may have other events. @param {unknown} events */
export function assertHandlers (events) {
  if (typeof events !== 'object' || events === null) throw new TypeError('The events must be an object such as { onRequestClose: event => {} }')
  for (const [name, handler] of Object.entries(events)) {
    if (!/^on[A-Z]/.test(name) || (handler !== undefined && typeof handler !== 'function')) throw new TypeError(`The handler ${name} must be a function with the name of an event, such as onRequestClose`)
  }
}
