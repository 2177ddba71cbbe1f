import type { Element } from '@xmldom/xmldom'
import { children, styleOf } from './paragraphs.js'
import { create, firstChild, paragraphText, splice } from './text.js'

/** An empty paragraph with the same formatting; after a heading, a plain one. */
export function emptyCopy (element: Element): Element {
  const copy = create(element.ownerDocument!, 'p')
  const properties = firstChild(element, 'pPr')
  if (properties === undefined || /^(Title|Heading\d)$/i.test(styleOf(element))) return copy
  const kept = properties.cloneNode(true) as Element
  const section = firstChild(kept, 'sectPr')
  if (section !== undefined) kept.removeChild(section)
  copy.appendChild(kept)
  return copy
}

/** A new paragraph with the end of another one that equals the text. Its formatting is kept. */
export function copyOfEnd (element: Element, text: string): Element {
  const copy = emptyCopy(element)
  const old = paragraphText(element)
  let kept = 0
  while (kept < text.length && kept < old.length && text.at(-1 - kept) === old.at(-1 - kept)) kept++
  if (kept === 0) return copy
  appendCopy(copy, element)
  splice(copy, 0, old.length - kept, '')
  return copy
}

/** Appends a copy of another paragraph's text. Its formatting is kept. */
export function appendCopy (element: Element, other: Element): void {
  for (const child of children(other)) {
    if (['r', 'hyperlink'].includes(child.localName!)) element.appendChild(child.cloneNode(true))
  }
}
