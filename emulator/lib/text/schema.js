import { Schema } from 'prosemirror-model'

const ALIGNMENTS = ['center', 'right', 'justify']
const LINK = /^(?:https?:|mailto:|#)/i
const CSS_DECLARATION = [
  'color: (?:#(?:[0-9a-f]{3}){1,2}|CanvasText)',
  'font-size: [\\d.]+(?:pt|cqw)',
  'vertical-align: (?:super|sub)'
].join('|')
const CSS_DECLARATIONS = new RegExp(`^(?:(?:${CSS_DECLARATION})(?:; )?)*$`, 'i')
/** The place of a shape on its slide: left, top, width and height in per cent of the slide's size. */
const BOX = { default: null, validate: isBox }

/**
 * What a text document consists of, in the page and in the document server. `ref` names the part of the file that a
 * node was read from: `null` for new ones, and the same for both halves of what was split.
 */
export const schema = new Schema({
  nodes: {
    /** `color`: of text without any other. */
    doc: { content: '(block | slide)+', attrs: { color: { default: null, validate: isColor } } },
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
        align: { default: null, validate: oneOf(null, ...ALIGNMENTS) },
        /** By its style. */
        color: { default: null, validate: isColor }
      },
      parseDOM: [
        { tag: 'p', getAttrs: ofParagraph },
        ...[1, 2, 3, 4, 5, 6].map(level => ({
          tag: `h${level}`,
          getAttrs: (/** @type {HTMLElement} */ element) => ({
            ...ofParagraph(element),
            level: element.className === 'title' ? 0 : level
          })
        }))
      ],
      toDOM ({ attrs: { ref, level, list, depth, align, color } }) {
        return [level === null ? 'p' : `h${Math.min(Math.max(level, 1), 6)}`, {
          'data-paragraph': ref ?? '',
          ...(level === 0 && { class: 'title' }),
          ...(list !== null && { 'data-list': list, 'data-depth': Math.min(Math.max(depth, 0), 8) }),
          ...(align !== null && { 'data-align': align }),
          ...(color !== null && { 'data-ink': color, style: `color: ${color}` })
        }, 0]
      }
    },
    table: {
      group: 'block',
      content: 'table_row+',
      isolating: true,
      attrs: { ref: { default: null, validate: 'string|null' }, box: BOX },
      parseDOM: [{ tag: 'table[data-ref]', getAttrs: ofPart }],
      toDOM: ({ attrs: { ref, box } }) => ['table', { ...styled(box), 'data-ref': ref ?? '' }, ['tbody', 0]]
    },
    table_row: {
      content: 'table_cell+',
      attrs: { ref: { default: null, validate: 'string|null' } },
      parseDOM: [{ tag: 'tr[data-ref]', getAttrs: ofPart }],
      toDOM: ({ attrs: { ref } }) => ['tr', { 'data-ref': ref ?? '' }, 0]
    },
    table_cell: {
      content: 'block+',
      isolating: true,
      attrs: {
        ref: { default: null, validate: 'string|null' },
        colspan: { default: 1, validate: 'number' },
        rowspan: { default: 1, validate: 'number' },
        fill: { default: null, validate: isColor }
      },
      parseDOM: [{
        tag: 'td[data-ref]',
        getAttrs: element => ({
          ...ofPart(element),
          colspan: /** @type {HTMLTableCellElement} */ (element).colSpan,
          rowspan: /** @type {HTMLTableCellElement} */ (element).rowSpan,
          fill: element.dataset.fill ?? null
        })
      }],
      toDOM: ({ attrs: { ref, colspan, rowspan, fill } }) =>
        ['td', { 'data-ref': ref ?? '', colspan, rowspan, ...(fill !== null && filled(fill)) }, 0]
    },
    slide: {
      content: '(section | table | kept_block)+',
      isolating: true,
      attrs: { ref: { default: null, validate: 'string|null' }, name: { default: '', validate: 'string' } },
      toDOM: ({ attrs: { name } }) => ['section', { class: 'slide', 'aria-label': name, 'data-name': name }, 0]
    },
    /** Blocks that belong together in the file, such as those of a content control. */
    section: {
      group: 'block',
      content: 'block+',
      attrs: {
        ref: { default: null, validate: 'string|null' },
        box: BOX,
        /** Of a shape: its colour. */
        fill: { default: null, validate: isColor }
      },
      toDOM: ({ attrs: { box, fill } }) => ['div', styled(box, fill), 0]
    },
    /** A part of the file that is shown as a text, such as a table of contents. */
    kept_block: {
      group: 'block',
      atom: true,
      attrs: {
        ref: { default: null, validate: 'string|null' },
        text: { default: '', validate: 'string' },
        box: BOX,
        /** A picture, as a data URL. */
        src: { default: null, validate: isDataUrl }
      },
      leafText: ({ attrs: { text } }) => text,
      parseDOM: [{ tag: 'div.kept[data-ref]', getAttrs: ofKept }],
      toDOM ({ attrs }) {
        const { text, src } = attrs
        if (src === null) return ['div', keptAttributes(attrs), text]
        return ['img', { ...styled(attrs.box), class: 'kept', src, alt: text || 'Image' }]
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
      parseDOM: [{ tag: 'img[data-ref], span.image[data-ref]', getAttrs: ofImage }],
      toDOM ({ attrs: { ref, src, alt, width, height } }) {
        const size = { ...width !== null && { width }, ...height !== null && { height } }
        if (src !== null) return ['img', { 'data-ref': ref ?? '', src, alt: alt || 'Image', ...size }]
        return ['span', { 'data-ref': ref ?? '', class: 'image', role: 'img', 'aria-label': alt || 'Image' }]
      }
    },
    /** A part of a paragraph that is shown as a text, such as a field or what somebody deleted as a suggestion. */
    kept: {
      group: 'inline',
      inline: true,
      attrs: { ref: { default: null, validate: 'string|null' }, text: { default: '', validate: 'string' } },
      leafText: ({ attrs: { text } }) => text,
      parseDOM: [{ tag: 'span.kept[data-ref]', getAttrs: ofKept }],
      toDOM: ({ attrs }) => ['span', keptAttributes(attrs), attrs.text]
    }
  },
  marks: {
    link: {
      inclusive: false,
      attrs: { href: { validate: isLink }, ref: { default: null, validate: 'string|null' } },
      parseDOM: [{
        tag: 'a[href]',
        getAttrs (element) {
          const href = element.getAttribute('href') ?? ''
          return LINK.test(href) && { ...ofPart(element), href }
        }
      }],
      toDOM: ({ attrs: { href, ref } }) =>
        ['a', { 'data-ref': ref ?? '', href, title: href, target: '_blank', rel: 'noopener noreferrer' }, 0]
    },
    /** How a part of the file looks besides its formats. */
    look: {
      attrs: { ref: { validate: 'string' }, css: { default: '', validate: isCss } },
      parseDOM: [{
        tag: 'span[data-look]',
        getAttrs ({ dataset: { look, css = '' } }) {
          return CSS_DECLARATIONS.test(css) && { ref: look, css }
        }
      }],
      toDOM: ({ attrs: { ref, css } }) => ['span', { 'data-look': ref, ...css !== '' && { 'data-css': css, style: css } }, 0]
    },
    bold: {
      parseDOM: [{ tag: 'b, strong' }],
      toDOM: () => ['b', 0]
    },
    italic: {
      parseDOM: [{ tag: 'i, em' }],
      toDOM: () => ['i', 0]
    },
    underline: {
      parseDOM: [{ tag: 'u' }],
      toDOM: () => ['u', 0]
    },
    strike: { parseDOM: [{ tag: 's, del' }], toDOM: () => ['s', 0] }
  }
})

