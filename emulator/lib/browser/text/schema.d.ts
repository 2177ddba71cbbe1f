// The document server has the same documents as the page; this tells the compiler what it imports.
import type { Schema } from 'prosemirror-model'
export const schema: Schema
