import t from 'tap'
import { checkDocument } from '../../lib/index.js'
import { asServer, MARK, startCsv } from '../kit/editing.js'

const UNMATCHED =
  'not all cells of a CSV file could keep their text: these are stored as the document server has written them'
const ORDERS = [
  ['Nr', 'Kunde', 'Preis', 'Aktiv'],
  ['007', 'Müller', '1.50', 'true'],
  ['008', 'say "hi"; bye', '1e3', 'FALSE'],
  ['009', 'two\nlines', '', 'x'],
  ['010', 'last', '0.10', 'y']
]

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

for (const [extension, separator, delimiter] of [['tsv', '\t', 1], ['scsv', ';', 2]] as const) {
  t.test(`${extension} is a format of its own: opened, served, and saved with its separator, also in files of one column`, async t => {
    const { editing, save, warnings } = await startCsv(t)
    const stored = written(ORDERS, { separator })
    t.equal(String(await save(stored, asServer(edited), {}, extension)), written(edited, { separator }))
    const column = ['1,5', '2,5', '3,5']
    t.equal(String(await save(column.join('\n'), asServer([...column, '4,5'].map(cell => [cell])), {}, extension)), [...column, '4,5'].join('\n'))
    t.strictSame(warnings(), [])
    const { fileId } = await editing.storage.create(extension, Buffer.from(column.join('\n')))
    const control = await editing.app.editorControl().openDocument(fileId)
    t.match(control.config, { documentType: 'cell', document: { fileType: extension, options: { codePage: 65001, delimiter } } })
    const content = await checkDocument(Buffer.alloc(0), `a.${extension}`)
    t.equal((content as Buffer).length, 0, 'an upload without a byte is text')
  })
}

