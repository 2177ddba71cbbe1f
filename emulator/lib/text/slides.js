import { schema } from './schema.js'
/** @import { Node } from 'prosemirror-model' */

const { slide } = schema.nodes

/** @param {Node} doc */
export function hasSlides (doc) {
  return doc.firstChild?.type === slide
}

/**
 * Whether the slides of a document still have the same shapes: only the text in them is edited.
 *
 * @param {Node} before
 * @param {Node} after
 */
export function hasSameShapes (before, after) {
  return !hasSlides(before) || shapesOf(before) === shapesOf(after)
}

/** @param {Node} doc */
function shapesOf (doc) {
  return JSON.stringify(doc.children.map(({ type, attrs, children }) =>
    [type.name, attrs.ref, ...children.map(({ type, attrs }) => [type.name, attrs.ref])]
  ))
}
