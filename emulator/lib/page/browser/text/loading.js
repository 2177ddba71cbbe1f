/** @type {typeof import('./text.js')} */
export let text

/** Loads what shows and edits texts. Sheets and PDF files do without. */
export async function loadText () {
  text ??= await import('./text.js')
  return text
}
