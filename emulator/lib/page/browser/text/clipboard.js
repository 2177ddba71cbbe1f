import { Fragment, Slice } from 'prosemirror-model'
import { schema } from '../../../text/schema.js'
/** @import { ResolvedPos } from 'prosemirror-model' */
/** @import { EditorProps } from 'prosemirror-view' */

/** Of what is pasted, only the text counts. @type {EditorProps} */
export const clipboard = {
  // The content security policy forbids to parse style attributes.
  transformPastedHTML: html => html.replace(/(<[^>]*\s)style=/gi, '$1data-style='),
  transformPasted: ({ content }) => linesOf(textOf(content)),
  clipboardTextParser: linesOf,
  clipboardTextSerializer: ({ content }) => textOf(content)
}

/** @param {Fragment} content */
function textOf (content) {
  return content.textBetween(0, content.size, '\n')
}

/** A paragraph for each line, like the one where they are pasted. @param {string} text @param {ResolvedPos} [at] */
function linesOf (text, at) {
  const { paragraph } = schema.nodes
  const attrs = at?.parent.type === paragraph && at.parent.attrs.level === null ? at.parent.attrs : null
  const lines = text.split(/\r\n?|\n/)
  return new Slice(
    Fragment.from(lines.map(line => paragraph.create(attrs, line === '' ? null : schema.text(line, at?.marks())))),
    1,
    1
  )
}
