/**
 * Copying and pasting while nothing is typed into a cell. Rows and columns of another sheet come as lines and tabs.
 *
 * @param {HTMLElement} scroller
 * @param {{ text: () => string, clear: () => void, fill: (block: string[][]) => void }} cell the one that has the focus
 */
export function gridClipboard (scroller, { text, clear, fill }) {
  /** @param {ClipboardEvent} event */
  function copy (event) {
    if (event.target !== scroller) return false
    event.preventDefault()
    event.clipboardData?.setData('text/plain', quoted(text()))
    return true
  }

  scroller.addEventListener('copy', copy)
  scroller.addEventListener('cut', event => { if (copy(event)) clear() })
  scroller.addEventListener('paste', event => {
    if (event.target !== scroller) return
    event.preventDefault()
    fill(blockOf(event.clipboardData?.getData('text/plain') ?? ''))
  })
}

/** As other sheets copy a value that has lines or tabs. @param {string} value */
function quoted (value) {
  return /[\t\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Rows of values. Quotes are taken off what has lines or tabs, and nothing else. @param {string} pasted */
function blockOf (pasted) {
  /** @type {string[][]} */ const block = [[]]
  const text = pasted.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  for (const [, value = '', end] of text.matchAll(/("(?:[^"]|"")*"(?=[\t\n]|$)|[^\t\n]*)([\t\n]|$)/g)) {
    block.at(-1)?.push(/^".*[\t\n].*"$/s.test(value) ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === '') break
    if (end === '\n') block.push([])
  }
  return block
}