for (const [name, { options, encode = (text: string) => Buffer.from(text) }] of Object.entries(dialects)) {
  t.test(`a CSV file keeps its dialect: ${name}`, async t => {
    const { save, warnings } = await startCsv(t)
    const stored = encode(written(ORDERS, options))
    t.strictSame(await save(stored, asServer(ORDERS)), stored, 'without a change every byte stays')
    t.equal(
      (await save(stored, asServer(edited))).toString('latin1'),
      encode(written(edited, options)).toString('latin1'),
      'of an edited cell only that cell changes'
    )
    t.equal(
      (await save(stored, asServer([...ORDERS.slice(0, 2), ['10', 'neu', '2.5', 'x'], ...ORDERS.slice(2)]))).toString(
        'latin1'
      ),
      encode(written([...ORDERS.slice(0, 2), ['10', 'neu', '2.5', 'x'], ...ORDERS.slice(2)], options)).toString(
        'latin1'
      ),
      'a new row is written in the same way'
    )
    t.equal(
      (await save(stored, asServer([...ORDERS, ['10', 'am Ende', '2.5', 'x']]))).toString('latin1'),
      encode(written([...ORDERS, ['10', 'am Ende', '2.5', 'x']], options)).toString('latin1'),
      'also at the end'
    )
    t.equal(
      (await save(stored, asServer([ORDERS[0]!, ORDERS[3]!, ORDERS[4]!]))).toString('latin1'),
      encode(written([ORDERS[0]!, ORDERS[3]!, ORDERS[4]!], options)).toString('latin1'),
      'removed rows are gone'
    )
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

t.test('rows that are moved far keep their text, too', async t => {
  const { save, warnings } = await startCsv(t)
  const rows = Array.from({ length: 2000 }, (_, index) => [String(index).padStart(5, '0'), `row ${index}`])
  for (const moved of [[rows.at(-1)!, ...rows.slice(0, -1)], rows.toReversed()]) {
    t.equal(String(await save(written(rows), asServer(moved))), written(moved))
  }
  warnings()
})

t.test('numbers are the same if the editor cannot tell them apart', async t => {
  const { save } = await startCsv(t)
  for (
    const [stored, saved] of [
      ['007', '7'],
      ['+5', '5'],
      ['1.50', '1.5'],
      ['.5', '0.5'],
      ['5.', '5'],
      ['1e3', '1000'],
      ['-0', '0'],
      ['12345678901234567890', '12345678901234600000'],
      ['true', 'TRUE']
    ] as const
  ) {
    t.equal(String(await save(`a;b\n${stored};x\n`, `${MARK}a,b,\n${saved},x,\n`)), `a;b\n${stored};x\n`, stored)
  }
  for (
    const [stored, saved] of [
      ['007', '8'],
      ['7a', '7'],
      ['1,5', '1.5'],
      ['2024-01-05', '45296'],
      ['50%', '0.5'],
      ['0x10', '16'],
      [' 7', '7'],
      ['7', '007'],
      ['1.5', '1.50'],
      ['TRUE', 'true'],
      ['', '0'],
      ['Infinity', '1']
    ] as const
  ) {
    t.equal(
      String(await save(`a;b\n${stored};x\n`, `${MARK}a,b,\n${saved},x,\n`)),
      `a;b\n${saved};x\n`,
      `${stored} and ${saved} are not the same`
    )
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
  t.strictSame(warnings(), [UNMATCHED], 'everything replaced')
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
    [Buffer.concat([Buffer.from('ä;b\n007;x\n'.repeat(20_000)), Buffer.from([0xff])]), `${MARK}a,b,\n`, 'it is not utf-8'],
    ['a;b\n007;x\n', `${MARK}a,b,\n7,${'x'.repeat(5 * 1024 ** 2)},\n`, 'a row is too long'],
    ['a;b\n007;x\n', `${MARK}a,b,\n7${','.repeat(20_000)}\n`, 'a row has too many cells'],
    ['a;b\n007;x\n', `${MARK}c,d,\n8,y,\n`, 'nothing of the stored file is in it']
  ]
  for (const [stored, saved, reason] of table) {
    t.ok((await save(stored, saved)).equals(Buffer.from(saved as string)), reason)
    t.strictSame(warnings(), why(reason))
  }
})

const ID = '8949020000123456'
const ids = (count: number, ...more: readonly string[]) => Array.from({ length: count }, (_, index) => [`${ID}${7890 + index}`, ...more])
const alike = [['007', 'x'], ['7', 'x'], ['a', '1'], ['b', '2'], ['c', '3'], ['d', '4']]
const moves: Record<string, readonly [stored: ReadonlyArray<readonly string[]>, saved: ReadonlyArray<readonly string[]>]> = {
  'one of them removed': [ids(6, 'Berlin', 'active'), ids(6, 'Berlin', 'active').toSpliced(2, 1)],
  'the first ones removed': [ids(12, 'Berlin', 'active'), ids(12, 'Berlin', 'active').slice(3)],
  'moved down': [alike, [...alike.slice(2), alike[0]!, alike[1]!]],
  'moved up': [[...alike.slice(2), alike[0]!, alike[1]!], alike],
  'one inserted and another removed': [ids(9, 'Berlin', 'active'), [
    ...ids(3, 'Berlin', 'active'),
    ['new', 'row', 'x'],
    ...ids(9, 'Berlin', 'active').slice(4)
  ]],
  sorted: [
    ids(9).map(([id], index) => [id!, ['Berlin', 'Munich', 'Aachen'][index % 3]!]),
    ids(9).map(([id], index) => [id!, ['Berlin', 'Munich', 'Aachen'][index % 3]!]).toSorted((a, b) => a[1]! < b[1]! ? -1 : 1)
  ]
}
for (const [what, [stored, saved]] of Object.entries(moves)) {
  t.test(`rows that look alike in the editor and are written differently, ${what}: the file is stored as it was sent`, async t => {
    const { save, warnings } = await startCsv(t)
    t.equal(String(await save(written(stored), asServer(saved))), asServer(saved))
    t.strictSame(warnings(), ['a CSV file is stored as the document server has written it: rows that look alike in the editor were moved, inserted or removed'])
  })
}

t.test('rows that look alike and are written differently keep their text where cells were edited only', async t => {
  const { save, warnings } = await startCsv(t)
  const stored = ids(6, 'Berlin', 'active')
  const changed = stored.with(2, [stored[2]![0]!, 'Berlin', 'closed'])
  t.equal(String(await save(written(stored), asServer(changed))), written(changed))
  t.strictSame(warnings(), [])
})

t.test('what was typed is never taken for what was there', async t => {
  const { save } = await startCsv(t)
  for (
    const [stored, typed] of [
      [`${ID}7890`, `${ID}7891`],
      ['4111111111111111', '4111111111111112'],
      ['0.12345678901234567', '0.12345678901234568'],
      ['100000', '1E5'],
      ['007', '07'],
      ['1.50', '1.500']
    ] as const
  ) {
    t.equal(
      String(await save(`${stored};Berlin\nx;y\n`, `${MARK}${typed},Berlin,\nx,y,\n`)),
      `${typed};Berlin\nx;y\n`,
      typed
    )
  }
})

t.test('rows that others have replaced do not get their text', async t => {
  const { save } = await startCsv(t)
  const rows = Array.from({ length: 1000 }, (_, index) => [index < 500 ? '007' : '7', `row ${index}`, 'open'])
  t.equal(String(await save(written(rows), asServer(rows.toReversed()))), written(rows.toReversed()))
  const odd = rows.slice(249, 750)
  t.equal(String(await save(written(odd), asServer(odd.toReversed()))), written(odd.toReversed()), 'one of them at its place')
})

t.test('a column that is removed beside one that looks alike does not leave its text there', async t => {
  const { save } = await startCsv(t)
  const rows = Array.from({ length: 4 }, (_, index) => [`row ${index}`, `${ID}7000`, `${ID}7999`, 'x'])
  const narrower = rows.map(row => row.toSpliced(1, 1))
  const shown = '89490200001234600000'
  t.equal(String(await save(written(rows), asServer(narrower))), written(narrower.map(row => row.with(1, shown))))
})

t.test('columns that change places are stored as they were sent, with one line in the log', async t => {
  const { save, warnings } = await startCsv(t)
  const rows = Array.from({ length: 4 }, (_, index) => ['007', `row ${index}`, 'x', 'y'])
  const swapped = rows.map(([a, b, ...rest]) => [b!, a!, ...rest])
  t.equal(String(await save(written(rows), asServer(swapped))), written(swapped.map(row => row.with(1, '7'))))
  t.strictSame(warnings(), [UNMATCHED])
})

t.test('an older server that keeps the separator is recognized wherever rows have gone', async t => {
  const { save } = await startCsv(t)
  const rows = Array.from({ length: 100 }, (_, index) => [String(index).padStart(5, '0'), `row ${index}`])
  const sent = (all: ReadonlyArray<readonly string[]>) =>
    all.map(([a, ...rest]) => [Number.isNaN(Number(a)) ? a : Number(a), ...rest].join(';') + '\n').join('')
  t.equal(String(await save(written(rows), sent(rows.toReversed()))), written(rows.toReversed()))
  const longer = [...Array.from({ length: 20 }, (_, index) => [`n${index}`, 'new']), ...rows]
  t.equal(String(await save(written(rows), sent(longer))), written(longer))
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
    const saved = `${MARK}${'7,x,\n'.repeat(20_000)}9,Müller,\n`
    t.ok((await save(stored, saved)).equals(Buffer.from(text.replace('8;M', '9;M'), encoding)), encoding)
  }
  t.equal(await optionsOf(Buffer.from('a;b\r\n007;x\r\n', 'utf16le')), undefined)
})

t.test('only a CSV file that is saved as one is looked at, unless the format is not announced', async t => {
  const { save, editing } = await startCsv(t)
  t.equal(String(await save('a;b\n007;x\n', `${MARK}a,b,\n7,x,\n`, { filetype: 'unknown' })), 'a;b\n007;x\n', 'an unknown format')
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
