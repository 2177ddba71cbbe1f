import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { converter } from '../../lib/documents/converter/convert.js'
import { fixture } from '../support.js'

const convert = converter(null)

async function textOf (pdf: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(pdf)), { mergePages: true })
  return text.replace(/\s+/g, ' ')
}

const expected: Record<string, string[]> = {
  'report.docx': ['Quarterly report — Q3 2026', 'Größe, naïve', '48,160.00', 'All figures are unaudited.'],
  'report.odt': ['Quarterly report — Q3 2026', 'Größe, naïve', '48,160.00', 'All figures are unaudited.'],
  'orders.xlsx': ['region', 'East', '486'],
  'orders.ods': ['region', 'East', '486'],
  'deck.pptx': ['Title slide', 'Second slide'],
  'deck.odp': ['Title slide', 'Second slide'],
  'report.html': ['Quarterly report — Q3 2026'],
  'table.md': ['Title', '| a | b |'],
  'orders.csv': ['id,region,units,price,date', '1,East,486,25.71,2026-07-21']
}

for (const [name, texts] of Object.entries(expected)) {
  t.test(`${name} becomes a PDF with its text`, async t => {
    const pdf = await convert(fixture(name), name.split('.')[1]!, 'pdf')
    t.equal(Buffer.from(pdf!).subarray(0, 5).toString(), '%PDF-')
    const text = await textOf(pdf!)
    for (const part of texts) t.ok(text.includes(part), part)
  })
}

t.test('Latin, Greek and Cyrillic letters are supported, and the PDF has as many pages as the text needs', async t => {
  const lines = ['Zażółć é', 'Ελληνικά', 'Кириллица', ...Array.from({ length: 200 }, (_, index) => `line ${index}`)]
  const pdf = Uint8Array.from((await convert(Buffer.from(lines.join('\n')), 'txt', 'pdf'))!)
  const text = await textOf(pdf)
  for (const line of lines) t.ok(text.includes(line), line)
  t.ok((await getDocumentProxy(pdf)).numPages > 3)
})

t.test('a PDF is returned unchanged, and an unreadable document is refused', async t => {
  const pdf = fixture('report.pdf')
  t.equal(await convert(pdf, 'pdf', 'pdf'), pdf)
  t.equal(await convert(Buffer.from('x'), 'doc', 'pdf'), null)
  t.equal(await convert(Buffer.from('x'), 'txt', 'docx'), null)
})
