import type { Element } from '@xmldom/xmldom'
import { childElements, elements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml } from '../office/xml.js'
import { colorFrom, type Format } from '../prose/prose.js'

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

/** As in the file: `auto`, or without its `#`. */
function statedColor (properties: Element | undefined): string | undefined {
  return valueOf(firstChild(properties, 'color'))
}

function colorOfStyle (style: Element | undefined): string | undefined {
  return statedColor(firstChild(style, 'rPr'))
}

/** What the styles and the numbering of a document say. */
export function stylesOf (office: OfficePackage) {
  const all = elementsOf(office.text('word/styles.xml'), 'rPrDefault', 'style')
  const styles = new Map(all.map(element => [element.getAttributeNS(WORD, 'styleId') ?? element.localName!, element]))
  const normal = all.find(isDefaultOfParagraphs)?.getAttributeNS(WORD, 'styleId') ?? undefined
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
    /** The colour of a run, as in the file; `undefined` for that of its paragraph. */
    runColor (properties: Element | undefined): string | undefined {
      const style = valueOf(firstChild(properties, 'rStyle'))
      return statedColor(properties) ?? property(style, colorOfStyle)
    },
    /** The colour of a paragraph's text by its style; `null` for the automatic one. */
    paragraphColor (id = ''): string | null {
      const style = styles.has(id) ? id : normal
      return colorFrom(property(style, colorOfStyle) ?? colorOfStyle(styles.get('rPrDefault')))
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

function isDefaultOfParagraphs (style: Element): boolean {
  return style.getAttributeNS(WORD, 'default') === '1' && style.getAttributeNS(WORD, 'type') === 'paragraph'
}

/** A list is of the kind that its first level is. */
function numberingOf (source: string | undefined): ReadonlyMap<string, ListKind> {
  const kinds = new Map<string | undefined, ListKind>()
  for (const element of elementsOf(source, 'abstractNum')) {
    const format = valueOf(firstChild(childElements(element).find(({ localName }) => localName === 'lvl'), 'numFmt'))
    kinds.set(element.getAttributeNS(WORD, 'abstractNumId') ?? undefined, format === 'bullet' ? 'bullet' : 'number')
  }
  return new Map(elementsOf(source, 'num').flatMap(element => {
    const kind = kinds.get(valueOf(firstChild(element, 'abstractNumId')))
    return kind === undefined ? [] : [[element.getAttributeNS(WORD, 'numId') ?? '', kind]]
  }))
}

/** Empty for a missing or malformed part, which only affects formatting. */
function elementsOf (source: string | undefined, ...names: string[]): Element[] {
  try {
    return source === undefined ? [] : elements(parseXml(source), ...names)
  } catch {
    return []
  }
}
