import { type Element, XMLSerializer } from '@xmldom/xmldom'
import { isDeepStrictEqual } from 'node:util'
import { merge, movedOffset } from '../../browser/writing/merge.js'
import { openPackage } from '../office/package.js'
import type { Editable, Mark, Operation } from '../types.js'
import { appendCopy, copyOfEnd, emptyCopy } from './copies.js'
import { formattingOf } from './formatting.js'
import { children, paragraphsIn, viewOf } from './paragraphs.js'
import { create, firstChild, isEditable, paragraphText, setParagraphText, WORD } from './text.js'
import { parseXml } from '../office/xml.js'
import { imagesOf } from './images.js'

const MAIN_PART = 'word/document.xml'

/** A .docx whose paragraphs are edited in place. Every other part, and everything that is not text, stays unchanged. */
export function wordDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const source = office.text(MAIN_PART)
  if (source === undefined) throw new TypeError(`The document has no ${MAIN_PART}`)
  const document = parseXml(source)
  const body = document.getElementsByTagNameNS(WORD, 'body')[0]
  if (body === undefined) throw new TypeError(`${MAIN_PART} has no body`)

  const formatting = formattingOf(office.text('word/styles.xml'), office.text('word/_rels/document.xml.rels'))
  const ids = new Map<string, Element>()
  for (const [index, element] of paragraphsIn(body).entries()) ids.set(`p${index + 1}`, element)
  /** Removed paragraphs, with the one before each: somebody may still write into or after one, or restore it. */
  const removed = new Map<string, { readonly element: Element, readonly after: string }>()
  const images = imagesOf(office)
  let changed = false

  function set (element: Element, text: string, marks?: readonly Mark[]): boolean {
    const clean = wellFormed(text)
    if (!isEditable(element) || paragraphText(element) === clean) return false
    const made = setParagraphText(element, clean)
    if (marks !== undefined) formatting.restore(element, made, marks)
    return true
  }

  function done (operation: Operation | null): Operation | null {
    changed ||= operation !== null
    return operation
  }

  function shown (element: Element): { text: string, marks?: Mark[] } {
    const marks = formatting.marksOf(element)
    return { text: paragraphText(element), ...(marks.length > 0 ? { marks } : {}) }
  }

  function setMerged (
    { id, text, base, marks, joins }: Omit<Extract<Operation, { op: 'set' }>, 'op'>,
    element: Element
  ): Operation | null {
    const before = paragraphText(element)
    const merged = merge(base ?? before, before, text)
    const other = ids.get(joins ?? '')
    if (other !== undefined && other !== element && isEditable(element) && isEditable(other)) appendCopy(element, other)
    const isSet = set(element, merged, merged === text ? marks : undefined)
    return isSet || paragraphText(element) !== before ? { op: 'set', id, ...shown(element) } : null
  }

  function format (
    { id, base, from, to, format, value }: Extract<Operation, { op: 'format' }>,
    element: Element
  ): Operation | null {
    if (!isEditable(element)) return null
    const text = paragraphText(element)
    const before = formatting.marksOf(element)
    formatting.set(element, movedOffset(from, base, text), movedOffset(to, base, text), format, value)
    return isDeepStrictEqual(before, formatting.marksOf(element)) ? null : { op: 'set', id, ...shown(element) }
  }

  function remove (id: string, element: Element, base: string | undefined): Operation | null {
    if (!isEditable(element)) return null
    const before = paragraphText(element)
    if (isNeeded(element) || merge(base ?? before, before, '') !== '') {
      return setMerged({ id, text: '', ...(base === undefined ? {} : { base }) }, element)
    }
    removed.set(id, { element, after: neighbourOf(element) })
    element.parentNode!.removeChild(element)
    ids.delete(id)
    return { op: 'remove', id }
  }

  /** The previous paragraph; for the first one, the next. */
  function neighbourOf (element: Element): string {
    const all = paragraphsIn(body!)
    const index = all.indexOf(element)
    const neighbour = all[index - 1] ?? all[index + 1]
    return [...ids].find(([, other]) => other === neighbour)?.[0] ?? ''
  }

  /**
   * Inserts after a paragraph, or if that is removed, after the one before it. A removed paragraph comes back
   * unchanged.
   */
  function insertAfter (
    { op, id, text, marks, splits, ...operation }: Extract<Operation, { op: 'insert' }>
  ): Operation | null {
    let after = operation.after
    while (removed.has(after) && !ids.has(after)) after = removed.get(after)!.after
    const element = ids.get(after)
    if (element === undefined) return null
    const split = ids.get(splits ?? '')
    const added = removed.get(id)?.element ?? (split === undefined ? emptyCopy(element) : copyOfEnd(split, text))
    element.parentNode!.insertBefore(added, element.nextSibling)
    set(added, text, marks)
    ids.set(id, added)
    return { op, id, after, ...shown(added) }
  }

  /** Text written into a paragraph while somebody removed it becomes a new paragraph. */
  function setRemoved ({ id, text, base }: Extract<Operation, { op: 'set' }>): Operation | null {
    const written = base === undefined || !removed.has(id) ? '' : merge(base, '', text)
    return written === '' ? null : insertAfter({ op: 'insert', id, after: id, text: written })
  }

  /** Two people wrote into a paragraph that a third removed: one paragraph comes back with both texts. */
  function insertAgain ({ id, text }: Extract<Operation, { op: 'insert' }>, element: Element): Operation | null {
    return removed.has(id) ? setMerged({ id, text, base: '' }, element) : null
  }

  return {
    view () {
      const order = new Map([...ids].map(([id, element]) => [element, id]))
      return {
        kind: 'paragraphs',
        paragraphs: paragraphsIn(body).map(element => viewOf(order.get(element)!, element, formatting.marksOf(element)))
      }
    },
    apply (operation) {
      if (operation.op === 'text' || operation.op === 'cell') return null
      const element = ids.get(operation.id)
      switch (operation.op) {
        case 'set':
          return done(element === undefined ? setRemoved(operation) : setMerged(operation, element))
        case 'insert':
          return done(element === undefined ? insertAfter(operation) : insertAgain(operation, element))
        case 'remove':
          return done(element === undefined ? null : remove(operation.id, element, operation.base))
        case 'format':
          return done(element === undefined ? null : format(operation, element))
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
    appendImage (bytes) {
      const paragraph = images.paragraphWith(bytes, document)
      body.insertBefore(paragraph, children(body).findLast(element => element.localName === 'sectPr') ?? null)
      ids.set(`image-${images.count()}`, paragraph)
      changed = true
    },
    bytes: () =>
      changed
        ? office.withParts(new Map([[MAIN_PART, new XMLSerializer().serializeToString(document)], ...images.parts()]))
        : original
  }
}

/**
 * A table cell and the end of a section need a paragraph, a bookmark needs both ends, and a document at least one
 * paragraph.
 */
function isNeeded (element: Element): boolean {
  const others = children(element.parentNode as Element).filter(({ localName }) => localName === 'p')
  return others.length === 1 || element.nextSibling === null ||
    firstChild(firstChild(element, 'pPr'), 'sectPr') !== undefined ||
    children(element).some(({ localName }) => localName === 'bookmarkStart' || localName === 'bookmarkEnd')
}

/** Removes the characters that XML can't contain. */
function wellFormed (text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, '')
}
