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

/** All styles of a content part and a styles part, by family and name. */
export function styleSheet (content: Document, common: Document | undefined) {
  const styles = new Map<string, Element>()
  for (const part of common === undefined ? [content] : [common, content]) {
    for (const style of elements(part, 'style')) {
      styles.set(keyOf(attribute(style, 'family'), attribute(style, 'name')), style)
    }
  }

  return {
    find: (family: string, name: string | undefined) => styles.get(keyOf(family, name)),
    /** What a style says, or one that it is based on. @param properties the element that says it: without, the style */
    property (family: string, name: string | undefined, property: string, properties?: string): string | undefined {
      let style = styles.get(keyOf(family, name))
      for (let bases = 0; style !== undefined && bases <= MAX_BASES; bases++) {
        const from = properties === undefined ? style : firstChild(style, properties)
        const value = from === undefined ? undefined : attribute(from, property)
        if (value !== undefined) return value
        style = styles.get(keyOf(family, attribute(style, 'parent-style-name')))
      }
      return undefined
    },
    /** A name that no style of a family has, and none of the others. */
    freeName (family: string, others?: ReadonlyMap<string, Element>): string {
      let number = 1
      while (styles.has(keyOf(family, `Written${number}`)) || others?.has(`Written${number}`) === true) number++
      return `Written${number}`
    },
    /** Adds a style to the content, under a name. */
    add (family: string, name: string, style: Element): void {
      style.setAttributeNS(STYLE, 'style:name', name)
      style.setAttributeNS(STYLE, 'style:family', family)
      automaticStyles(content).appendChild(style)
      styles.set(keyOf(family, name), style)
    }
  }
}

/** The styles of texts, headings and lists. */
export function stylesOf (content: Document, common: Document | undefined) {
  const styles = styleSheet(content, common)
  const lists = new Map<string, 'bullet' | 'number'>()
  for (const style of [common, content].flatMap(part => part === undefined ? [] : elements(part, 'list-style'))) {
    const isBulleted = childElements(style)[0]?.localName === 'list-level-style-bullet'
    lists.set(attribute(style, 'name') ?? '', isBulleted ? 'bullet' : 'number')
  }
  const made = new Map<string, string>()

  /** What a text style says. */
  function property (name: string | undefined, property: string): string | undefined {
    return styles.property('text', name, property.split(':')[1]!, 'text-properties')
  }

  function has (name: string | undefined, format: Format): boolean {
    const value = property(name, PROPERTIES[format].name)
    if (value === undefined) return false
    return format === 'bold' ? isBold(value) : value !== PROPERTIES[format].off
  }

  return {
    has,
    property,
    lists,
    /** The levels of headings that have a style. */
    headings: [1, 2, 3, 4, 5, 6].filter(level => styles.find('paragraph', `Heading_20_${level}`) !== undefined),
    isTitle (name: string | undefined): boolean {
      const style = styles.find('paragraph', name)
      return name === 'Title' || (style !== undefined && attribute(style, 'parent-style-name') === 'Title')
    },
    /** The name of a text style that looks like another one and has these formats, made where there is none. */
    withFormats (base: string | undefined, wanted: ReadonlySet<string>): string | undefined {
      const changed = FORMATS.filter(format => has(base, format) !== wanted.has(format))
      if (changed.length === 0) return base
      const key = [base, ...changed].join(' ')
      const known = made.get(key)
      if (known !== undefined) return known
      const name = styles.freeName('text')
      const style = content.createElementNS(STYLE, 'style:style')
      const source = styles.find('text', base)
      const properties = firstChild(source, 'text-properties')?.cloneNode(true) as Element | undefined ??
        content.createElementNS(STYLE, 'style:text-properties')
      const parent = source === undefined ? undefined : attribute(source, 'parent-style-name')
      if (parent !== undefined) style.setAttributeNS(STYLE, 'style:parent-style-name', parent)
      for (const format of changed) {
        const { name, on, off } = PROPERTIES[format]
        properties.setAttributeNS(name.startsWith('fo:') ? FO : STYLE, name, wanted.has(format) ? on : off)
      }
      style.appendChild(properties)
      styles.add('text', name, style)
      made.set(key, name)
      return name
    }
  }
}

export type Styles = ReturnType<typeof stylesOf>

/** A `fo:font-weight`. */
export function isBold (weight: string): boolean {
  return weight === 'bold' || Number(weight) >= 600
}

function keyOf (family: string | undefined, name: string | undefined): string {
  return `${family} ${name}`
}

export function automaticStyles (content: Document): Element {
  const root = content.documentElement!
  return firstChild(root, 'automatic-styles') ?? root.insertBefore(
    content.createElementNS(OFFICE, 'office:automatic-styles'),
    firstChild(root, 'body') ?? null
  ) as Element
}
