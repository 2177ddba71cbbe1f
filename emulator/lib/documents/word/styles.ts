import type { Element } from '@xmldom/xmldom'
import { childElements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml } from '../office/xml.js'
import type { Format } from '../prose/prose.js'

export const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

export const NAMES: Record<Format, string> = { bold: 'b', italic: 'i', underline: 'u', strike: 'strike' }
const OFF = ['0', 'false', 'off', 'none']
const MAX_BASES = 10

type ListKind = 'bullet' | 'number'

/** Whether the properties themselves turn a format on or off. */
function stated (properties: Element | undefined, format: Format): boolean | undefined {
  const element = firstChild(properties, NAMES[format])
  return element === undefined ? undefined : !OFF.includes(valueOf(element) ?? '')
}

export function valueOf (element: Element | undefined): string | undefined {
  return element?.getAttributeNS(WORD, 'val') ?? undefined
}

/** What the styles and the numbering of a document say. */
export function stylesOf (office: OfficePackage) {
  const styles = new Map<string, Element>()
  for (const element of elementsOf(office.text('word/styles.xml'), WORD, 'style')) {
    styles.set(element.getAttributeNS(WORD, 'styleId') ?? '', element)
  }
  const numbering = numberingOf(office.text('word/numbering.xml'))
  const levels = new Map<number, string>()
  for (const id of styles.keys()) {
    const level = levelOf(id)
    if (level !== null && !levels.has(level)) levels.set(level, id)
  }

  /** A property of a style, or of one that it is based on. */
  function property<Value> (id: string | undefined, read: (style: Element) => Value | undefined): Value | undefined {
    let style = styles.get(id ?? '')
    for (let bases = 0; style !== undefined && bases <= MAX_BASES; bases++) {
      const value = read(style)
      if (value !== undefined) return value
      style = styles.get(valueOf(firstChild(style, 'basedOn')) ?? '')
    }
    return undefined
  }

  /** 1 to 6 for a heading, 0 for a title. The names of styles are in English; their ids may be translated. */
  function levelOf (id: string): number | null {
    const name = valueOf(firstChild(styles.get(id), 'name')) ?? id
    if (/^title$/i.test(name)) return 0
    const [, level] = /^heading ?([1-6])$/i.exec(name) ?? []
    return level === undefined ? null : Number(level)
  }

  return {
    levels,
    levelOf,
    /** Whether a run has a format, also by its style. */
    has (properties: Element | undefined, format: Format): boolean {
      const style = valueOf(firstChild(properties, 'rStyle'))
      return stated(properties, format) ?? property(style, found => stated(firstChild(found, 'rPr'), format)) ?? false
    },
    listOf (properties: Element | undefined): { readonly list: ListKind | null, readonly depth: number } {
      const own = firstChild(properties, 'numPr')
      const style = valueOf(firstChild(properties, 'pStyle'))
      const given = own ?? property(style, found => firstChild(firstChild(found, 'pPr'), 'numPr'))
      const list = numbering.get(valueOf(firstChild(given, 'numId')) ?? '')
      const depth = Number(valueOf(firstChild(given, 'ilvl')) ?? 0)
      return { list: list ?? null, depth: list !== undefined && Number.isInteger(depth) ? depth : 0 }
    }
  }
}

export type Styles = ReturnType<typeof stylesOf>

/** A list is of the kind that its first level is. */
function numberingOf (source: string | undefined): ReadonlyMap<string, ListKind> {
  const kinds = new Map<string | undefined, ListKind>()
  for (const element of elementsOf(source, WORD, 'abstractNum')) {
    const format = valueOf(firstChild(childElements(element).find(({ localName }) => localName === 'lvl'), 'numFmt'))
    kinds.set(element.getAttributeNS(WORD, 'abstractNumId') ?? undefined, format === 'bullet' ? 'bullet' : 'number')
  }
  return new Map(elementsOf(source, WORD, 'num').flatMap(element => {
    const kind = kinds.get(valueOf(firstChild(element, 'abstractNumId')))
    return kind === undefined ? [] : [[element.getAttributeNS(WORD, 'numId') ?? '', kind]]
  }))
}

/** Empty for a missing or malformed part, which only affects formatting. */
function elementsOf (source: string | undefined, namespace: string, name: string): Element[] {
  try {
    return source === undefined ? [] : [...parseXml(source).getElementsByTagNameNS(namespace, name)]
  } catch {
    return []
  }
}
