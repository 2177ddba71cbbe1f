import { textBlocks } from '../extract/extract.js'
import { familyOf } from '../../formats.js'

/** A page, or a part of one, at 96 dpi. */
export interface Page {
  readonly width: number
  readonly height: number
  /** SVG elements. */
  readonly content: string
}

const A4 = { width: 794, height: 1123, margin: 85, sizes: [32, 27, 21, 19, 16, 16, 16], textSize: 15 }
const SLIDE = { width: 1280, height: 720, margin: 90, sizes: [60, 54, 44, 40, 36, 36, 36], textSize: 32 }
const LINE_HEIGHT = 1.4
const MAX_PAGES = 20
const MAX_COLUMNS = 8
const CELL_PADDING = 4

// Widths of characters in Arimo, in parts of the size.
const WIDTHS: ReadonlyArray<readonly [characters: RegExp, width: number]> = [
  [/[iljtfr.,:;'|!()[\] ]/, 0.28],
  [/[mwMW@%—…ЖШЩМЮ]/, 0.9],
  [/[A-Z&]/, 0.7]
]
const OTHERS_WIDTH = 0.55
const WIDEST = 0.9
const BOLD = 1.08

// XML has no other control characters.
const NOT_IN_XML = /[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * The pages of a document with its text: headings, wrapped paragraphs, rows of cells. `null` for formats whose text
 * only an office suite can read. A long document is cut.
 */
export function drawnPages (fileType: string, bytes: Uint8Array, most = MAX_PAGES): Page[] | null {
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return null
  const family = familyOf(fileType)
  const { width, height, margin, sizes, textSize } = family === 'slide' ? SLIDE : A4
  const across = width - 2 * margin
  const isSheet = family === 'cell'
  const sheetColumns = isSheet ? blocks.reduce((columns, { text }) => Math.max(columns, text.split('\t').length), 1) : 1
  const pages: string[][] = [[]]
  let y = margin

  /** Goes down by a line, to the next page if there is no space; `false` after the last page. */
  function goDown (by: number): boolean {
    y += by
    return y <= height - margin || turn(by)
  }

  function turn (by = 0): boolean {
    y = margin + by
    return pages.length < most && pages.push([]) > 0
  }

  function draw (element: string): void {
    pages.at(-1)!.push(element)
  }

  function drawRow (cells: readonly string[]): boolean {
    const columns = Math.min(isSheet ? sheetColumns : cells.length, MAX_COLUMNS)
    const [cellWidth, rowHeight] = [across / columns, textSize * LINE_HEIGHT + CELL_PADDING]
    if (!goDown(rowHeight)) return false
    for (let column = 0; column < columns; column++) {
      const x = margin + column * cellWidth
      draw(`<path d="M${x} ${y - rowHeight}h${cellWidth}v${rowHeight}h${-cellWidth}z" fill="none" stroke="#bbb"/>`)
      const [line = ''] = linesOf(cells[column] ?? '', (cellWidth - 2 * CELL_PADDING) / textSize)
      draw(textElement(line, x + CELL_PADDING, y - rowHeight * 0.3, textSize, false))
    }
    return true
  }

  function drawParagraph (text: string, size: number, isBold: boolean): boolean {
    for (const line of linesOf(text, across / size / (isBold ? BOLD : 1))) {
      if (!goDown(size * LINE_HEIGHT)) return false
      draw(textElement(line, margin, y - size * 0.3, size, isBold))
    }
    y += size * 0.4
    return true
  }

  for (const [index, { text, level, newPage }] of blocks.entries()) {
    if (newPage === true && index > 0 && !turn()) break
    const isRow = isSheet || text.includes('\t')
    if (!(isRow ? drawRow(text.split('\t')) : drawParagraph(text, sizes[level ?? Infinity] ?? textSize, level !== undefined))) {
      break
    }
  }
  return pages.map(elements => ({ width, height, content: elements.join('') }))
}

function textElement (line: string, x: number, y: number, size: number, isBold: boolean): string {
  const text = line.toWellFormed().replace(NOT_IN_XML, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return text === '' ? '' : `<text x="${x}" y="${y}" font-size="${size}"${isBold ? ' font-weight="bold"' : ''}>${text}</text>`
}

/** Wraps a text. Always gives a line. */
function * linesOf (text: string, width: number): Generator<string> {
  const piece = new RegExp(`\\n|[^\\S\\n]+|\\S{1,${Math.max(Math.floor(width / WIDEST), 1)}}`, 'gu')
  let [line, used] = ['', 0]
  for (const [part] of text.matchAll(piece)) {
    const partWidth = widthOf(part)
    if (part === '\n' || (used + partWidth > width && line !== '')) {
      yield line
      ;[line, used] = ['', 0]
      if (part.trim() === '') continue
    }
    line += part
    used += partWidth
  }
  yield line
}

function widthOf (text: string): number {
  let width = 0
  for (const character of text) {
    width += WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? OTHERS_WIDTH
  }
  return width
}
