import type { Element } from '@xmldom/xmldom'
import { children } from './paragraphs.js'
import { FORMATS, type Format, type Mark } from '../types.js'
import { characterStyles, linkTargets, NAMES, stated, valueOf } from './styles.js'
import { type Change, create, firstChild, linkAround, pieces, type Piece, WORD, write } from './text.js'

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The formatting of a document's runs, with its character styles and links. */
export interface Formatting {
  /** The formatted parts of a paragraph's text, in order. */
  marksOf (paragraph: Element): Mark[]
  set (paragraph: Element, from: number, to: number, format: Format, value: boolean): void
  /**
   * Formats the text written by these changes according to the marks of the whole text. Links are restored if the
   * document has their target.
   */
  restore (paragraph: Element, made: readonly Change[], marks: readonly Mark[]): void
}

/** @param styles `word/styles.xml` @param relationships `word/_rels/document.xml.rels` */
export function formattingOf (styles: string | undefined, relationships: string | undefined): Formatting {
  const looks = characterStyles(styles)
  const targets = linkTargets(relationships)

  function has (run: Element, format: Format): boolean {
    const properties = firstChild(run, 'rPr')
    const look = looks.get(valueOf(firstChild(properties, 'rStyle')) ?? '')
    return stated(properties, format) ?? look?.[format] ?? false
  }

  function linkOf (element: Element): string | undefined {
    const link = linkAround(element)
    if (link === undefined) return undefined
    const anchor = link.getAttributeNS(WORD, 'anchor')
    return targets.get(link.getAttributeNS(RELATIONSHIPS, 'id') ?? '') ?? (anchor ? `#${anchor}` : undefined)
  }

  function runsOf (paragraph: Element, from: number, to: number): Element[] {
    splitAt(paragraph, from)
    splitAt(paragraph, to)
    const within = pieces(paragraph).filter(piece => piece.from >= from && piece.to <= to && piece.text !== '')
    return [...new Set(within.map(({ element }) => element.parentNode as Element))]
  }

  function set (paragraph: Element, from: number, to: number, format: Format, value: boolean): void {
    for (const run of runsOf(paragraph, from, to)) {
      if (has(run, format) === value) continue
      const properties = firstChild(run, 'rPr') ??
        run.insertBefore(create(run.ownerDocument!, 'rPr'), run.firstChild) as Element
      const old = firstChild(properties, NAMES[format])
      if (old !== undefined) properties.removeChild(old)
      if (has(run, format) === value) continue
      const added = properties.appendChild(create(run.ownerDocument!, NAMES[format])) as Element
      if (format === 'underline') added.setAttributeNS(WORD, 'w:val', value ? 'single' : 'none')
      else if (!value) added.setAttributeNS(WORD, 'w:val', '0')
    }
  }

  function link (paragraph: Element, from: number, to: number, target: string): void {
    const id = [...targets].find(([, known]) => known === target)?.[0]
    if (id === undefined && !target.startsWith('#')) return
    for (const run of runsOf(paragraph, from, to)) {
      if (run.parentNode !== paragraph) continue
      const around = create(run.ownerDocument!, 'hyperlink')
      if (id === undefined) around.setAttributeNS(WORD, 'w:anchor', target.slice(1))
      else around.setAttributeNS(RELATIONSHIPS, 'r:id', id)
      paragraph.replaceChild(around, run)
      around.appendChild(run)
    }
  }

  return {
    set,
    marksOf (paragraph) {
      const marks: Mark[] = []
      for (const { element, from, to } of pieces(paragraph)) {
        const formats = FORMATS.filter(format => has(element.parentNode as Element, format))
        const link = linkOf(element)
        if (from === to || (formats.length === 0 && link === undefined)) continue
        const look = {
          ...Object.fromEntries(formats.map(format => [format, true])),
          ...(link === undefined ? {} : { link })
        }
        const last = marks.at(-1)
        if (last?.to === from && JSON.stringify({ ...last, from, to }) === JSON.stringify({ from, to, ...look })) {
          marks[marks.length - 1] = { ...last, to }
        } else marks.push({ from, to, ...look })
      }
      return marks
    },
    restore (paragraph, made, marks) {
      for (const [start, end] of writtenBy(made)) {
        const cuts = marks.flatMap(({ from, to }) => [from, to]).filter(at => start < at && at < end)
        const edges = [...new Set([start, ...cuts, end])].sort((a, b) => a - b)
        for (const [index, from] of edges.slice(0, -1).entries()) {
          const to = edges[index + 1]!
          const mark = marks.find(mark => mark.from <= from && to <= mark.to)
          for (const format of FORMATS) set(paragraph, from, to, format, mark?.[format] ?? false)
          if (mark?.link !== undefined) link(paragraph, from, to, mark.link)
        }
      }
    }
  }
}

/** The ranges of the new text that these changes wrote. */
function writtenBy (made: readonly Change[]): Array<[start: number, end: number]> {
  let moved = 0
  return made.map(({ from, to, text }) => {
    const start = from + moved
    moved += text.length - (to - from)
    return [start, start + text.length]
  })
}

/** Splits the run at this offset of a paragraph's text, if necessary. */
function splitAt (paragraph: Element, offset: number): void {
  const inside = pieces(paragraph).find(({ from, to }) => from < offset && offset < to)
  if (inside !== undefined) splitText(inside, offset)
  const first = pieces(paragraph).find(({ from, to }) => from === offset && to > from)?.element
  if (first === undefined) return
  const run = first.parentNode as Element
  const all = children(run)
  const kept = all.slice(0, all.indexOf(first))
  if (kept.every(({ localName }) => localName === 'rPr')) return
  const rest = run.cloneNode(false) as Element
  const properties = firstChild(run, 'rPr')
  if (properties !== undefined) rest.appendChild(properties.cloneNode(true))
  for (const element of all.slice(kept.length)) rest.appendChild(element)
  run.parentNode!.insertBefore(rest, run.nextSibling)
}

function splitText ({ element, text, from }: Piece, offset: number): void {
  const second = element.parentNode!.insertBefore(create(element.ownerDocument!, 't'), element.nextSibling) as Element
  write(second, text.slice(offset - from))
  write(element, text.slice(0, offset - from))
}
