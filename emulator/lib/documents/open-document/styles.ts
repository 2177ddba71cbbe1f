import type { Document, Element } from '@xmldom/xmldom'
import { type Format, FORMATS } from '../prose/prose.js'
import { attribute, childElements, elements, firstChild } from '../office/elements.js'

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
export const TEXT = `${OASIS}:text:1.0`
export const TABLE = `${OASIS}:table:1.0`
export const PRESENTATION = `${OASIS}:presentation:1.0`
export const STYLE = `${OASIS}:style:1.0`
export const OFFICE = `${OASIS}:office:1.0`
const FO = `${OASIS}:xsl-fo-compatible:1.0`
const MAX_BASES = 10

const PROPERTIES: Record<Format, { readonly name: string, readonly on: string, readonly off: string }> = {
  bold: { name: 'fo:font-weight', on: 'bold', off: 'normal' },
  italic: { name: 'fo:font-style', on: 'italic', off: 'normal' },
  underline: { name: 'style:text-underline-style', on: 'solid', off: 'none' },
  strike: { name: 'style:text-line-through-style', on: 'solid', off: 'none' }
}

/** The styles of a content part and a styles part. */
export function stylesOf (content: Document, common: Document | undefined) {
  const styles = new Map<string, Element>()
  const lists = new Map<string, 'bullet' | 'number'>()
  for (const part of [common, content]) {
    if (part === undefined) continue
    for (const style of elements(part, 'style')) styles.set(keyOf(style), style)
    for (const style of elements(part, 'list-style')) {
      const isBulleted = childElements(style)[0]?.localName === 'list-level-style-bullet'
      lists.set(attribute(style, 'name') ?? '', isBulleted ? 'bullet' : 'number')
    }
  }
  const made = new Map<string, string>()

  /** What a text style says, or one that it is based on. */
  function property (name: string | undefined, property: string): string | undefined {
    let style = styles.get(`text ${name}`)
    for (let bases = 0; style !== undefined && bases <= MAX_BASES; bases++) {
      const value = attribute(firstChild(style, 'text-properties') ?? style, property.split(':')[1]!)
      if (value !== undefined) return value
      style = styles.get(`text ${attribute(style, 'parent-style-name')}`)
    }
    return undefined
  }

  function has (name: string | undefined, format: Format): boolean {
    const value = property(name, PROPERTIES[format].name)
    if (value === undefined) return false
    return format === 'bold' ? value === 'bold' || Number(value) >= 600 : value !== PROPERTIES[format].off
  }

  return {
    has,
    property,
    lists,
    /** The levels of headings that have a style. */
    headings: [1, 2, 3, 4, 5, 6].filter(level => styles.has(`paragraph Heading_20_${level}`)),
    isTitle: (name: string | undefined) => name === 'Title' || attributeOf(styles.get(`paragraph ${name}`)) === 'Title',
    /** The name of a text style that looks like another one and has these formats, made where there is none. */
    withFormats (base: string | undefined, wanted: ReadonlySet<string>): string | undefined {
      const changed = FORMATS.filter(format => has(base, format) !== wanted.has(format))
      if (changed.length === 0) return base
      const key = [base, ...changed].join(' ')
      const known = made.get(key)
      if (known !== undefined) return known
      let number = made.size + 1
      while (styles.has(`text Written${number}`)) number++
      const style = content.createElementNS(STYLE, 'style:style')
      style.setAttributeNS(STYLE, 'style:name', `Written${number}`)
      style.setAttributeNS(STYLE, 'style:family', 'text')
      const source = styles.get(`text ${base}`)
      const properties = firstChild(source, 'text-properties')?.cloneNode(true) as Element | undefined ??
        content.createElementNS(STYLE, 'style:text-properties')
      const parent = source === undefined ? undefined : attribute(source, 'parent-style-name')
      if (parent !== undefined) style.setAttributeNS(STYLE, 'style:parent-style-name', parent)
      for (const format of changed) {
        const { name, on, off } = PROPERTIES[format]
        properties.setAttributeNS(name.startsWith('fo:') ? FO : STYLE, name, wanted.has(format) ? on : off)
      }
      style.appendChild(properties)
      automaticStyles(content).appendChild(style)
      styles.set(keyOf(style), style)
      made.set(key, `Written${number}`)
      return `Written${number}`
    }
  }
}

export type Styles = ReturnType<typeof stylesOf>

function keyOf (style: Element): string {
  return `${attribute(style, 'family')} ${attribute(style, 'name')}`
}

function attributeOf (style: Element | undefined): string | undefined {
  return style === undefined ? undefined : attribute(style, 'parent-style-name')
}

export function automaticStyles (content: Document): Element {
  const root = content.documentElement!
  return firstChild(root, 'automatic-styles') ?? root.insertBefore(
    content.createElementNS(OFFICE, 'office:automatic-styles'),
    firstChild(root, 'body') ?? null
  ) as Element
}
