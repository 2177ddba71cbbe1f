import { DOMParser, type Element, XMLSerializer } from '@xmldom/xmldom'
import { merge } from '../browser/merge.js'
import { openPackage } from './package.js'
import type { Editable, Operation } from './types.js'
import { children, paragraphsIn, styleOf, viewOf } from './word-paragraphs.js'
import { create, firstChild, isEditable, paragraphText, setParagraphText, WORD } from './word-text.js'

const MAIN_PART = 'word/document.xml'

/** A .docx whose paragraphs are edited in place: every other part and all that is not text stays as it was. */
export function wordDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const source = office.text(MAIN_PART)
  if (source === undefined) throw new TypeError(`The document has no ${MAIN_PART}`)
  const document = new DOMParser().parseFromString(source, 'application/xml')
  const body = document.getElementsByTagNameNS(WORD, 'body')[0]
  if (body === undefined) throw new TypeError(`${MAIN_PART} has no body`)

  const ids = new Map<string, Element>()
  for (const [index, element] of paragraphsIn(body).entries()) ids.set(`p${index + 1}`, element)
  /** Which paragraph a removed one stood behind: somebody may still write into it or behind it. */
  const removed = new Map<string, string>()
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

  function setMerged (id: string, element: Element, text: string, base: string | undefined): Operation | null {
    const before = paragraphText(element)
    return set(element, merge(base ?? before, before, text)) ? { op: 'set', id, text: paragraphText(element) } : null
  }

  function remove (id: string, element: Element, base: string | undefined): Operation | null {
    if (!isEditable(element)) return null
    const before = paragraphText(element)
    if (isNeeded(element) || merge(base ?? before, before, '') !== '') return setMerged(id, element, '', base)
    removed.set(id, neighbourOf(element))
    element.parentNode!.removeChild(element)
    ids.delete(id)
    return { op: 'remove', id }
  }

  /** The paragraph before another, or the one after the first. */
  function neighbourOf (element: Element): string {
    const all = paragraphsIn(body!)
    const index = all.indexOf(element)
    const neighbour = all[index - 1] ?? all[index + 1]
    return [...ids].find(([, other]) => other === neighbour)?.[0] ?? ''
  }

  /** Where the paragraph to insert behind is gone, behind the one before it. */
  function insertBehind (operation: Extract<Operation, { op: 'insert' }>): Operation | null {
    let after = operation.after
    while (removed.has(after) && !ids.has(after)) after = removed.get(after)!
    const element = ids.get(after)
    if (element === undefined) return null
    insert(operation.id, element, operation.text)
    return { ...operation, after, text: paragraphText(ids.get(operation.id)!) }
  }

  /** What was written into a paragraph while somebody removed it becomes one of its own. */
  function setRemoved ({ id, text, base }: Extract<Operation, { op: 'set' }>): Operation | null {
    const written = base === undefined || !removed.has(id) ? '' : merge(base, '', text)
    return written === '' ? null : insertBehind({ op: 'insert', id, after: id, text: written })
  }

  /** Two have written into what a third has removed: one paragraph comes back, with what both wrote. */
  function insertAgain ({ id, text }: Extract<Operation, { op: 'insert' }>, element: Element): Operation | null {
    return removed.has(id) ? setMerged(id, element, text, '') : null
  }

  return {
    view () {
      const order = new Map([...ids].map(([id, element]) => [element, id]))
      return { kind: 'paragraphs', paragraphs: paragraphsIn(body).map(element => viewOf(order.get(element)!, element)) }
    },
    apply (operation) {
      if (operation.op === 'text') return null
      const element = ids.get(operation.id)
      switch (operation.op) {
        case 'set':
          return done(element === undefined ? setRemoved(operation) : setMerged(operation.id, element, operation.text, operation.base))
        case 'insert':
          return done(element === undefined ? insertBehind(operation) : insertAgain(operation, element))
        case 'remove':
          return done(element === undefined ? null : remove(operation.id, element, operation.base))
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

/** Without the characters that XML can't hold. */
function wellFormed (text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, '')
}
