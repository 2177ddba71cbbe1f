import type { Document, Element } from '@xmldom/xmldom'
import { attribute, childElements, elements } from '../office/elements.js'
import { GENERAL } from '../workbook/built-in-formats.js'
import { automaticStyles, isBold, STYLE, styleSheet } from '../open-document/styles.js'
import type { CellStyle } from '../workbook/styles.js'
import { BOOLEAN } from './cells.js'

const NUMBER = 'urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0'
const DATE = ['year/long', '-', 'month/long', '-', 'day/long']
/** What the formats for typed values consist of. */
const PARTS: Readonly<Record<string, readonly [kind: string, ...parts: string[]]>> = {
  '0%': ['percentage', 'number/0', '%'],
  '0.00%': ['percentage', 'number/2', '%'],
  'yyyy-mm-dd': ['date', ...DATE],
  'yyyy-mm-dd hh:mm': ['date', ...DATE, ' ', 'hours/long', ':', 'minutes/long'],
  [BOOLEAN]: ['boolean', 'boolean']
}

/** The styles of cells, columns and tables in a content part and a styles part. */
export function stylesOf (content: Document, common: Document | undefined) {
  const styles = styleSheet(content, common)
  const formats = new Map<string, Element>()
  for (const part of common === undefined ? [content] : [common, content]) {
    for (const style of elements(part, 'automatic-styles', 'styles').flatMap(childElements)) {
      if (style.namespaceURI?.includes(':datastyle:') === true) formats.set(attribute(style, 'name') ?? '', style)
    }
  }
  const made = new Map<string, string>()
  const looks = new Map<string | undefined, CellStyle>()

  function lookOf (name: string | undefined): CellStyle {
    const of = styles.property.bind(null, 'table-cell', name)
    const weight = of('font-weight', 'text-properties') ?? ''
    const align = of('text-align', 'paragraph-properties') ?? ''
    const format = formats.get(of('data-style-name') ?? '')
    return {
      format: format === undefined ? GENERAL : formatOf(format, formats),
      bold: isBold(weight),
      align: ({ start: 'left', left: 'left', center: 'center', end: 'right', right: 'right' } as const)[align] ?? null
    }
  }

  /** The name of a style that equals another one except for the format. */
  function withFormat (base: string | undefined, format: string): string | undefined {
    const [kind, ...parts] = PARTS[format] ?? []
    if (kind === undefined) return base
    const key = `${base} ${format}`
    const known = made.get(key)
    if (known !== undefined) return known
    const name = styles.freeName('table-cell', formats)
    const create = (element: string) => content.createElementNS(NUMBER, `number:${element}`)
    const data = create(`${kind}-style`)
    data.setAttributeNS(STYLE, 'style:name', name)
    for (const part of parts) {
      const [, element, given] = /^([a-z]+)(?:\/(\w+))?$/.exec(part) ?? []
      const child = create(element ?? 'text')
      data.appendChild(child)
      if (element === undefined) child.appendChild(content.createTextNode(part))
      if (element === 'number') {
        child.setAttributeNS(NUMBER, 'number:decimal-places', given!)
        child.setAttributeNS(NUMBER, 'number:min-integer-digits', '1')
      } else if (given !== undefined) child.setAttributeNS(NUMBER, 'number:style', given)
    }
    const source = styles.find('table-cell', base)
    const isCommon = source?.parentNode?.localName === 'styles'
    const style = !isCommon && source !== undefined
      ? source.cloneNode(true) as Element
      : content.createElementNS(STYLE, 'style:style')
    if (isCommon) style.setAttributeNS(STYLE, 'style:parent-style-name', base!)
    style.setAttributeNS(STYLE, 'style:data-style-name', name)
    automaticStyles(content).appendChild(data)
    formats.set(name, data)
    styles.add('table-cell', name, style)
    made.set(key, name)
    return name
  }

  return {
    property: styles.property,
    withFormat,
    look (name: string | undefined): CellStyle {
      const look = looks.get(name) ?? lookOf(name)
      looks.set(name, look)
      return look
    }
  }
}

/** A number style as a format of .xlsx. */
function formatOf (style: Element, formats: ReadonlyMap<string, Element>): string {
  const code = codeOf(style)
  const [map] = childElements(style).filter(({ localName }) => localName === 'map')
  const positive = formats.get(map === undefined ? '' : attribute(map, 'apply-style-name') ?? '')
  return positive === undefined ? code || GENERAL : `${codeOf(positive)};${code}`
}

function codeOf (style: Element): string {
  return childElements(style).map(part => {
    const isLong = attribute(part, 'style') === 'long'
    const given = (name: string, least = 0) => Math.min(Number(attribute(part, name)) || least, 20)
    const decimals = () => given('decimal-places') > 0 ? `.${'0'.repeat(given('decimal-places'))}` : ''
    switch (part.localName) {
      case 'number':
        if (attribute(part, 'decimal-places') === undefined) return GENERAL
        return (attribute(part, 'grouping') === 'true' ? '#,##' : '') + '0'.repeat(given('min-integer-digits', 1)) + decimals()
      case 'scientific-number': return `0${decimals()}E+00`
      case 'fraction': return '# ?/?'
      case 'text': case 'currency-symbol': return part.textContent === '%' ? '%' : quoted(part.textContent ?? '')
      case 'text-content': return '@'
      case 'boolean': return GENERAL
      case 'year': return isLong ? 'yyyy' : 'yy'
      case 'month': return (isLong ? 'mm' : 'm') + (attribute(part, 'textual') === 'true' ? 'mm' : '')
      case 'day': return isLong ? 'dd' : 'd'
      case 'day-of-week': return isLong ? 'dddd' : 'ddd'
      case 'hours':
        return attribute(style, 'truncate-on-overflow') === 'false' ? '[h]' : isLong ? 'hh' : 'h'
      case 'minutes': return isLong ? 'mm' : 'm'
      case 'seconds': return (isLong ? 'ss' : 's') + decimals()
      case 'am-pm': return 'AM/PM'
      default: return ''
    }
  }).join('')
}

function quoted (text: string): string {
  return /^[-. :/]*$/.test(text) ? text : `"${text.replaceAll('"', '')}"`
}
