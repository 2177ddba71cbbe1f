import fc from 'fast-check'
import { unzipSync } from 'fflate'
import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import type { CellOperation } from '../../lib/documents/grid.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'
import { partOf, richWorkbook, withParts } from '../../../test/fixtures/workbook.js'
import { cellAt, set, sheetsOf } from './cells.js'

const rich = richWorkbook()
const ORDERS = 'xl/worksheets/sheet1.xml'
const SUMMARY = 'xl/worksheets/sheet2.xml'
const open = (bytes: Uint8Array = rich) => openEditable('xlsx', bytes)

t.test('a workbook opens as its visible sheets, with values displayed in their formats', async t => {
  const workbook = open()
  t.strictSame(sheetsOf(workbook).map(({ name }) => name), ['orders', 'Summary'])
  t.strictSame(cellAt(workbook, 'E2'), { value: '2026-07-21', text: '2026-07-21', align: 'right' }, 'a date')
  t.strictSame(cellAt(workbook, 'Summary!C2'), { value: '0.25', text: '25%', align: 'right' }, 'a percentage')
  t.strictSame(cellAt(workbook, 'Summary!B3'), { value: '=B2*2', text: '14.00', align: 'right' }, 'a formula shows its value')
  t.strictSame(cellAt(workbook, 'Summary!B5'), { value: '56', text: '56.00', align: 'right' }, 'one that shares the formula of another cell, too')
  t.strictSame(cellAt(workbook, 'Summary!A1'), { value: 'Summary of orders', text: 'Summary of orders', bold: true })
  t.strictSame(cellAt(workbook, 'Summary!C3'), { value: '007', text: '007' }, 'a text of digits')
  const [, summary] = sheetsOf(workbook)
  t.match(summary, { merged: ['A1:C1'], hiddenColumns: [4], widths: { 1: 173, 4: 68 } })
  t.equal(workbook.bytes(), rich, 'nothing was changed')
})

t.test('a cell has the fill of its style, if that is a solid colour', async t => {
  const filled = (fill: string) => open(withParts(rich, {
    'xl/styles.xml': xml => xml.replace('</fills>', `<fill>${fill}</fill></fills>`)
      .replace(/(<xf numFmtId="9" fontId="0" )fillId="0"/, `$1fillId="${xml.split('<fill>').length - 1}"`)
  }))
  const of = (fill: string) => cellAt(filled(fill), 'Summary!C2')?.fill
  t.equal(of('<patternFill patternType="solid"><fgColor rgb="FFF1E4D3"/></patternFill>'), '#f1e4d3')
  t.equal(of('<patternFill patternType="solid"><fgColor theme="4"/></patternFill>'), undefined)
  t.equal(of('<patternFill patternType="gray125"><fgColor rgb="FFF1E4D3"/></patternFill>'), undefined)
})

t.test('typed input becomes a number, a string, a boolean, a date or a formula; the cell keeps its style', async t => {
  const workbook = open()
  for (const [cell, typed, xml, text] of [
    ['C2', ' 1234.5', '<c r="C2" s="0"><v>1234.5</v></c>', '1234.5'],
    ['C3', 'many & <more>', '<c r="C3" s="0" t="inlineStr"><is><t>many &amp; &lt;more&gt;</t></is></c>', 'many & <more>'],
    ['C4', ' _x0041_\u0007', '<c r="C4" s="0" t="inlineStr"><is><t xml:space="preserve"> _x005F_x0041__x0007_</t></is></c>', ' _x0041_\u0007'],
    ['C5', 'true', '<c r="C5" s="0" t="b"><v>1</v></c>', 'TRUE'],
    ['C7', "'007", '<c r="C7" s="0" t="inlineStr"><is><t>007</t></is></c>', '007'],
    ['C8', '=C2*2', '<c r="C8" s="0"><f>C2*2</f></c>', '=C2*2'],
    ['C9', '=SUM(', '<c r="C9" s="0" t="inlineStr"><is><t>=SUM(</t></is></c>', '=SUM('],
    ['C11', '=1 + SUM(A1:B2, \'a (b\'!B2) ', '<c r="C11" s="0"><f>1 + SUM(A1:B2, \'a (b\'!B2)</f></c>', '=1 + SUM(A1:B2, \'a (b\'!B2)'],
    ['C6', '="open', '<c r="C6" s="0" t="inlineStr"><is><t>="open</t></is></c>', '="open'],
    ['C10', '', '<c r="C10" s="0"/>', undefined],
    ['E2', '2027-01-05', '<c r="E2" s="1"><v>46392</v></c>', '2027-01-05'],
    ['E3', '2027-01-05 18:00', '<c r="E3" s="1"><v>46392.75</v></c>', '2027-01-05'],
    ['E4', 'soon', '<c r="E4" s="1" t="inlineStr"><is><t>soon</t></is></c>', 'soon']
  ] as const) {
    t.ok(set(workbook, cell, typed), cell)
    t.ok(partOf(workbook.bytes(), ORDERS).includes(xml), `${cell}: ${xml}`)
    t.equal(cellAt(open(workbook.bytes()), cell)?.text, text, `${cell} as it is shown`)
  }
  t.equal(cellAt(workbook, 'C7')?.value, "'007", 'typed again it stays a text')
  t.equal(set(workbook, 'C7', "'007"), null)
})

