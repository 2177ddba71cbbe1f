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
    event.clipboardData?.setData('text/plain', text())
    return true
  }

  scroller.addEventListener('copy', copy)
  scroller.addEventListener('cut', event => { if (copy(event)) clear() })
  scroller.addEventListener('paste', event => {
    if (event.target !== scroller) return
    event.preventDefault()
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    fill(pasted.replace(/\r?\n$/, '').split(/\r?\n/).map(line => line.split('\t')))
  })
}
