import { strToU8, zipSync } from 'fflate'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { converter } from '../../lib/documents/converter/convert.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'

const N = 1_000_000
const convert = converter(null)
const textOf = (fileType: string, source: string) => textBlocks(fileType, Buffer.from(source))!

t.test('more than a million lines are not read', async t => {
  const reason = { message: /more than 1000000 lines/ }
  t.throws(() => textOf('txt', '\n'.repeat(N + 1)), reason)
  t.throws(() => textOf('csv', '\r'.repeat(N + 1)), reason)
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
