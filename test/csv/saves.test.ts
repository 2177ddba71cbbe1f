import t from 'tap'
import { asServer, MARK, startCsv } from './support.js'

const ORDERS = [['Nr', 'Kunde', 'Preis', 'Aktiv'], ['007', 'Müller', '1.50', 'true'], ['008', 'say "hi"; bye', '1e3', 'FALSE'], ['009', 'two\nlines', '', 'x'], ['010', 'last', '0.10', 'y']]

/** A file of these rows: `always` in quotation marks, or only where they are needed. */
function written (rows: ReadonlyArray<readonly string[]>, { separator = ';', end = '\r\n', final = true, always = false } = {}): string {
  const cell = (value: string) => always || value.includes(separator) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  const text = rows.map(row => row.map(cell).join(separator)).join(end)
  return final ? text + end : text
}

const edited = ORDERS.map(row => [...row])
edited[2]![1] = 'Änderung; neu'

const dialects: Record<string, { readonly options: Parameters<typeof written>[1], readonly encode?: (text: string) => Buffer }> = {
  'semicolons and CRLF': { options: {} },
  'semicolons, windows-1252': { options: {}, encode: text => Buffer.from(text, 'latin1') },
  'commas and LF': { options: { separator: ',', end: '\n' } },
  tabs: { options: { separator: '\t' } },
  bars: { options: { separator: '|' } },
  'a byte order mark': { options: {}, encode: text => Buffer.from(MARK + text) },
  'UTF-16LE': { options: {}, encode: text => Buffer.from(MARK + text, 'utf16le') },
  'UTF-16BE': { options: {}, encode: text => Buffer.from(MARK + text, 'utf16le').swap16() },
  'CR only': { options: { end: '\r' } },
  'no final line end': { options: { final: false } },
  'everything in quotation marks': { options: { always: true } }
}

for (const [name, { options, encode = (text: string) => Buffer.from(text) }] of Object.entries(dialects)) {
  t.test(`a CSV file keeps its dialect: ${name}`, async t => {
    const { save, warnings } = await startCsv(t)
    const stored = encode(written(ORDERS, options))
    t.strictSame(await save(stored, asServer(ORDERS)), stored, 'without a change every byte stays')
    t.equal((await save(stored, asServer(edited))).toString('latin1'), encode(written(edited, options)).toString('latin1'), 'of an edited cell only that cell changes')
    t.equal((await save(stored, asServer([...ORDERS.slice(0, 2), ['10', 'neu', '2.5', 'x'], ...ORDERS.slice(2)]))).toString('latin1'),
      encode(written([...ORDERS.slice(0, 2), ['10', 'neu', '2.5', 'x'], ...ORDERS.slice(2)], options)).toString('latin1'), 'a new row is written in the same way')
    t.equal((await save(stored, asServer([...ORDERS, ['10', 'am Ende', '2.5', 'x']]))).toString('latin1'), encode(written([...ORDERS, ['10', 'am Ende', '2.5', 'x']], options)).toString('latin1'), 'also at the end')
    t.equal((await save(stored, asServer([ORDERS[0]!, ORDERS[3]!, ORDERS[4]!]))).toString('latin1'), encode(written([ORDERS[0]!, ORDERS[3]!, ORDERS[4]!], options)).toString('latin1'), 'removed rows are gone')
    t.strictSame(warnings(), [])
  })
}

t.test('columns that are added or removed leave the other cells as they are', async t => {
  const { save } = await startCsv(t)
  const stored = written(ORDERS)
  for (const at of [0, 2, 4]) {
    const wider = ORDERS.map((row, index) => row.toSpliced(at, 0, `neu ${index}`))
    t.equal(String(await save(stored, asServer(wider))), written(wider), `a column at ${at}`)
  }
  for (const at of [0, 2, 3]) {
    const narrower = ORDERS.map(row => row.toSpliced(at, 1))
    t.equal(String(await save(stored, asServer(narrower))), written(narrower), `without the column at ${at}`)
  }
})

t.test('sorted and moved rows keep their text', async t => {
  const { save, warnings } = await startCsv(t)
  const rows = Array.from({ length: 100 }, (_, index) => [String(index).padStart(5, '0'), `row ${index}`])
  for (const sorted of [rows.toReversed(), [...rows.slice(50), ...rows.slice(0, 50)], [...rows.slice(1), rows[0]!]]) {
    t.equal(String(await save(written(rows), asServer(sorted))), written(sorted))
  }
  warnings()
})

t.test('rows that are moved too far are stored as they were sent, with one line in the log', async t => {
  const { save, warnings } = await startCsv(t)
  const rows = Array.from({ length: 2000 }, (_, index) => [String(index).padStart(5, '0'), `row ${index}`])
  const moved = [rows.at(-1)!, ...rows.slice(0, -1)]
  t.equal(String(await save(written(rows), asServer(moved))), written([['1999', 'row 1999'], ...rows.slice(0, -1)]))
  t.strictSame(warnings(), ['rows of a CSV file were moved too far to be recognized: they are stored as the document server has written them'])
})

