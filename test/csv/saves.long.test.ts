import t from 'tap'
import { checkDocument } from '../../lib/index.js'
import { asServer, MARK, startCsv } from '../kit/editing.js'

const ORDERS = [
  ['Nr', 'Kunde', 'Preis', 'Aktiv'],
  ['007', 'Müller', '1.50', 'true'],
  ['008', 'say "hi"; bye', '1e3', 'FALSE'],
  ['009', 'two\nlines', '', 'x'],
  ['010', 'last', '0.10', '']
]
/** The same rows as the editor shows them, with an edited cell and a new row. */
const SAVED = [
  ['Nr', 'Kunde', 'Preis', 'Aktiv'],
  ['7', 'Müller', '1.5', 'TRUE'],
  ['8', 'Änderung; neu, "x"', '1000', 'FALSE'],
  ['9', 'two\nlines', '', 'x'],
  ['10', 'last', '0.1', ''],
  ['11', 'neu', '1,5', '']
]

/** A file of these rows. */
function written (rows: ReadonlyArray<readonly string[]>, separator = ';', end = '\r\n'): string {
  const cell = (value: string) =>
    value.includes(separator) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  return rows.map(row => row.map(cell).join(separator) + end).join('')
}

const utf8 = (text: string) => Buffer.from(text)
const dialects: Record<string, readonly [separator: string, end: string, encode: (text: string) => Buffer]> = {
  'semicolons and CRLF': [';', '\r\n', utf8],
  'semicolons, windows-1252': [';', '\r\n', text => Buffer.from(text, 'latin1')],
  'commas and LF': [',', '\n', utf8],
  tabs: ['\t', '\r\n', utf8],
  bars: ['|', '\r\n', utf8],
  'a byte order mark': [';', '\r\n', text => Buffer.from(MARK + text)],
  'UTF-16LE': [';', '\r\n', text => Buffer.from(MARK + text, 'utf16le')],
  'UTF-16BE': [';', '\r\n', text => Buffer.from(MARK + text, 'utf16le').swap16()],
  'CR only': [';', '\r', utf8]
}

for (const [extension, separator, delimiter] of [['tsv', '\t', 1], ['scsv', ';', 2]] as const) {
  t.test(`${extension} is a format of its own: opened, served, and saved with its separator, also in files of one column`, async t => {
    const { editing, save } = await startCsv(t)
    const saved = written(SAVED, separator)
    for (const sent of [asServer(SAVED), MARK + saved.replaceAll('\r\n', `${separator}\n`)]) {
      t.equal(String(await save(written(ORDERS, separator), sent, {}, extension)), saved)
    }
    const column = ['1,5', '2,5', '3,5'].join('\n')
    t.equal(String(await save(column, asServer(['1,5', '4,5'].map(cell => [cell])), {}, extension)), '1,5\n4,5\n')
    const { fileId } = await editing.storage.create(extension, Buffer.from(column))
    const control = await editing.app.editorControl().openDocument(fileId)
    t.match(control.config, { documentType: 'cell', document: { fileType: extension, options: { codePage: 65001, delimiter } } })
    const content = await checkDocument(Buffer.alloc(0), `a.${extension}`)
    t.equal((content as Buffer).length, 0, 'an upload without a byte is text')
  })
}

for (const [name, [separator, end, encode]] of Object.entries(dialects)) {
  t.test(`a CSV file keeps its dialect, and gets the editor's cells: ${name}`, async t => {
    const { save, warnings } = await startCsv(t)
    const result = await save(encode(written(ORDERS, separator, end)), asServer(SAVED))
    t.equal(result.toString('latin1'), encode(written(SAVED, separator, end)).toString('latin1'))
    t.strictSame(warnings(), [])
  })
}

t.test('odd files', async t => {
  const { save, warnings } = await startCsv(t)
  const table: ReadonlyArray<readonly [what: string, stored: string, saved: string, expected: string]> = [
    ['one column', 'a\r\n007\r\nb\r\n', `${MARK}a,\n7,\nc,\n`, 'a\r\n7\r\nc\r\n'],
    ['one cell without a line end', '007', `${MARK}7,\n`, '7\n'],
    ['empty lines', 'a;b\n\n007;c\n', `${MARK}a,b,\n,,\n7,d,\n`, 'a;b\n;\n7;d\n'],
    ['empty cells at the end', 'a;b;\n007;;\n', `${MARK}a,b,\n7,,\n`, 'a;b;\n7;;\n'],
    ['line ends that differ', 'a;b\r\n007;c\nd;e\r\n', `${MARK}a,b,\n7,c,\nd,f,\n`, 'a;b\r\n7;c\r\nd;f\r\n'],
    ['an older server that keeps the separator', 'a;b\r\n1,5;c\r\n', 'a;b\n1,5;d\n', 'a;b\r\n1,5;d\r\n'],
    ['a server that adds no empty cell', 'a;b\r\n007;\r\n', 'a,b\n7,\n', 'a;b\r\n7;\r\n'],
    ['everything removed', 'a;b\r\n007;c\r\n', `${MARK},\n`, '\r\n'],
    ['no line end', 'a;b\r\n007;c\r\n', 'a,b\n7,', 'a;b\r\n7;'],
    ['a cell with the new separator', 'a;b\n1;"x;y"\n', `${MARK}a,b,\n1,x;y,\n`, 'a;b\n1;"x;y"\n'],
    ['a quotation mark in the middle of a cell', 'a;b\n1;5" disk\n', `${MARK}a,b,\n1,"5"" disk",\n`, 'a;b\n1;"5"" disk"\n'],
    ['decimal commas', '1,5;2,5\n3,5;4,5\n', `${MARK}"1,5","2,5",\n"3,5","9,5",\n`, '1,5;2,5\n3,5;9,5\n']
  ]
  for (const [what, stored, saved, expected] of table) t.equal(String(await save(stored, saved)), expected, what)
  t.strictSame(warnings(), [])
})

