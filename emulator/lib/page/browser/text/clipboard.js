import { Fragment, Slice } from 'prosemirror-model'
import { schema } from '../../../text/schema.js'
/** @import { Mark, Node, ResolvedPos } from 'prosemirror-model' */
/** @import { EditorProps } from 'prosemirror-view' */
/** @import { TextContent } from '../protocol.js' */

const { image, kept, kept_block: keptBlock, paragraph } = schema.nodes
const { look } = schema.marks
/** Characters that files of XML cannot contain. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/**
 * What is pasted becomes what the file can have.
 *
 * @param {TextContent} content
 * @returns {EditorProps}
 */
export function clipboard ({ epoch, plain, levels, lists }) {
  // In another document, or in this one after it was replaced, the same names are those of other parts.
  const prefix = `${epoch} `
  const withPrefix = (/** @type {string} */ ref) => prefix + ref
  const withoutPrefix = (/** @type {string} */ ref) => ref.startsWith(prefix) ? ref.slice(prefix.length) : null

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
    transformCopied: ({ content, openStart, openEnd }) => new Slice(renamed(content, withPrefix), openStart, openEnd),
    transformPasted ({ content, openStart, openEnd }, _view, isText) {
      if (plain) return linesOf(textOf(content))
      return new Slice(allowed(isText ? content : renamed(content, withoutPrefix)), openStart, openEnd)
    },
    clipboardTextParser: linesOf,
    clipboardTextSerializer: ({ content }) => textOf(content)
  }
}

/**
 * Gives the parts of the file other names. Of a part without one, the text remains.
 *
 * @param {Fragment} content
 * @param {(ref: string) => string | null} rename
 * @returns {Fragment}
 */
function renamed (content, rename) {
  /** @param {Node | Mark} part */
  const nameOf = ({ attrs: { ref = null } }) => ref === null ? null : rename(ref)
  return Fragment.from(content.content.flatMap(node => {
    const marks = node.marks.flatMap(mark => {
      const ref = nameOf(mark)
      if (mark.type === look && ref === null) return []
      return 'ref' in mark.attrs ? mark.type.create({ ...mark.attrs, ref }) : mark
    })
    if (node.isText) return node.mark(marks)
    const { type, attrs } = node
    const ref = nameOf(node)
    const { text } = attrs
    if (ref === null && type === image) return []
    if (ref === null && type === kept) return text === '' ? [] : schema.text(text, marks)
    if (ref === null && type === keptBlock) return paragraph.create(null, text === '' ? null : schema.text(text))
    return type.create('ref' in attrs ? { ...attrs, ref } : attrs, renamed(node.content, rename), marks)
  }))
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
