import { textBlocks } from '../../documents/extract/extract.js'
import { familyOf } from '../../formats.js'
import { type Bitmap, blank, fill } from './bitmap.js'

const A4 = { width: 794, height: 1123, margin: 85 }
const SLIDE = { width: 1280, height: 720, margin: 90 }
const HEADING_SIZES = [32, 27, 21, 19, 16, 16, 16]
const TEXT_SIZE = 15
const TEXT_SHADE = 90
const MAX_PAGES = 20

/**
 * The pages of a document at 96 dpi, drawn simply: each word is a gray bar. `null` for formats whose text only an
 * office suite can read. A long document is cut.
 */
export function drawnPages (fileType: string, bytes: Uint8Array): Bitmap[] | null {
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return null
  const { width, height, margin } = familyOf(fileType) === 'slide' ? SLIDE : A4
  const pages = [blank(width, height)]
  let y = margin

  function nextPage (): void {
    pages.push(blank(width, height))
    y = margin
  }

  for (const [index, { text, level, newPage }] of blocks.entries()) {
    const size = level === undefined ? TEXT_SIZE : HEADING_SIZES[level] ?? TEXT_SIZE
    if (newPage === true && index > 0) nextPage()
    let x = margin
    for (const word of text.slice(0, 100_000).split(/\s+/)) {
      const across = Math.min(word.length * size * 0.55, width - 2 * margin)
      if (x > margin && x + across > width - margin) [x, y] = [margin, y + size * 1.4]
      if (y + size > height - margin) nextPage()
      if (pages.length > MAX_PAGES) return pages.slice(0, MAX_PAGES)
      fill(pages.at(-1)!, x, y + size * 0.3, across, size * 0.6, TEXT_SHADE)
      x += across + size * 0.4
    }
    y += size * 1.8
  }
  return pages
}