t.test('numbers are the same if the editor cannot tell them apart', async t => {
  const { save } = await startCsv(t)
  for (const [stored, saved] of [['007', '7'], ['+5', '5'], ['1.50', '1.5'], ['.5', '0.5'], ['5.', '5'], ['1e3', '1000'], ['-0', '0'], ['12345678901234567890', '12345678901234600000'], ['true', 'TRUE']] as const) {
    t.equal(String(await save(`a;b\n${stored};x\n`, `${MARK}a,b,\n${saved},x,\n`)), `a;b\n${stored};x\n`, stored)
  }
  for (const [stored, saved] of [['007', '8'], ['7a', '7'], ['1,5', '1.5'], ['2024-01-05', '45296'], ['50%', '0.5'], ['0x10', '16'], [' 7', '7'], ['7', '007'], ['1.5', '1.50'], ['TRUE', 'true'], ['', '0'], ['Infinity', '1']] as const) {
    t.equal(String(await save(`a;b\n${stored};x\n`, `${MARK}a,b,\n${saved},x,\n`)), `a;b\n${saved};x\n`, `${stored} and ${saved} are not the same`)
  }
})

t.test('odd files', async t => {
  const { save, warnings } = await startCsv(t)
  const table: ReadonlyArray<readonly [what: string, stored: string, saved: string, expected: string]> = [
    ['one column', 'a\r\n007\r\nb\r\n', `${MARK}a,\n7,\nc,\n`, 'a\r\n007\r\nc\r\n'],
    ['one cell', '007', `${MARK}7,\n`, '007'],
    ['the header only', 'a;b\r\n', `${MARK}a,c,\n`, 'a;c\r\n'],
    ['empty lines', 'a;b\n\n007;c\n\n\n', `${MARK}a,b,\n,,\n7,d,\n`, 'a;b\n\n007;d\n\n\n'],
    ['rows of different length', 'a;b;c\n007\n1;2;3;4\n', `${MARK}a,b,c,,\n7,,,,\n1,2,3,4,\n`, 'a;b;c\n007\n1;2;3;4\n'],
    ['empty cells at the end', 'a;b;\n007;;\n', `${MARK}a,b\n7\n`, 'a;b;\n007;;\n'],
    ['line ends that differ', 'a;b\r\n007;c\nd;e\r\n', `${MARK}a,b,\n7,c,\nd,f,\n`, 'a;b\r\n007;c\nd;f\r\n'],
    ['an older server that keeps the separator', 'a;b\r\n007;c\r\n', 'a;b\n7;d\n', 'a;b\r\n007;d\r\n'],
    ['a server that adds no empty cell', 'a;b\r\n007;c\r\n', 'a,b\n7,d\n', 'a;b\r\n007;d\r\n'],
    ['everything removed', 'a;b\r\n007;c\r\n', `${MARK},\n`, ''],
    ['everything replaced', 'a;b\r\n007;c\r\n', `${MARK}x,\n`, 'x\r\n'],
    ['a cell with the new separator', 'a;b\n1;x,y\n', `${MARK}a,b,\n1,"x,y",\n`, 'a;b\n1;x,y\n'],
    ['a quotation mark in the middle of a cell', 'a;b\n1;5" disk\n', `${MARK}a,b,\n1,"5"" disk",\n`, 'a;b\n1;5" disk\n'],
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
    [latin, `${MARK}a,Müller,\n7,Łódź,\n`, 'windows-1252 does not have all of its characters'],
    ['a;b\n"007;x\n', `${MARK}a,b,\n"7;x\n",\n`, 'a quotation mark is not closed'],
    ['a;b\n007;x\n', `${MARK}a,b,\n"7,x,\n`, 'a quotation mark is not closed'],
    ['a;b\n007;x\n', Buffer.from('a,b,\n7,ä,\n', 'latin1'), 'it is not utf-8'],
    [Buffer.concat([Buffer.from('a;b\n007;x\n'.repeat(20_000)), Buffer.from([0xff])]), `${MARK}a,b,\n`, 'it is not utf-8'],
    ['a;b\n007;x\n', `${MARK}a,b,\n7,${'x'.repeat(5 * 1024 ** 2)},\n`, 'a row is too long']
  ]
  for (const [stored, saved, reason] of table) {
    t.ok((await save(stored, saved)).equals(Buffer.from(saved as string)), reason)
    t.strictSame(warnings(), why(reason))
  }
})

t.test('only a CSV file that is saved as one is looked at, unless the format is not announced', async t => {
  const { save, editing } = await startCsv(t)
  t.equal(String(await save('a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`, { filetype: 'scsv' })), 'a;b\n007;x\n', 'an unknown format')
  t.equal(String(await save('a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`, { filetype: undefined })), 'a;b\n007;x\n', 'none')
  t.equal(String(await save('a;b\n007;x\n', 'a,b,\n7,x,\n', { filetype: 'txt' })), 'a,b,\n7,x,\n', 'text')
  t.equal(String(await save('', `${MARK}a,\n`)), `${MARK}a,\n`, 'an empty file has no dialect')
  t.equal(await editing.storedText(editing.fileId), 'the stored content')
})

t.test('classic, and csv.preserve: false, store what was sent; csv.encoding names another encoding', async t => {
  const [stored, saved] = ['a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`]
  t.equal(String(await (await startCsv(t, { csv: { preserve: false } })).save(stored, saved)), saved)
  t.equal(String(await (await startCsv(t, { profile: 'classic' })).save(stored, saved)), saved)
  t.equal(String(await (await startCsv(t, { profile: 'classic', csv: { preserve: true } })).save(stored, saved)), stored)
  const cyrillic = Buffer.from([0xcf, 0xf0, 0x3b, 0x30, 0x30, 0x37, 0x0a]) // Пр;007
  t.strictSame(await (await startCsv(t, { csv: { encoding: 'windows-1251' } })).save(cyrillic, `${MARK}Пр,8,\n`), Buffer.from([0xcf, 0xf0, 0x3b, 0x38, 0x0a]))
})
