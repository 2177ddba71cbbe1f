import { strToU8, zipSync } from 'fflate'
import t from 'tap'
import type { GridSheet } from '../../lib/documents/grid.js'
import { openEditable } from '../../lib/documents/open.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

interface Parts {
  readonly rows: string
  readonly strings?: string
  readonly sheets?: number
  readonly tables?: number
}

/** A workbook whose sheets S1, S2… are all the same part. */
function workbookOf ({ rows, strings = '', sheets = 1, tables = 0 }: Parts): Uint8Array {
  const related = (count: number, type: string, target: string) => Array.from({ length: count }, (_, index) => `<Relationship Id="${type}${index}" Type="${TYPES}/${type}" Target="${target}"/>`).join('')
  return zipSync(Object.fromEntries(Object.entries({
    'xl/workbook.xml': `<workbook xmlns:r="${TYPES}"><sheets>${Array.from({ length: sheets }, (_, index) => `<sheet name="S${index + 1}" r:id="worksheet0"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related(1, 'worksheet', 'sheet.xml')}${related(1, 'sharedStrings', 'strings.xml')}</Relationships>`,
    'xl/sheet.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/_rels/sheet.xml.rels': `<Relationships>${related(tables, 'table', 'table.xml')}</Relationships>`,
    'xl/table.xml': `<table ref="A1:B2">${'<a/>'.repeat(1000)}</table>`,
    'xl/strings.xml': `<sst>${strings}</sst>`
  }).map(([name, xml]) => [name, strToU8(xml)])), { level: 1 })
}

const cells = (count: number, cell: string, first = cell) => `<row><c>${first}</c>${`<c>${cell}</c>`.repeat(count - 1)}</row>`
const shared = (text: string) => `<f t="shared" si="0" ref="A1:ZZ1">${text}</f><v>1</v>`
const MEMBER = '<f t="shared" si="0"/><v>1</v>'

const refused: Readonly<Record<string, { readonly parts: Parts, readonly reason: RegExp }>> = {
  'a million cells': { parts: { rows: cells(1_000_000, '<v>1</v>') }, reason: /too many cells/ },
  'one large sheet a thousand times': { parts: { rows: cells(10_000, '<v>1</v>'), sheets: 1000 }, reason: /too many cells/ },
  'a hundred thousand sheets': { parts: { rows: '', sheets: 100_000 }, reason: /too many sheets/ },
  'one table ten thousand times': { parts: { rows: '', tables: 10_000 }, reason: /too many cells/ },
  'a long formula that thousands of cells share': { parts: { rows: cells(5000, MEMBER, shared(`${'A1+'.repeat(2500)}1`)) }, reason: /formulas are too long/ }
}

for (const [title, { parts, reason }] of Object.entries(refused)) {
  t.test(`${title}: not read, and kept unchanged`, t => {
    const bytes = workbookOf(parts)
    const editable = openEditable('xlsx', bytes)
    t.match(editable.view(), { kind: 'readonly', note: reason })
    t.equal(editable.bytes(), bytes)
    t.throws(() => textBlocks('xlsx', bytes), reason)
    t.end()
  })
}

// Each of these took minutes.
t.test('markup in strings and values is scanned once', t => {
  const nested = `<si>${'<r>'.repeat(50_000)}<t>deep</t>${'</r>'.repeat(50_000)}</si>`
  const ends = `<v>1<a b="${'<![CDATA[>'.repeat(200_000)}"/><![CDATA[2]]><!-- 3 -->&#52;</v>`
  const editable = openEditable('xlsx', workbookOf({ rows: `<row><c t="s"><v>0</v></c><c t="str">${ends}</c></row>`, strings: nested }))
  t.match(sheetOf(editable), { cells: { A1: { text: 'deep' }, B1: { text: '124' } } })
  t.end()
})

t.test('text shared by thousands of cells is displayed up to a limit and not laid out', t => {
  const bytes = workbookOf({ rows: cells(100, '<v>0</v>').replaceAll('<c>', '<c t="s">').repeat(1000), strings: `<si><t>${'a'.repeat(30_000)}</t></si>` })
  const editable = openEditable('xlsx', bytes)
  const sheet = sheetOf(editable)
  t.ok(JSON.stringify(sheet).length < 12_000_000)
  t.match(sheet.omitted, /^Shown are 2 of 1,000 rows/)
  t.throws(() => textBlocks('xlsx', bytes), /too much text/)
  editable.apply({ op: 'cell', sheet: 'S1', cell: 'A1', value: 'short' })
  t.match(sheetOf(editable), { cells: { A1: { text: 'short' } } }, 'but it can be edited')
  t.end()
})

t.test('a change invalidates thousands of formulas that depend on each other', t => {
  const rows = Array.from({ length: 4900 }, (_, row) => `<row><c><f>${'C5+'.repeat(300)}A${row + 2}</f><v>1</v></c></row>`).join('')
  const editable = openEditable('xlsx', workbookOf({ rows }))
  const done = editable.apply({ op: 'cell', sheet: 'S1', cell: 'A4901', value: '5' })
  t.equal(Object.keys(done?.op === 'cell' ? done.others ?? {} : {}).length, 4900)
  t.end()
})

t.test('a change invalidates all formulas of a long row', t => {
  const editable = openEditable('xlsx', workbookOf({ rows: cells(16_000, MEMBER, shared('XFD9+1')) }))
  const done = editable.apply({ op: 'cell', sheet: 'S1', cell: 'XFD9', value: '5' })
  t.ok(Object.keys(done?.op === 'cell' ? done.others ?? {} : {}).length > 15_000)
  editable.apply({ op: 'cell', sheet: 'S1', cell: 'B1', value: '7' })
  t.match(sheetOf(openEditable('xlsx', editable.bytes())), { cells: { A1: { value: '=XFD9+1', stale: true }, B1: { text: '7' }, C1: { stale: true } } })
  t.end()
})

t.test('setting a cell far below a wide row of a CSV file adds no more fields than the memory limit allows', t => {
  const bytes = Buffer.alloc(1_000_000, 'a,')
  const editable = openEditable('csv', bytes)
  t.equal(editable.apply({ op: 'cell', sheet: 'Sheet1', cell: 'A1001', value: 'x' }), null)
  t.equal(editable.bytes(), bytes)
  t.ok(editable.apply({ op: 'cell', sheet: 'Sheet1', cell: 'A1', value: 'x' }))
  t.end()
})

t.test('a CSV file with one field as long as the file is edited as text', t => {
  for (const character of ['"', '1', '\0']) t.equal(openEditable('csv', Buffer.alloc(2_000_000, character)).view().kind, 'prose')
  t.end()
})

function sheetOf (editable: ReturnType<typeof openEditable>): GridSheet {
  const view = editable.view()
  if (view.kind !== 'grid') throw new TypeError(JSON.stringify(view))
  return view.sheets[0]!
}
