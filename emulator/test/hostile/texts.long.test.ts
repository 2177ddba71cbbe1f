import { strToU8, zipSync } from 'fflate'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { converter } from '../../lib/documents/converter/convert.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'

const N = 1_000_000
const convert = converter(null)
const textOf = (fileType: string, source: string) => textBlocks(fileType, Buffer.from(source))!

// Each of these took minutes when every end was looked for from every beginning.
t.test('markup that never ends is scanned once', async t => {
  for (const part of ['<!--', '<script>', '<p ', '<', '</td ', '&', '&#1', '<a <', '</script ']) {
    t.ok(textOf('html', part.repeat(N / 4)).length <= 1, part)
  }
})

t.test('HTML is parsed as a browser parses it', async t => {
  t.strictSame(
    textOf(
      'html',
      '<!doctype html><head><title>no</title></head><h2 a=">">A&amp;B</h2>1 < 2<br>x<!-- no -->y<script>no</script >z<td>1</td><td>2</td>\r\nend<!-- open'
    ),
    [{ text: '">A&B' }, { text: '1 < 2' }, { text: 'xyz1\t2\t end' }]
  )
})

t.test('more than a million lines or paragraphs are not read', async t => {
  const reason = { message: /more than 1000000 paragraphs/ }
  t.throws(() => textOf('txt', '\n'.repeat(N + 1)), reason)
  t.throws(() => textOf('csv', '\r'.repeat(N + 1)), reason)
  t.throws(() => textOf('html', 'a<p>'.repeat(N + 1)), reason)
  t.strictSame(textOf('txt', 'a\r\nb\rc\n\nd\n').map(({ text }) => text), ['a', 'b', 'c', '', 'd'])
})

t.test('the PDF of a huge text contains its beginning and says so', async t => {
  const pdf = await convert(Buffer.from(`first ${'x'.repeat(2000)} ${'word '.repeat(50_000)}last`), 'txt', 'pdf')
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(pdf!)), { mergePages: true })
  t.match(text, /^first x/)
  t.match(text.replace(/\s+/g, ' ').slice(-200), /lays out only the first 200000 characters/)
})

t.test('repeated cells are limited, whatever the repeat count', async t => {
  const cell = (count: string, text: string) => `<table-cell number-columns-repeated="${count}"><p>${text}</p></table-cell>`
  const cells = ['1000000000', '-1', '0.5', 'x', ''].map((count, index) => cell(count, String(index))).join('')
  const ods = zipSync({ 'content.xml': strToU8(`<body><spreadsheet><table><table-row>${cells}${cell('9', 'x'.repeat(100))}</table-row></table></spreadsheet></body>`) })
  t.strictSame(textBlocks('ods', ods), [{ text: `${'0\t'.repeat(64)}1\t2\t3\t4\t${'x'.repeat(100)}` }])
})
