import type { Document, Element } from '@xmldom/xmldom'

const XML = 'http://www.w3.org/XML/1998/namespace'
export const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

// What a paragraph may hold besides text without becoming read-only: text around it can change, itself it stays.
const KEPT = new Set(['pPr', 'rPr', 'r', 't', 'tab', 'br', 'cr', 'noBreakHyphen', 'hyperlink', 'bookmarkStart', 'bookmarkEnd', 'proofErr', 'lastRenderedPageBreak'])

/** A piece of a paragraph's text and the element that holds it. */
interface Piece {
  readonly element: Element
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Text of a paragraph: tabs as `\t`, line breaks as `\n`. */
export function paragraphText (paragraph: Element): string {
  return pieces(paragraph).map(piece => piece.text).join('')
}

/** False for a paragraph with something that editing its text could destroy: a drawing, a field, a tracked change… */
export function isEditable (paragraph: Element): boolean {
  return descendants(paragraph).every(element => element.namespaceURI === WORD && KEPT.has(element.localName!) && !isPageBreak(element))
}

/**
 * Makes `text` the paragraph's text by changing only the part that differs, so that formatting, links and bookmarks
 * around it stay. New text takes the formatting of the text before it.
 */
export function setParagraphText (paragraph: Element, text: string): void {
  const old = paragraphText(paragraph)
  let start = 0
  while (start < old.length && start < text.length && old[start] === text[start]) start++
  let end = 0
  while (end < old.length - start && end < text.length - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end++
  if (start > 0 && isHighSurrogate(old, start - 1)) start--
  if (end > 0 && isHighSurrogate(old, old.length - end - 1)) end--
  splice(paragraph, start, old.length - end, text.slice(start, text.length - end))
}

function splice (paragraph: Element, start: number, end: number, inserted: string): void {
  const all = pieces(paragraph)
  const texts = all.filter(piece => piece.element.localName === 't')
  const target = texts.find(({ from, to }) => from < start && start <= to) ?? texts.find(({ from, to }) => from <= start && start <= to)
  const following = all.find(({ from }) => from >= end)
  if (target === undefined && inserted !== '') insertRun(paragraph, following?.element.parentNode as Element | undefined, inserted)

  for (const piece of all) {
    const before = piece.text.slice(0, Math.max(start - piece.from, 0))
    const after = piece.text.slice(Math.max(end - piece.from, 0))
    const text = before + (piece === target ? inserted : '') + (piece.to <= start ? '' : after)
    if (text === piece.text) continue
    const keepsFormatting = piece === texts[0]
    if (text === '' && !keepsFormatting) piece.element.parentNode!.removeChild(piece.element)
    else write(piece.element, text)
  }
}

/** A new run, formatted like the paragraph's first run or else like its end mark. */
function insertRun (paragraph: Element, before: Element | undefined, inserted: string): void {
  const document = paragraph.ownerDocument!
  const run = create(document, 'r')
  const properties = descendants(paragraph).find(({ localName, parentNode }) => localName === 'rPr' && parentNode?.localName === 'r') ??
    firstChild(firstChild(paragraph, 'pPr'), 'rPr')
  if (properties !== undefined) run.appendChild(properties.cloneNode(true))
  const text = run.appendChild(create(document, 't'))
  if (before?.parentNode === paragraph) paragraph.insertBefore(run, before)
  else paragraph.appendChild(run)
  write(text as Element, inserted)
}

export function firstChild (parent: Element | undefined, name: string): Element | undefined {
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.localName === name) return node as Element
  }
  return undefined
}

/** Puts text in the place of a text element; tabs and line breaks become elements of their own. */
function write (element: Element, text: string): void {
  const document = element.ownerDocument!
  const parent = element.parentNode!
  const parts = text.split(/([\t\n])/).filter(part => part !== '')
  for (const part of parts.length === 0 ? [''] : parts) {
    const node = create(document, part === '\t' ? 'tab' : part === '\n' ? 'br' : 't')
    if (node.localName === 't') {
      node.appendChild(document.createTextNode(part))
      if (part !== part.trim()) node.setAttributeNS(XML, 'xml:space', 'preserve')
    }
    parent.insertBefore(node, element)
  }
  parent.removeChild(element)
}

function pieces (paragraph: Element): Piece[] {
  const found: Piece[] = []
  let from = 0
  for (const element of descendants(paragraph)) {
    if (element.namespaceURI !== WORD || element.parentNode?.localName !== 'r') continue
    const text = textOf(element)
    if (text === undefined) continue
    found.push({ element, text, from, to: from + text.length })
    from += text.length
  }
  return found
}

function textOf (element: Element): string | undefined {
  switch (element.localName) {
    case 't': return element.textContent ?? ''
    case 'tab': return '\t'
    case 'noBreakHyphen': return '\u2011'
    case 'cr': return '\n'
    case 'br': return isPageBreak(element) ? '' : '\n'
    default: return undefined
  }
}

/** All elements of a paragraph but the contents of its properties and of text boxes in it. */
function descendants (parent: Element): Element[] {
  const found: Element[] = []
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType !== node.ELEMENT_NODE) continue
    const element = node as Element
    found.push(element)
    if (!['pPr', 'rPr', 'drawing', 'pict', 'AlternateContent'].includes(element.localName!)) found.push(...descendants(element))
  }
  return found
}

export function create (document: Document, name: string): Element {
  return document.createElementNS(WORD, `w:${name}`)
}

function isPageBreak (element: Element): boolean {
  return element.localName === 'br' && ['page', 'column'].includes(element.getAttributeNS(WORD, 'type') ?? '')
}

function isHighSurrogate (text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xD800 && code <= 0xDBFF
}