/** @param {HTMLElement} element */
function ofPart ({ dataset: { ref } }) {
  return { ref: ref || null }
}

/** @param {HTMLElement} element */
function ofParagraph ({ dataset: { paragraph, list, depth, align = '', ink } }) {
  return {
    ref: paragraph || null,
    list: list === 'bullet' || list === 'number' ? list : null,
    depth: Number(depth) || 0,
    align: ALIGNMENTS.includes(align) ? align : null,
    color: ink ?? null
  }
}

/** @param {HTMLElement} element */
function ofImage (element) {
  const isImage = element instanceof HTMLImageElement
  const sizeOf = (/** @type {string} */ name) => Number(element.getAttribute(name)) || null
  return {
    ...ofPart(element),
    src: isImage && element.src.startsWith('data:image/') ? element.src : null,
    alt: (isImage ? element.alt : element.getAttribute('aria-label')) ?? '',
    width: sizeOf('width'),
    height: sizeOf('height')
  }
}

/** @param {HTMLElement} element */
function ofKept (element) {
  return { ...ofPart(element), text: element.textContent ?? '' }
}

/** @param {{ [name: string]: any }} attrs */
function keptAttributes ({ ref }) {
  return { 'data-ref': ref ?? '', class: 'kept', title: 'The emulated editor cannot edit this' }
}

/** On a dark ground, text without a colour of its own is white. @param {string} fill */
function filled (fill) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => parseInt(fill.slice(at, at + 2), 16))
  const isDark = red * 76 + green * 151 + blue * 29 < 63 * 256
  return { 'data-fill': fill, style: `background: ${fill}`, ...isDark && { class: 'dark' } }
}

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
  check(value => typeof value === 'string' && LINK.test(value))(value)
}

/** @param {unknown} value */
function isBox (value) {
  check(value => value === null || (typeof value === 'string' && /^(?:-?\d+(?:\.\d+)? ){3}\d+(?:\.\d+)?$/.test(value)))(value)
}

/** @param {unknown} value */
function isColor (value) {
  check(value => value === null || (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)))(value)
}

/**
 * The style of a shape on a slide.
 *
 * @param {string | null} box
 * @param {string | null} [fill]
 */
function styled (box, fill = null) {
  if (box === null) return {}
  const [left, top, width, height] = box.split(' ')
  const style = `position: absolute; left: ${left}%; top: ${top}%; width: ${width}%; min-height: ${height}%`
  return { class: 'shape', style: fill === null ? style : `${style}; background: ${fill}` }
}

/** @param {unknown} value */
function isCss (value) {
  check(value => typeof value === 'string' && CSS_DECLARATIONS.test(value))(value)
}

/** @param {(value: unknown) => boolean} holds */
function check (holds) {
  return (/** @type {unknown} */ value) => {
    if (!holds(value)) throw new RangeError(`Not allowed in a document: ${String(value)}`)
  }
}