t.test('what cannot be kept is stored as it was sent, with one line in the log', async t => {
  const { save, warnings } = await startCsv(t)
  const why = (reason: string) => [`a CSV file is stored as the document server has written it: ${reason}`]
  const latin = Buffer.from('a;Müller\r\n007;x\r\n', 'latin1')
  const table: ReadonlyArray<readonly [stored: string | Buffer, saved: string | Buffer, reason: string]> = [
    [latin, `${MARK}a,Müller,\n7,Łódź,\n`, 'it has characters that windows-1252 does not have'],
    ['a;b\n007;x\n', `${MARK}a,b,\n"7,x,\n`, 'a quotation mark is not closed'],
    ['a;b\n007;x\n', Buffer.from('a,b,\n7,ä,\n', 'latin1'), 'it is not utf-8'],
    ['a;b\n007;x\n', `${MARK}a,b,\n7,${'x'.repeat(5 * 1024 ** 2)},\n`, 'a cell is too long']
  ]
  for (const [stored, saved, reason] of table) {
    t.ok((await save(stored, saved)).equals(Buffer.from(saved as string)), reason)
    t.strictSame(warnings(), why(reason))
  }
})

t.test('wherever a file is cut in parts, it becomes the same', async t => {
  const { save } = await startCsv(t)
  const rows = Array.from({ length: 20_000 }, (_, index) => [`${index}`, 'two\r\n"lines"', 'ä;€', '😀'])
  t.equal(String(await save(written(ORDERS), asServer(rows))), written(rows))
})

t.test('the encoding of a file that begins with 64 KiB of ASCII is found behind them; UTF-16 without a mark is left alone', async t => {
  const { save, editing } = await startCsv(t)
  const text = `${'007;x\r\n'.repeat(20_000)}8;Müller\r\n`
  const optionsOf = async (stored: Buffer) => {
    const { fileId } = await editing.storage.create('csv', stored)
    return (await editing.app.editorControl().openDocument(fileId)).config!.document.options
  }
  for (const [encoding, codePage] of [['latin1', 1252], ['utf8', 65001]] as const) {
    const stored = Buffer.from(text, encoding)
    t.match(await optionsOf(stored), { codePage })
    const saved = `${MARK}${'007,x,\n'.repeat(20_000)}9,Müller,\n`
    t.ok((await save(stored, saved)).equals(Buffer.from(text.replace('8;M', '9;M'), encoding)), encoding)
  }
  t.equal(await optionsOf(Buffer.from('a;b\r\n007;x\r\n', 'utf16le')), undefined)
})

t.test('only a CSV file that is saved as one is looked at, unless the format is not announced', async t => {
  const { save, editing } = await startCsv(t)
  t.equal(String(await save('a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`, { filetype: 'unknown' })), 'a;b\n7;x\n', 'an unknown format')
  t.equal(String(await save('a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`, { filetype: undefined })), 'a;b\n7;x\n', 'none')
  t.equal(String(await save('a;b\n007;x\n', 'a,b,\n7,x,\n', { filetype: 'txt' })), 'a,b,\n7,x,\n', 'text')
  t.equal(String(await save('', `${MARK}a,\n`)), `${MARK}a,\n`, 'an empty file has no dialect')
  t.equal(await editing.storedText(editing.fileId), 'the stored content')
})

t.test('classic, and csv.preserve: false, store what was sent; csv.encoding names another encoding', async t => {
  const [stored, saved] = ['a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`]
  t.equal(String(await (await startCsv(t, { csv: { preserve: false } })).save(stored, saved)), saved)
  t.equal(String(await (await startCsv(t, { profile: 'classic' })).save(stored, saved)), saved)
  t.equal(String(await (await startCsv(t, { profile: 'classic', csv: { preserve: true } })).save(stored, saved)), 'a;b\n7;x\n')
  const cyrillic = Buffer.from([0xcf, 0xf0, 0x3b, 0x30, 0x30, 0x37, 0x0a]) // Пр;007
  t.strictSame(await (await startCsv(t, { csv: { encoding: 'windows-1251' } })).save(cyrillic, `${MARK}Пр,8,\n`), Buffer.from([0xcf, 0xf0, 0x3b, 0x38, 0x0a]))
})
