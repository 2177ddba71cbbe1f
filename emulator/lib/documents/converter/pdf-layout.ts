import { setImmediate } from 'node:timers/promises'
import type { TextBlock } from '../types.js'
import { FONTS } from '../fonts.js'

const MARGIN = 64
const TEXT_SIZE = 11
const HEADING_SIZES = [24, 20, 16, 14, 12, 12, 12]

// About 80 pages. A character takes about 20 µs, and much longer in a word that does not fit on a line.
const MAX_CHARACTERS = 200_000
const LONG_WORD = /\S{200}(?=\S)/g
const BLOCKS_AT_ONCE = 50

/**
 * Lays out text on A4 pages: headings and wrapped paragraphs. A huge text is cut, with a note at the end.
 */
export async function layOut (blocks: readonly TextBlock[]): Promise<Buffer> {
  const { default: PdfDocument } = await import('./pdfkit.js')
  const document = new PdfDocument({ size: 'A4', margin: MARGIN, font: FONTS.text })
  document.registerFont('bold', FONTS.bold)
  document.registerFont('text', FONTS.text)
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => document.once('end', resolve).once('error', reject))

  for (const [index, { text, level, newPage }] of beginning(blocks).entries()) {
    if (index % BLOCKS_AT_ONCE === 0) await setImmediate() // let other requests run
    if (newPage) document.addPage()
    if (level !== undefined) {
      document.font('bold').fontSize(HEADING_SIZES[level] ?? TEXT_SIZE).text(text)
    } else {
      document.font('text').fontSize(TEXT_SIZE).text(text.replaceAll('\t', '   ') || ' ')
    }
    document.moveDown(level === undefined ? 0.4 : 0.6)
  }
  document.end()
  await ended
  return Buffer.concat(chunks)
}

/** The blocks within the limit, with long words broken. Even an empty cell or line takes as long as a few words. */
function beginning (blocks: readonly TextBlock[]): TextBlock[] {
  const fitting: TextBlock[] = []
  let left = MAX_CHARACTERS
  for (const block of blocks) {
    const text = block.text.slice(0, left)
    left -= text.length + 20 * text.split('\t').length
    fitting.push({ ...block, text: text.replace(LONG_WORD, '$&\n') })
    if (left <= 0) {
      return [...fitting, {
        text: `[The emulated document server lays out only the first ${MAX_CHARACTERS} characters.]`
      }]
    }
  }
  return fitting
}
