import { Fragment, Slice } from 'prosemirror-model'
import { schema } from './schema.js'
/** @import { ResolvedPos } from 'prosemirror-model' */
/** @import { EditorProps } from 'prosemirror-view' */
/** @import { TextContent } from '../protocol.js' */

const { paragraph } = schema.nodes
/** Characters that files of XML cannot contain. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/**
 * What is pasted becomes what the file can have.
 *
 * @param {TextContent} content
 * @returns {EditorProps}
 */
export function clipboard ({ plain, levels, lists }) {
  /** @param {Fragment} content @returns {Fragment} */
  function allowed (content) {
    return Fragment.from(content.content.map(node => {
      if (node.type !== paragraph) return node.copy(allowed(node.content))
      const { level, list, depth } = node.attrs
      const hasList = lists.includes(list)
      return paragraph.create({
        ...node.attrs,
        level: levels.includes(level) ? level : null,
        list: hasList ? list : null,
        depth: hasList ? depth : 0
      }, node.content)
    }))
  }

  return {
    transformPastedText: withoutForbidden,
    // The content security policy forbids to parse style attributes.
    transformPastedHTML: html => withoutForbidden(html).replace(/(<[^>]*\s)style=/gi, '$1data-style='),
    transformPasted: ({ content, openStart, openEnd }) =>
      plain ? linesOf(textOf(content)) : new Slice(allowed(content), openStart, openEnd),
    clipboardTextParser: linesOf,
    clipboardTextSerializer: ({ content }) => textOf(content)
  }
}

/** @param {string} text */
function withoutForbidden (text) {
  return text.replace(FORBIDDEN, '')
}

/** @param {Fragment} content */
function textOf (content) {
  return content.textBetween(0, content.size, '\n')
}

/** A paragraph for each line, like the one where they are pasted. @param {string} text @param {ResolvedPos} [at] */
function linesOf (text, at) {
  const attrs = at?.parent.type === paragraph && at.parent.attrs.level === null ? at.parent.attrs : null
  const lines = text.split(/\r\n?|\n/)
  return new Slice(
    Fragment.from(lines.map(line => paragraph.create(attrs, line === '' ? null : schema.text(line, at?.marks())))),
    1,
    1
  )
}
