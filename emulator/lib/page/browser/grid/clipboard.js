/**
 * Copying and pasting while no cell is being typed into. Rows and columns of another spreadsheet arrive as lines and
 * tabs.
 *
 * @param {HTMLElement} place
 * @param {{ texts: () => string[][], clear: () => void, fill: (block: string[][]) => void }} cells the selected ones
 */
export function gridClipboard (place, { texts, clear, fill }) {
  const isTyping = (/** @type {Event} */ event) => event.target instanceof HTMLTextAreaElement

  /** @param {ClipboardEvent} event */
  function copy (event) {
    if (isTyping(event)) return false
    event.preventDefault()
    event.clipboardData?.setData('text/plain', texts().map(line => line.map(quoted).join('\t')).join('\n'))
    return true
  }

  place.addEventListener('copy', copy)
  place.addEventListener('cut', event => { if (copy(event)) clear() })
  place.addEventListener('paste', event => {
    if (isTyping(event)) return
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
