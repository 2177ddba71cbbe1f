import { textBlocks } from '../extract/extract.js'
import { familyOf } from '../../formats.js'

/** A page, or a part of one, at 96 dpi. */
export interface Page {
  readonly width: number
  readonly height: number
  /** SVG elements. */
  readonly content: string
}

const A4 = { width: 794, height: 1123, margin: 85, size: 15 }
const SLIDE = { width: 1280, height: 720, margin: 90, size: 32 }
const HEADING = 1.6
const LINE_HEIGHT = 1.4
/** Of a wide character, in parts of the size. */
const CHARACTER_WIDTH = 0.6
const MAX_PAGES = 20

// XML has no other control characters.
const NOT_IN_XML = /[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * The pages of a document with its text, line by line. `null` for formats whose text only an office suite can read. A
 * long document is cut.
 */
export function drawnPages (fileType: string, bytes: Uint8Array, most = MAX_PAGES): Page[] | null {
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return null
  const { width, height, margin, size: textSize } = familyOf(fileType) === 'slide' ? SLIDE : A4
  const pages: string[][] = [[]]
  let y = margin
  for (const [index, { text, level, newPage }] of blocks.entries()) {
    const size = level === undefined ? textSize : textSize * HEADING
    let isNew = newPage === true && index > 0
    for (const line of linesOf(text, Math.floor((width - 2 * margin) / size / CHARACTER_WIDTH))) {
      y += size * LINE_HEIGHT
      if (isNew || y > height - margin) {
        if (pages.length === most) return pagesOf()
        pages.push([])
        y = margin + size * LINE_HEIGHT
        isNew = false
      }
      pages.at(-1)!.push(`<text x="${margin}" y="${y}" font-size="${size}">${escaped(line)}</text>`)
    }
  }
  return pagesOf()

  function pagesOf (): Page[] {
    return pages.map(elements => ({ width, height, content: elements.join('') }))
  }
}

/** Always gives a line. */
function linesOf (text: string, length: number): string[] {
  const wrapped = new RegExp(`\\S{${length}}|.{1,${length}}(?=\\s|$)`, 'gu')
  return text.replaceAll('\t', '   ').split('\n').flatMap(line => line.match(wrapped) ?? [''])
}

function escaped (line: string): string {
  return line.toWellFormed().replace(NOT_IN_XML, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
