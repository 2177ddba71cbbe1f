// What the page loads for a text.
export { showDifferences } from './differences.js'
export { createTextEditing } from './editing.js'
export { textView } from './view.js'
