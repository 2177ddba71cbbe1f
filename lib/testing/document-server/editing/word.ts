import type { Element } from '@xmldom/xmldom'
import { xml } from '../optional.js'
import { openPackage } from './package.js'
import type { Editable, Operation, Paragraph } from './types.js'
import { create, firstChild, isEditable, paragraphText, setParagraphText, WORD } from './word-text.js'

const MAIN_PART = 'word/document.xml'

/** A .docx whose paragraphs are edited in place: every other part and all that is not text stays as it was. */
export async function wordDocument (original: Uint8Array): Promise<Editable> {
  const [office, { DOMParser, XMLSerializer }] = await Promise.all([openPackage(original), xml()])
  const source = office.text(MAIN_PART)
  if (source === undefined) throw new TypeError(`The document has no ${MAIN_PART}`)
  const document = new DOMParser().parseFromString(source, 'application/xml')
  const body = document.getElementsByTagNameNS(WORD, 'body')[0]
  if (body === undefined) throw new TypeError(`${MAIN_PART} has no body`)

  const ids = new Map<string, Element>()
  for (const [index, element] of paragraphsIn(body).entries()) ids.set(`p${index + 1}`, element)
  let changed = false

  function set (element: Element, text: string): boolean {
    const clean = wellFormed(text)
    if (!isEditable(element) || paragraphText(element) === clean) return false
    setParagraphText(element, clean)
    return true
  }

  function done (operation: Operation | null): Operation | null {
    changed ||= operation !== null
    return operation
  }

  function insert (id: string, after: Element, text: string): void {
    const added = emptyCopy(after)
    after.parentNode!.insertBefore(added, after.nextSibling)
    set(added, text)
    ids.set(id, added)
  }

  function remove (id: string, element: Element): Operation | null {
    if (!isEditable(element)) return null
    if (isNeeded(element)) return set(element, '') ? { op: 'set', id, text: '' } : null
    element.parentNode!.removeChild(element)
    ids.delete(id)
    return { op: 'remove', id }
  }

  return {
    view () {
      const order = new Map([...ids].map(([id, element]) => [element, id]))
      return { kind: 'paragraphs', paragraphs: paragraphsIn(body).map(element => viewOf(order.get(element)!, element)) }
    },
    apply (operation) {
      if (operation.op === 'text') return null
      const element = ids.get(operation.op === 'insert' ? operation.after : operation.id)
      if (element === undefined) return null
      switch (operation.op) {
        case 'set':
          return done(set(element, operation.text) ? { op: 'set', id: operation.id, text: paragraphText(element) } : null)
        case 'insert':
          if (ids.has(operation.id)) return null
          insert(operation.id, element, operation.text)
          return done({ ...operation, text: wellFormed(operation.text) })
        case 'remove':
          return done(remove(operation.id, element))
      }
    },
    replaceText (text) {
      const lines = text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
      const before = paragraphsIn(body).map(paragraphText)
      if (before.length === lines.length && before.every((line, index) => line === lines[index])) return false
      const reusable = children(body).filter(element => element.localName === 'p' && isEditable(element))
      const end = children(body).findLast(element => element.localName === 'sectPr') ?? null
      for (const element of children(body)) if (element !== end) body.removeChild(element)
      ids.clear()
      for (const [index, line] of lines.entries()) {
        const element = reusable[index] ?? (reusable.length > 0 ? emptyCopy(reusable.at(-1)!) : create(document, 'p'))
        body.insertBefore(element, end)
        set(element, line)
        ids.set(`p${index + 1}`, element)
      }
      changed = true
      return true
    },
    bytes: () => changed ? office.withPart(MAIN_PART, new XMLSerializer().serializeToString(document)) : original
  }
}

/** All paragraphs of the text, those of tables included, in order; not those of text boxes. */
function paragraphsIn (parent: Element): Element[] {
  return children(parent).flatMap(element => {
    if (element.namespaceURI !== WORD) return []
    return element.localName === 'p' ? [element] : paragraphsIn(element)
  })
}

function viewOf (id: string, element: Element): Paragraph {
  const style = styleOf(element)
  const level = /^Title$/i.test(style) ? 0 : Number(/^Heading([1-6])$/i.exec(style)?.[1] ?? Number.NaN)
  const cell = cellOf(element)
  return {
    id,
    text: paragraphText(element),
    editable: isEditable(element),
    ...(Number.isNaN(level) ? {} : { level }),
    ...(cell === undefined ? {} : { cell })
  }
}

/** Table, row and cell of a paragraph, counted among their like: `0.2:3`. */
function cellOf (element: Element): string | undefined {
  const cell = ancestor(element, 'tc')
  const row = cell && ancestor(cell, 'tr')
  const table = row && ancestor(row, 'tbl')
  if (cell === undefined || row === undefined || table === undefined) return undefined
  return `${position(table)}.${position(row)}:${position(cell)}`
}

function ancestor (element: Element, name: string): Element | undefined {
  for (let node = element.parentNode; node !== null; node = node.parentNode) {
    if (node.localName === name) return node as Element
  }
  return undefined
}

function position (element: Element): number {
  return children(element.parentNode as Element).filter(({ localName }) => localName === element.localName).indexOf(element)
}

function styleOf (element: Element): string {
  return firstChild(firstChild(element, 'pPr'), 'pStyle')?.getAttributeNS(WORD, 'val') ?? ''
}

/** An empty paragraph that looks like the given one; after a heading the text goes on as plain text. */
function emptyCopy (element: Element): Element {
  const copy = create(element.ownerDocument!, 'p')
  const properties = firstChild(element, 'pPr')
  if (properties === undefined || /^(Title|Heading\d)$/i.test(styleOf(element))) return copy
  const kept = properties.cloneNode(true) as Element
  const section = firstChild(kept, 'sectPr')
  if (section !== undefined) kept.removeChild(section)
  copy.appendChild(kept)
  return copy
}

/** A table cell and a section end need their paragraph, a bookmark its two ends, a document at least one paragraph. */
function isNeeded (element: Element): boolean {
  const others = children(element.parentNode as Element).filter(({ localName }) => localName === 'p')
  return others.length === 1 || element.nextSibling === null ||
    firstChild(firstChild(element, 'pPr'), 'sectPr') !== undefined ||
    children(element).some(({ localName }) => localName === 'bookmarkStart' || localName === 'bookmarkEnd')
}

function children (parent: Element): Element[] {
  return [...parent.childNodes].filter(node => node.nodeType === node.ELEMENT_NODE) as Element[]
}

/** Without the characters that XML can't hold. */
function wellFormed (text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, '')
}
