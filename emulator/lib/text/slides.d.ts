// As in schema.d.ts.
import type { Node } from 'prosemirror-model'

export function hasSlides (doc: Node): boolean
export function hasSameShapes (before: Node, after: Node): boolean
