import type { Document, Element } from '@xmldom/xmldom'
import { changes } from '../../browser/writing/merge.js'

const XML = 'http://www.w3.org/XML/1998/namespace'
export const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

// Elements that a paragraph may contain without becoming read-only. They stay when the text around them changes.
const KEPT = new Set([
  'pPr',
  'rPr',
  'r',
  't',
  'tab',
  'br',
  'cr',
  'noBreakHyphen',
  'hyperlink',
  'bookmarkStart',
  'bookmarkEnd',
  'proofErr',
  'lastRenderedPageBreak'
])

// Elements whose contents are not part of the paragraph's text. Nor is a paragraph within a paragraph.
const APART = new Set(['pPr', 'rPr', 'drawing', 'pict', 'AlternateContent', 'p'])

/** The part of a text from `from` to `to` becomes `text`. */
export type Change = ReturnType<typeof changes>[number]

/** A piece of a paragraph's text, with its element. */
export interface Piece {
  readonly element: Element
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The text of a paragraph, with tabs as `\t` and line breaks as `\n`. */
export function paragraphText (paragraph: Element): string {
  return pieces(paragraph).map(piece => piece.text).join('')
}

/** False for a paragraph with content that editing could destroy: a drawing, a field, a tracked change… */
export function isEditable (paragraph: Element): boolean {
  return descendants(paragraph).every(element =>
    element.namespaceURI === WORD && KEPT.has(element.localName!) && !isPageBreak(element)
  )
}

/**
 * Sets the paragraph's text by changing only the parts that differ, so that formatting, links and bookmarks around them
 * stay. New text takes the formatting of the text it replaces, or else of the text before it. Returns the changes.
 */
export function setParagraphText (paragraph: Element, text: string): Change[] {
  const made = changes(paragraphText(paragraph), text)
  for (const { from, to, text } of [...made].reverse()) splice(paragraph, from, to, text)
  return made
}

/** Replaces a part of the text. */
export function splice (paragraph: Element, start: number, end: number, inserted: string): void {
  const target = inserted === '' ? undefined : placeFor(paragraph, start, end)
  const all = pieces(paragraph)
  const isEmptied = inserted === '' && start === 0 && all.every(({ to }) => to <= end)
  const keepsFormatting = isEmptied
    ? all.find(({ element }) => element.localName === 't' && linkAround(element) === undefined)
    : undefined
  for (const piece of all) {
    const before = piece.text.slice(0, Math.max(start - piece.from, 0))
    const after = piece.text.slice(Math.max(end - piece.from, 0))
    const text = before + (piece.element === target ? inserted : '') + after
    if (text === piece.text) continue
    if (text === '' && piece !== keepsFormatting) removeWithEmptyParents(piece.element)
    else write(piece.element, text)
  }
}

/** The text element for inserted text; a new one if there is none. */
function placeFor (paragraph: Element, start: number, end: number): Element {
  const all = pieces(paragraph)
  const replaced = end > start ? all.find(({ from, to }) => from <= start && start < to) : undefined
  if (replaced?.element.localName === 't') return replaced.element
  const before = all.findLast(({ from, to }) => from < start && start <= to)
  const after = all.find(({ from, to }) => from <= start && start < to) ?? all.find(({ from }) => from >= start)
  // Text written next to a link does not become part of it.
  const isInLink = before !== undefined && after !== undefined &&
    linkAround(before.element) === linkAround(after.element)
  const takes = (piece: Piece | undefined) =>
    piece !== undefined && (isInLink || linkAround(piece.element) === undefined)
  if (takes(before)) return before!.element.localName === 't' ? before!.element : newText(before!.element)
  if (takes(after) && after!.element.localName === 't') return after!.element
  return newRun(paragraph, all, before?.element, after?.element)
}

/** An empty text element after a tab or line break, in the same run. */
function newText (before: Element): Element {
  return before.parentNode!.insertBefore(create(before.ownerDocument!, 't'), before.nextSibling) as Element
}

/**
 * A new run between two elements, formatted like the paragraph's first run outside of links, or else like its end mark.
 */
function newRun (
  paragraph: Element,
  all: readonly Piece[],
  before: Element | undefined,
  after: Element | undefined
): Element {
  const document = paragraph.ownerDocument!
  const run = create(document, 'r')
  const model = all.find(({ element }) => linkAround(element) === undefined)?.element.parentNode as Element | undefined
  const properties = firstChild(model ?? firstChild(paragraph, 'pPr'), 'rPr')
  if (properties !== undefined) run.appendChild(properties.cloneNode(true))
  const text = run.appendChild(create(document, 't')) as Element
  const next = before === undefined
    ? after && childAround(paragraph, after)
    : childAround(paragraph, before).nextSibling
  paragraph.insertBefore(run, next ?? null)
  return text
}

/** The child of the paragraph that contains an element. */
function childAround (paragraph: Element, element: Element): Element {
  let child = element
  while (child.parentNode !== paragraph) child = child.parentNode as Element
  return child
}

export function linkAround (element: Element): Element | undefined {
  for (let node = element.parentNode; node !== null && node.localName !== 'p'; node = node.parentNode) {
    if (node.localName === 'hyperlink') return node as Element
  }
  return undefined
}

/** Removes an element, and its run and link if that leaves them empty. */
function removeWithEmptyParents (element: Element): void {
  const parent = element.parentNode as Element
  parent.removeChild(element)
  const isEmpty = ['r', 'hyperlink'].includes(parent.localName!) &&
    [...parent.childNodes].every(({ localName }) => localName === 'rPr')
  if (isEmpty) removeWithEmptyParents(parent)
}

export function firstChild (parent: Element | undefined, name: string): Element | undefined {
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.localName === name) return node as Element
  }
  return undefined
}

/** Replaces a text element. Tabs and line breaks become separate elements. */
export function write (element: Element, text: string): void {
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

export function pieces (paragraph: Element): Piece[] {
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

/** All elements of a paragraph, without the contents of its properties and text boxes. */
function descendants (parent: Element, found: Element[] = []): Element[] {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType !== node.ELEMENT_NODE) continue
    const element = node as Element
    found.push(element)
    if (!APART.has(element.localName!)) descendants(element, found)
  }
  return found
}

export function create (document: Document, name: string): Element {
  return document.createElementNS(WORD, `w:${name}`)
}

function isPageBreak (element: Element): boolean {
  return element.localName === 'br' && ['page', 'column'].includes(element.getAttributeNS(WORD, 'type') ?? '')
}
