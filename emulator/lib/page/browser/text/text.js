// What the page loads for a text.
export { createTextEditing } from './editing.js'
export { documentOf, showDocument, textView } from './view.js'
