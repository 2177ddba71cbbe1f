import { Schema } from 'prosemirror-model'

/**
 * What a text document consists of, in the page and in the document server. `ref` names the part of the file that a
 * node was read from: `null` for new ones, and the same for both halves of what was split.
 */
export const schema = new Schema({
  nodes: {
    doc: { content: '(block | slide)+' },
    paragraph: {
      group: 'block',
      content: 'inline*',
      attrs: {
        ref: { default: null, validate: 'string|null' },
        /** 1 to 6 for a heading, 0 for a title. */
        level: { default: null, validate: 'number|null' },
        list: { default: null, validate: oneOf(null, 'bullet', 'number') },
        /** Of the list, from 0. */
        depth: { default: 0, validate: 'number' },
        align: { default: null, validate: oneOf(null, 'center', 'right', 'justify') }
      },
      parseDOM: [
        { tag: 'p' },
        ...[1, 2, 3, 4, 5, 6].map(level => ({ tag: `h${level}`, attrs: { level } }))
      ],
      toDOM ({ attrs: { ref, level, list, depth, align } }) {
        return [level === null ? 'p' : `h${Math.min(Math.max(level, 1), 6)}`, {
          'data-paragraph': ref ?? '',
          ...(level === 0 && { class: 'title' }),
          ...(list !== null && { 'data-list': list, 'data-depth': Math.min(Math.max(depth, 0), 8) }),
          ...(align !== null && { style: `text-align: ${align}` })
        }, 0]
      }
    },
    table: {
      group: 'block',
      content: 'table_row+',
      isolating: true,
      attrs: { ref: { default: null, validate: 'string|null' } },
      toDOM: () => ['table', ['tbody', 0]]
    },
    table_row: {
      content: 'table_cell+',
      attrs: { ref: { default: null, validate: 'string|null' } },
      toDOM: () => ['tr', 0]
    },
    table_cell: {
      content: 'block+',
      isolating: true,
      attrs: {
        ref: { default: null, validate: 'string|null' },
        colspan: { default: 1, validate: 'number' },
        rowspan: { default: 1, validate: 'number' }
      },
      toDOM: ({ attrs: { colspan, rowspan } }) => ['td', { colspan, rowspan }, 0]
    },
    slide: {
      content: 'block+',
      isolating: true,
      attrs: { ref: { default: null, validate: 'string|null' }, name: { default: '', validate: 'string' } },
      toDOM: ({ attrs: { name } }) => ['section', { class: 'slide', 'aria-label': name, 'data-name': name }, 0]
    },
    /** Blocks that belong together in the file, such as those of a content control. */
    section: {
      group: 'block',
      content: 'block+',
      attrs: { ref: { default: null, validate: 'string|null' } },
      toDOM: () => ['div', 0]
    },
    /** A part of the file that is shown as a text, such as a table of contents. */
    kept_block: {
      group: 'block',
      atom: true,
      attrs: {
        ref: { default: null, validate: 'string|null' },
        text: { default: '', validate: 'string' },
        /** A picture, as a data URL. */
        src: { default: null, validate: isDataUrl }
      },
      leafText: ({ attrs: { text } }) => text,
      toDOM ({ attrs: { text, src } }) {
        const attributes = { class: 'kept', title: 'The emulated editor cannot edit this' }
        return src === null ? ['div', attributes, text] : ['img', { ...attributes, src, alt: text || 'Image' }]
      }
    },
    text: { group: 'inline' },
    hard_break: {
      group: 'inline',
      inline: true,
      selectable: false,
      leafText: () => '\n',
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br']
    },
    image: {
      group: 'inline',
      inline: true,
      attrs: {
        ref: { default: null, validate: 'string|null' },
        /** A data URL; `null` for one that browsers do not show. */
        src: { default: null, validate: isDataUrl },
        alt: { default: '', validate: 'string' },
        /** In CSS pixels. */
        width: { default: null, validate: 'number|null' },
        height: { default: null, validate: 'number|null' }
      },
      toDOM ({ attrs: { src, alt, width, height } }) {
        if (src === null) return ['span', { class: 'image', role: 'img', 'aria-label': alt || 'Image' }]
        return ['img', { src, alt, ...(width !== null && { width }), ...(height !== null && { height }) }]
      }
    },
    /** A part of a paragraph that is shown as a text, such as a field or what somebody deleted as a suggestion. */
    kept: {
      group: 'inline',
      inline: true,
      attrs: { ref: { default: null, validate: 'string|null' }, text: { default: '', validate: 'string' } },
      leafText: ({ attrs: { text } }) => text,
      toDOM: ({ attrs: { text } }) => ['span', { class: 'kept', title: 'The emulated editor cannot edit this' }, text]
    }
  },
  marks: {
    link: {
      inclusive: false,
      attrs: { href: { validate: isLink }, ref: { default: null, validate: 'string|null' } },
      toDOM: ({ attrs: { href } }) => ['a', { href, target: '_blank', rel: 'noopener noreferrer' }, 0]
    },
    /** How a part of the file looks besides its formats. */
    look: {
      attrs: { ref: { validate: 'string' }, css: { default: '', validate: isCss } },
      toDOM: ({ attrs: { css } }) => ['span', css === '' ? {} : { style: css }, 0]
    },
    bold: { parseDOM: [{ tag: 'b' }, { tag: 'strong' }], toDOM: () => ['b', 0] },
    italic: { parseDOM: [{ tag: 'i' }, { tag: 'em' }], toDOM: () => ['i', 0] },
    underline: { parseDOM: [{ tag: 'u' }], toDOM: () => ['u', 0] },
    strike: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: () => ['s', 0] }
  }
})

/** @param {Array<string | null>} values */
function oneOf (...values) {
  return check(value => values.includes(/** @type {string | null} */ (value)))
}

/** @param {unknown} value */
function isDataUrl (value) {
  check(value => value === null || (typeof value === 'string' && value.startsWith('data:image/')))(value)
}

/** @param {unknown} value */
function isLink (value) {
  check(value => typeof value === 'string' && /^(?:https?:|mailto:|#)/i.test(value))(value)
}

/** @param {unknown} value */
function isCss (value) {
  check(value => typeof value === 'string' && /^[\w :;.,%#-]*$/.test(value))(value)
}

/** @param {(value: unknown) => boolean} holds */
function check (holds) {
  return (/** @type {unknown} */ value) => {
    if (!holds(value)) throw new RangeError(`Not allowed in a document: ${String(value)}`)
  }
}
