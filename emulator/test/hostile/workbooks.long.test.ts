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

const cells = (count: number, cell: string) => `<row>${`<c>${cell}</c>`.repeat(count)}</row>`
const refused: Readonly<Record<string, { readonly parts: Parts, readonly reason: RegExp }>> = {
  'a million cells': { parts: { rows: cells(1_000_000, '<v>1</v>') }, reason: /more than 400000 nodes/ },
  'one large sheet a thousand times': { parts: { rows: cells(10_000, '<v>1</v>'), sheets: 1000 }, reason: /more than 400000 nodes/ },
  'a hundred thousand sheets': { parts: { rows: '', sheets: 100_000 }, reason: /more than 400000 nodes/ },
  'one table ten thousand times': { parts: { rows: '', tables: 10_000 }, reason: /more than 400000 nodes/ }
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

t.test('text shared by thousands of cells is displayed up to a limit and not laid out', t => {
  const bytes = workbookOf({ rows: cells(100, '<v>0</v>').replaceAll('<c>', '<c t="s">').repeat(500), strings: `<si><t>${'a'.repeat(30_000)}</t></si>` })
  const editable = openEditable('xlsx', bytes)
  const sheet = sheetOf(editable)
  t.ok(JSON.stringify(sheet).length < 12_000_000)
  t.match(sheet.omitted, /^Shown are 4 of 500 rows/)
  t.throws(() => textBlocks('xlsx', bytes), /too much text/)
  editable.apply({ op: 'cell', sheet: 'S1', cell: 'A1', value: 'short' })
  t.match(sheetOf(editable), { cells: { A1: { text: 'short' } } }, 'but it can be edited')
  t.end()
})

t.test('a change invalidates thousands of formulas', t => {
  const rows = Array.from({ length: 4900 }, (_, row) => `<row><c><f>${'C5+'.repeat(300)}A${row + 2}</f><v>1</v></c></row>`).join('')
  const editable = openEditable('xlsx', workbookOf({ rows }))
  const done = editable.apply({ op: 'cell', sheet: 'S1', cell: 'A4901', value: '5' })
  t.equal(Object.keys(done?.op === 'cell' ? done.others ?? {} : {}).length, 4900)
  t.end()
})

t.test('a CSV file with one field as long as the file, or with too many, is edited as text', t => {
  t.equal(openEditable('csv', Buffer.from('\n'.repeat(1_000_001))).view().kind, 'prose')
  for (const character of ['"', '1', '\0']) t.equal(openEditable('csv', Buffer.alloc(2_000_000, character)).view().kind, 'prose')
  t.end()
})

function sheetOf (editable: ReturnType<typeof openEditable>): GridSheet {
  const view = editable.view()
  if (view.kind !== 'grid') throw new TypeError(JSON.stringify(view))
  return view.sheets[0]!
}
