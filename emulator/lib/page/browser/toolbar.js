/**
 * One stop for the Tab key, from where the arrow keys lead to the others.
 *
 * @param {HTMLElement} bar
 * @param {() => void} leave goes back to the document
 */
export function toolbar (bar, leave) {
  /** @type {HTMLElement | undefined} */ let stop

  function items () {
    const all = /** @type {NodeListOf<HTMLButtonElement | HTMLSelectElement>} */ (
      bar.querySelectorAll('button:not([role]), select')
    )
    return [...all].filter(item => !item.disabled && item.closest('[hidden]') === null)
  }

  function renew () {
    const all = items()
    stop = all.find(item => item === stop) ?? all[0]
    for (const item of all) item.tabIndex = item === stop ? 0 : -1
  }

  bar.addEventListener('focusin', ({ target }) => {
    stop = items().find(item => item === target) ?? stop
    renew()
  })
  bar.addEventListener('keydown', event => {
    const all = items()
    const at = all.findIndex(item => item === document.activeElement)
    const next = new Map([['ArrowRight', at + 1], ['ArrowLeft', at - 1], ['Home', 0], ['End', -1]]).get(event.key)
    if (event.key === 'Escape') leave()
    else if (next !== undefined && at >= 0) all.at(next % all.length)?.focus()
    else return
    event.preventDefault()
  })
  const attributeFilter = ['disabled', 'hidden']
  new MutationObserver(renew).observe(bar, { subtree: true, childList: true, attributeFilter })
  renew()

  return { focus: () => stop?.focus() }
}
