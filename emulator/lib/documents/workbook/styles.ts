import { isDateFormat } from 'numfmt'
import { builtInFormat, builtInNumber, FIRST_OWN_FORMAT, GENERAL } from './built-in-formats.js'
import {
  attributeOf, elements, escaped, firstElement, type Markup, prefixOf, withAttribute, withoutEnd
} from './markup.js'

/** The displayed part of a cell's style. */
export interface CellStyle {
  /** The number format as in `styles.xml`. */
  readonly format: string
  readonly bold: boolean
  readonly align: 'left' | 'center' | 'right' | null
}

export interface Styles {
  /** The style with this number, the attribute `s` of a cell. */
  get (index: number): CellStyle
  /** The number of a style that equals another one except for the number format. */
  withFormat (index: number, format: string): number
  /** The current part; `null` if unchanged. */
  changed (): string | null
}

export function openStyles (source: string | undefined): Styles {
  let xml = source ?? ''
  let isChanged = false
  const formats = new Map(
    [...inside(xml, 'numFmts', 'numFmt')].map(({ tag }) => [numberOf(tag, 'numFmtId'), formatCode(tag)])
  )
  const boldFonts = [...inside(xml, 'fonts', 'font')].map(({ content }) => {
    const bold = firstElement(content, 'b')
    return bold !== undefined && attributeOf(bold.tag, 'val') !== '0' && attributeOf(bold.tag, 'val') !== 'false'
  })
  const known = [...inside(xml, 'cellXfs', 'xf')].map(styleOf)
  const added = new Map<string, number>()

  function styleOf ({ tag, content }: Markup): CellStyle {
    const id = numberOf(tag, 'numFmtId')
    const alignment = firstElement(content, 'alignment')
    const align = alignment === undefined ? undefined : attributeOf(alignment.tag, 'horizontal')
    return {
      format: formats.get(id) ?? builtInFormat(id),
      bold: boldFonts[numberOf(tag, 'fontId')] ?? false,
      align: align === 'left' || align === 'center' || align === 'right' ? align : null
    }
  }

  function idOfFormat (format: string): number {
    const [id] = [...formats].find(([, code]) => code === format) ?? []
    const known = id ?? builtInNumber(format)
    if (known !== undefined) return known
    const next = Math.max(FIRST_OWN_FORMAT - 1, ...formats.keys()) + 1
    formats.set(next, format)
    const list = firstElement(xml, 'numFmts')
    const entry = (prefix: string) => `<${prefix}numFmt numFmtId="${next}" formatCode="${escaped(format)}"/>`
    if (list !== undefined) append(list, entry(prefixOf(list.tag)))
    else {
      const root = firstElement(xml, 'styleSheet')!
      const prefix = prefixOf(root.tag)
      xml = `${xml.slice(0, root.contentFrom)}<${prefix}numFmts count="1">${entry(prefix)}</${prefix}numFmts>${xml.slice(root.contentFrom)}`
    }
    return next
  }

  /** Appends an element to a list with a `count` attribute. */
  function append (list: Markup, element: string): void {
    const count = numberOf(list.tag, 'count') || [...elements(list.content, 'numFmt', 'xf')].length
    const start = `${withoutEnd(withAttribute(list.tag, 'count', String(count + 1)))}>`
    const end = list.content === ''
      ? `</${list.tag.slice(1).split(/[\s/>]/)[0]}>`
      : xml.slice(list.contentFrom + list.content.length, list.to)
    xml = xml.slice(0, list.from) + start + list.content + element + end + xml.slice(list.to)
  }

  return {
    get: index => known[index] ?? known[0] ?? { format: GENERAL, bold: false, align: null },
    withFormat (index, format) {
      const before = added.get(`${index} ${format}`)
      if (before !== undefined) return before
      const list = firstElement(xml, 'cellXfs')
      const model = list === undefined ? undefined : [...elements(list.content, 'xf')][index]
      if (model === undefined) return index
      const tag = withAttribute(
        withAttribute(model.tag, 'numFmtId', String(idOfFormat(format))),
        'applyNumberFormat',
        '1'
      )
      append(firstElement(xml, 'cellXfs')!, tag + list!.content.slice(model.contentFrom, model.to))
      const number = known.push({ ...known[index]!, format }) - 1
      added.set(`${index} ${format}`, number)
      isChanged = true
      return number
    },
    changed: () => isChanged ? xml : null
  }
}

function * inside (xml: string, list: string, name: string): Generator<Markup> {
  const parent = firstElement(xml, list)
  if (parent !== undefined) yield * elements(parent.content, name)
}

/** Excel's limit is 255 characters. */
function formatCode (tag: string): string {
  const code = attributeOf(tag, 'formatCode') ?? ''
  return code === '' || code.length > 1000 ? GENERAL : code
}

function numberOf (tag: string, name: string): number {
  return Number(attributeOf(tag, name) ?? 0)
}

export function isDate (format: string): boolean {
  return isDateFormat(format)
}

/** The order of year, month and day in a format: `dmy`. */
export function dateOrder (format: string): string {
  const bare = format.replace(/"[^"]*"|\\.|\[(?!h+\])[^\]]*\]/gi, '').toLowerCase()
  return [...new Set(bare.replace(/h+[^a-z]*m+|m+[^a-z]*s+/g, '').replace(/[^ymd]/g, ''))].join('')
}