t.test('new rows and cells are inserted in order, with their column\'s style', async t => {
  const workbook = open(
    withParts(rich, {
      [SUMMARY]: xml =>
        xml.replace('<row r="5">', '<row r="5" s="1" customFormat="1">').replace(
          'customWidth="1"/>',
          'customWidth="1" style="3"/>'
        )
    })
  )
  for (const cell of ['Summary!B9', 'Summary!A8', 'Summary!F5', 'Summary!A5', 'Summary!A4']) set(workbook, cell, '1')
  const xml = partOf(workbook.bytes(), SUMMARY)
  t.strictSame(xml.match(/(?<=<row r=")\d+/g), ['1', '2', '3', '4', '5', '6', '8', '9'])
  t.match(xml, /<row r="4"><c r="A4" s="3"><v>1<\/v><\/c><c r="B4"/)
  t.match(xml, /<row r="5"[^>]*><c r="A5" s="1"><v>1<\/v><\/c><c r="B5".*<c r="C5".*<c r="F5" s="1"><v>1<\/v><\/c><\/row>/)
})

t.test('with a change all formulas lose their cached values, and the file requests recalculation', async t => {
  const workbook = open()
  const done = set(workbook, 'C2', '1000') as CellOperation
  t.strictSame(
    Object.keys(done.others!).sort(),
    ['Summary!A6', 'Summary!B2', 'Summary!B3', 'Summary!B4', 'Summary!B5', 'Summary!B6']
  )
  t.strictSame(cellAt(workbook, 'Summary!B2'), {
    value: '=SUM(orders!C2:C501)',
    text: '7',
    align: 'right',
    stale: true
  }, 'the previous value is selected')
  const bytes = workbook.bytes()
  const xml = partOf(bytes, SUMMARY)
  t.match(xml, '<c r="B2"><f>SUM(orders!C2:C501)</f></c>')
  t.match(xml, '<f t="shared" ref="B3:B5" si="0">B2*2</f></c>')
  t.match(xml, '<c r="B6"><f>1+1</f></c>')
  t.match(partOf(bytes, 'xl/workbook.xml'), /<calcPr [^>]*fullCalcOnLoad="1"/)
  t.match(partOf(bytes, 'xl/worksheets/sheet3.xml'), '<f>Summary!B2</f></c>', 'hidden sheets, too')
})

t.test('an overwritten formula is removed from the calculation chain', async t => {
  const workbook = open()
  set(workbook, 'Summary!B2', '5')
  const bytes = workbook.bytes()
  t.match(partOf(bytes, SUMMARY), /<c r="B2"><v>5<\/v><\/c>/)
  t.notOk(unzipSync(bytes)['xl/calcChain.xml'])
  t.notMatch(partOf(bytes, '[Content_Types].xml') + partOf(bytes, 'xl/_rels/workbook.xml.rels'), /calcChain/)
})

t.test('namespace prefixes and cells without a reference are supported', async t => {
  const prefixed = withParts(rich, {
    [SUMMARY]: () =>
      '<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c t="str"><x:v>a</x:v></x:c></x:row><x:row/></x:sheetData></x:worksheet>'
  })
  const workbook = open(prefixed)
  t.equal(cellAt(workbook, 'Summary!A1')?.text, '1')
  for (const cell of ['Summary!A1', 'Summary!C1', 'Summary!A2']) set(workbook, cell, '5')
  t.match(
    partOf(workbook.bytes(), SUMMARY),
    '<x:row><x:c><x:v>5</x:v></x:c><x:c t="str"><x:v>a</x:v></x:c><x:c r="C1"><x:v>5</x:v></x:c></x:row><x:row><x:c r="A2"><x:v>5</x:v></x:c></x:row>'
  )
})

t.test('a cell that cannot be edited is refused with the reason', async t => {
  const workbook = open(withParts(rich, {
    [SUMMARY]: xml => xml.replace('<f>1+1</f>', '<f t="array" ref="B6:B7">1+1</f>'),
    'xl/worksheets/_rels/sheet1.xml.rels': () =>
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/table" Target="../tables/table1.xml"/></Relationships>',
    'xl/tables/table1.xml': () =>
      '<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="A1:E501"/>'
  }))
  for (const cell of ['A1', 'Summary!B1', 'Summary!B4', 'Summary!B7', 'Rates!A1', 'Nowhere!A1', 'A0', 'XFE1', 'A1048577', 'B']) t.equal(set(workbook, cell, 'x'), null, cell)
  t.strictSame(sheetsOf(workbook).map(({ locked }) => locked), [
    [{ range: 'A1:E1', why: 'The heads of a table are the names of its columns' }],
    [{ range: 'B3:B5', why: 'One formula fills these cells' }, { range: 'B6:B7', why: 'One formula fills these cells' }]
  ])
  t.ok(set(workbook, 'A2', 'x'))
  const guarded = open(withParts(rich, { [SUMMARY]: xml => xml.replace('</sheetData>', '</sheetData><sheetProtection sheet="1"/>') }))
  t.equal(set(guarded, 'Summary!A9', 'x'), null)
})

t.test('of a very large sheet only the beginning is shown, and the rest is kept', async t => {
  const rows = Array.from({ length: 30_000 }, (_, index) => `<row r="${index + 1}"><c r="A${index + 1}"><v>${index}</v></c></row>`).join('')
  const workbook = open(withParts(rich, { [SUMMARY]: () => `<worksheet xmlns="x"><sheetData>${rows}</sheetData></worksheet>` }))
  const sheet = sheetsOf(workbook)[1]!
  t.match(sheet, { rows: 500, omitted: /500 of 30,000 rows/ })
  t.equal(Object.keys(sheet.cells).length, 500)
  set(workbook, 'Summary!A29999', 'far')
  t.match(partOf(workbook.bytes(), SUMMARY), '<c r="A30000"><v>29999</v></c>')
})

t.test('a broken workbook is read-only', async t => {
  for (const [part, xml] of [[ORDERS, '<worksheet><sheetData><row'], [ORDERS, '<!DOCTYPE x><worksheet/>'], [
    'xl/workbook.xml', '<workbook><sheets><sheet></workbook>'
  ], ['xl/workbook.xml', '<workbook><workbookPr date1904="1"/><sheets/></workbook>']] as const) {
    const workbook = open(withParts(rich, { [part]: () => xml }))
    t.match(workbook.view(), { kind: 'readonly', note: /cannot be read/ }, xml)
    t.equal(workbook.apply({ op: 'cell', sheet: 'orders', cell: 'A1', value: 'x' }), null)
  }
  t.throws(() => open().replaceText('x'), TypeError)
})

t.test('a workbook\'s text has dates as dates and keeps the columns', async t => {
  const blocks = textBlocks('xlsx', rich)!
  t.equal(blocks[1]!.text, '1\tEast\t486\t25.71\t2026-07-21')
  t.match(blocks.find(({ newPage }) => newPage), { text: 'Summary of orders' })
  t.ok(blocks.some(({ text }) => text === '\t28.00'))
  t.notOk(blocks.some(({ text }) => text === '0.5\t7'), 'not of hidden sheets')
})

const anyCell = fc.record({ row: fc.integer({ min: 1, max: 30 }), column: fc.integer({ min: 0, max: 8 }) })
  .map(({ row, column }) => `${'ABCDEFGHI'[column]}${row}`)
const anyValue = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.double().map(String),
  fc.constantFrom('', 'TRUE', '12%', '2026-03-04', '=A1+1', '\'x', '<&>"', '=SUM(A1:B2)', '_x0000_')
)

t.test('setting any cell stores its value, keeps all others, and the file opens with it', async t => {
  const small = withParts(rich, { [ORDERS]: xml => xml.replace(/<row r="31"[^]*<\/row>/, '') })
  fc.assert(fc.property(fc.array(fc.tuple(fc.constantFrom('orders', 'Summary'), anyCell, anyValue), { maxLength: 12 }), edits => {
    const workbook = open(small)
    const wanted = new Map<string, string>()
    for (const [sheet, cell, value] of edits) {
      const done = workbook.apply({ op: 'cell', sheet, cell, value }) as CellOperation | null
      if (done !== null) wanted.set(`${sheet}!${cell}`, done.value)
    }
    const bytes = workbook.bytes()
    const reopened = open(bytes)
    for (const [cell, value] of wanted) if ((cellAt(reopened, cell)?.value ?? '') !== value) throw new Error(`${cell} is not ${JSON.stringify(value)}`)
    const touched = new Set([...wanted.keys()].map(name => name.split('!').at(-1)))
    const cells = (from: Uint8Array) => partOf(from, ORDERS).match(/<c r="[^"]*"[^]*?(?:\/>|<\/c>)/g)!.filter(xml => !touched.has(/r="(\w+)"/.exec(xml)![1]))
    if (cells(bytes).join() !== cells(small).join()) throw new Error('another cell differs')
    const [before, after] = [unzipSync(small), unzipSync(bytes)]
    for (const part of ['xl/sharedStrings.xml', 'xl/unknown/part.bin', 'docProps/core.xml']) {
      if (Buffer.compare(before[part]!, after[part]!) !== 0) throw new Error(`${part} differs`)
    }
  }), { numRuns: 50, examples: [[[['orders', 'A1', '\u2028']]], [[['orders', 'A1', 'a\u0085b']]]] })
  t.pass()
})
