/**
 * Copying and pasting while no cell is being typed into. Rows and columns of another spreadsheet arrive as lines and
 * tabs.
 *
 * @param {HTMLElement} scroller
 * @param {{ text: () => string, clear: () => void, fill: (block: string[][]) => void }} cell the selected cell
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

/** Quotes a value with line breaks or tabs as other spreadsheets do. @param {string} value */
function quoted (value) {
  return /[\t\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** Splits into rows of values. Removes the quotes of values with line breaks or tabs only. @param {string} pasted */
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
