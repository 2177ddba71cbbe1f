import type { Element } from '@xmldom/xmldom'
import { FORMATS, type Format } from '../types.js'
import { firstChild, WORD } from './text.js'
import { parseXml } from '../office/xml.js'

export const NAMES: Record<Format, string> = { bold: 'b', italic: 'i', underline: 'u', strike: 'strike' }
const OFF = ['0', 'false', 'off', 'none']
const MAX_BASES = 10

/** Whether the properties themselves turn a format on or off. */
export function stated (properties: Element | undefined, format: Format): boolean | undefined {
  const element = firstChild(properties, NAMES[format])
  return element === undefined ? undefined : !OFF.includes(valueOf(element) ?? '')
}

export function valueOf (element: Element | undefined): string | undefined {
  return element?.getAttributeNS(WORD, 'val') ?? undefined
}

/** The formatting of character styles, by id. */
export function characterStyles (source: string | undefined): Map<string, Partial<Record<Format, boolean>>> {
  const elements = new Map<string, Element>()
  for (const element of elementsOf(source, WORD, 'style')) {
    if (element.getAttributeNS(WORD, 'type') === 'character') {
      elements.set(element.getAttributeNS(WORD, 'styleId') ?? '', element)
    }
  }

  function look (element: Element | undefined, bases: number): Partial<Record<Format, boolean>> {
    if (element === undefined || bases > MAX_BASES) return {}
    const properties = firstChild(element, 'rPr')
    const own = FORMATS.flatMap(format =>
      stated(properties, format) === undefined ? [] : [[format, stated(properties, format)]]
    )
    return {
      ...look(elements.get(valueOf(firstChild(element, 'basedOn')) ?? ''), bases + 1),
      ...Object.fromEntries(own)
    }
  }
  return new Map([...elements].map(([id, element]) => [id, look(element, 0)]))
}

/** Link targets, by relationship id. */
export function linkTargets (source: string | undefined): Map<string, string> {
  return new Map(elementsOf(source, '*', 'Relationship')
    .filter(element => element.getAttribute('Type')?.endsWith('/hyperlink') === true)
    .map(element => [element.getAttribute('Id') ?? '', element.getAttribute('Target') ?? '']))
}

/** Empty for a missing or malformed part, which only affects formatting. */
function elementsOf (source: string | undefined, namespace: string, name: string): Element[] {
  try {
    return source === undefined ? [] : [...parseXml(source).getElementsByTagNameNS(namespace, name)]
  } catch {
    return []
  }
}
