import fc from 'fast-check'
import { unzipSync } from 'fflate'
import t from 'tap'
import { partOf, withParts } from '../../../test/fixtures/workbook.js'
import { emptyTemplate } from '../../lib/documents/empty/template.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'
import type { CellOperation, GridSheet } from '../../lib/documents/grid.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'
import { cellAt, set, sheetsOf } from './cells.js'
import { formula, number, openSheetFile, row, string } from './ods.js'

const orders = fixture('orders.ods')
const open = (bytes: Uint8Array) => openEditable('ods', bytes)
const openRows = (...args: Parameters<typeof openSheetFile>) => open(openSheetFile(...args))
const rowsOf = (editable: ReturnType<typeof open>) =>
  /<table:table-row.*<\/table:table-row>/s.exec(partOf(editable.bytes(), 'content.xml'))![0]
    .replace(/ (?:xmlns:\w+="[^"]*")|(?<=row|cell) (?=>)/g, '')

t.test('an .ods opens as its visible sheets, with values as they are shown', async t => {
  const editable = open(orders)
  const [sheet] = sheetsOf(editable)
  t.match(sheet, { name: 'orders', merged: [], locked: [], widths: { 1: 4, 5: 10 } })
  t.strictSame(sheet!.cells.B2, { value: 'East', text: 'East' })
  t.strictSame(sheet!.cells.D2, { value: '25.71', text: '25.71', align: 'right' })
  t.strictSame(sheet!.cells.E2, { value: '2026-07-21', text: '2026-07-21', align: 'right' })
  t.equal(editable.bytes(), orders, 'nothing was changed')
  t.throws(() => editable.replaceText('x'), { message: /Only texts can be edited/ })
})

t.test('an edit changes its cell only; every other part keeps its bytes', async t => {
  const editable = open(orders)
  t.match(set(editable, 'C2', '500'), { value: '500', shown: { text: '500', align: 'right' } })
  t.equal(set(editable, 'C2', '500'), null)
  const [before, after] = [unzipSync(orders), unzipSync(editable.bytes())]
  t.strictSame(Object.keys(after), Object.keys(before))
  for (const [name, bytes] of Object.entries(before)) {
    if (name !== 'content.xml') t.strictSame(after[name], bytes, name)
  }
  const reopened = withParts(editable.bytes(), {
    'content.xml': xml => xml.replace('office:value="500"><text:p>500<', 'office:value="486" calcext:value-type="float"><text:p>486<')
  })
  const canonical = (bytes: Uint8Array) => partOf(bytes, 'content.xml').replace(/[\n']|&apos;/g, '')
  t.equal(canonical(reopened), canonical(orders))
})

t.test('a repeated row or cell is split only where it is edited', async t => {
  const editable = openRows(
    row(`${string('a', 'table:number-columns-repeated="3"')}<table:table-cell table:number-columns-repeated="16381"/>`, 'table:number-rows-repeated="3"') +
    row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048573"')
  )
  t.equal(Object.keys(sheetsOf(editable)[0]!.cells).length, 9)
  set(editable, 'B2', '1')
  set(editable, 'XFD1048576', 'end')
  t.equal(rowsOf(editable), [
    row('<table:table-cell office:value-type="string" table:number-columns-repeated="3"><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16381"/>'),
    row('<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16381"/>'),
    row('<table:table-cell office:value-type="string" table:number-columns-repeated="3"><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16381"/>'),
    row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048572"'),
    row('<table:table-cell table:number-columns-repeated="16383"/><table:table-cell office:value-type="string"><text:p>end</text:p></table:table-cell>')
  ].join('').replace(/(?<=row|cell) (?=>)/g, ''))
})

t.test('cells after the last row and cell are added, also after grouped rows', async t => {
  const editable = openRows(`<table:table-header-rows>${row(string('a'))}</table:table-header-rows><table:table-row-group>${row(string('b'))}</table:table-row-group><table:named-expressions/>`)
  set(editable, 'C1', 'x')
  set(editable, 'B5', 'y')
  t.match(partOf(editable.bytes(), 'content.xml'), /<\/table:table-row-group><table:table-row table:number-rows-repeated="2"><table:table-cell\/><\/table:table-row><table:table-row><table:table-cell\/><table:table-cell office:value-type="string"><text:p>y<\/text:p><\/table:table-cell><\/table:table-row><table:named-expressions\/>/)
  t.strictSame(Object.keys(sheetsOf(open(editable.bytes()))[0]!.cells), ['A1', 'C1', 'A2', 'B5'])
})

const STYLES = `<number:date-style style:name="N1"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>
<number:percentage-style style:name="N2"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>
<number:currency-style style:name="N3P"><number:currency-symbol>€</number:currency-symbol><number:text> </number:text><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:currency-style>
<number:currency-style style:name="N3"><number:text>-</number:text><number:currency-symbol>€</number:currency-symbol><number:text> </number:text><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/><style:map style:condition="value()&gt;=0" style:apply-style-name="N3P"/></number:currency-style>
<number:text-style style:name="N4"><number:text-content/></number:text-style>
<number:time-style style:name="N5" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>
${[1, 2, 3, 4, 5].map(index => `<style:style style:name="c${index}" style:family="table-cell" style:data-style-name="N${index}"/>`).join('')}
<style:style style:name="c6" style:family="table-cell" style:parent-style-name="c2"><style:text-properties fo:font-weight="bold"/><style:paragraph-properties fo:text-align="center"/></style:style>
<style:style style:name="wide" style:family="table-column"><style:table-column-properties style:column-width="5cm"/></style:style>
<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>`

t.test('typed input becomes a number, a text, a truth value, a date, a time, a percentage or money, in the format of the cell', async t => {
  const styled = [1, 2, 3, 4, 5, 6].map(index => `<table:table-cell table:style-name="c${index}"/>`).join('')
  const editable = openRows(row(styled, 'table:number-rows-repeated="2"'), STYLES)
  set(editable, 'C2', '1')
  const money = openRows(row('<table:table-cell table:style-name="c3" office:value-type="currency" office:currency="EUR" office:value="1"><text:p>€ 1.00</text:p></table:table-cell>'), STYLES)
  for (const [of, cell, typed, xml, shown] of [
    [editable, 'A1', '5.1.2027', 'office:value-type="date" office:date-value="2027-01-05"', { value: '2027-01-05', text: '05.01.2027' }],
    [editable, 'A2', '2027-01-05 18:30', 'office:value-type="date" office:date-value="2027-01-05T18:30:00"', { value: '2027-01-05 18:30:00', text: '05.01.2027' }],
    [editable, 'B1', '12.5%', 'office:value-type="percentage" office:value="0.125"', { value: '12.5%', text: '12.5%' }],
    [editable, 'B2', '2', 'office:value-type="percentage" office:value="2"', { value: '200%', text: '200.0%' }],
    [editable, 'C1', '-1234.5', 'office:value-type="float" office:value="-1234.5"', { value: '-1234.5', text: '-€ 1,234.50' }],
    [money, 'A1', '1234.5', 'office:value-type="currency" office:value="1234.5" office:currency="EUR"', { value: '1234.5', text: '€ 1,234.50' }],
    [editable, 'D1', '007', 'office:value-type="string"', { value: '007', text: '007' }],
    [editable, 'E1', '30:15', 'office:value-type="time" office:time-value="PT30H15M0S"', { value: '30:15:00', text: '30:15' }],
    [editable, 'F1', '1', 'office:value-type="percentage"', { text: '100.0%', bold: true, align: 'center' }],
    [editable, 'G1', '2027-01-05', 'office:value-type="date" office:date-value="2027-01-05"', { text: '2027-01-05' }],
    [editable, 'G2', '50%', 'office:value-type="percentage" office:value="0.5"', { value: '50%', text: '50%' }],
    [editable, 'H1', 'true', 'office:value-type="boolean" office:boolean-value="true"', { value: 'TRUE', text: 'TRUE', align: 'center' }],
    [editable, 'H2', "'7", 'office:value-type="string"', { value: "'7", text: '7' }],
    [editable, 'I1', ' a  b\tc\n\n<d>', '<text:p><text:s/>a<text:s text:c="2"/>b<text:tab/>c</text:p><text:p/><text:p>&lt;d&gt;</text:p>', { value: ' a  b\tc\n\n<d>' }],
    [editable, 'I2', '=A1+1', 'office:value-type="string"', { value: "'=A1+1", text: '=A1+1' }]
  ] as const) {
    t.match(set(of, cell, typed), { shown }, cell)
    t.ok(partOf(of.bytes(), 'content.xml').includes(xml), `${cell}: ${xml}`)
    t.match(cellAt(open(of.bytes()), cell), shown, `${cell} again`)
  }
  set(editable, 'A1', '')
  t.ok(rowsOf(editable).startsWith('<table:table-row><table:table-cell table:style-name="c1"/>'))
  t.equal(cellAt(editable, 'A1'), undefined)
})

t.test('comments and pictures in a cell stay', async t => {
  const editable = openRows(row('<table:table-cell office:value-type="string"><office:annotation><text:p>note</text:p></office:annotation><text:p>a</text:p></table:table-cell>'))
  t.equal(cellAt(editable, 'A1')?.text, 'a')
  set(editable, 'A1', 'b')
  t.match(rowsOf(editable), '<office:annotation><text:p>note</text:p></office:annotation><text:p>b</text:p></table:table-cell>')
})

t.test('merged, hidden and protected cells are shown as such and cannot be set where that is not visible', async t => {
  const covered = '<table:covered-table-cell/>'
  const columns = '<table:table-column table:style-name="wide"/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
  const editable = openRows(`<table:table table:name="S">${columns}${row(string('a', 'table:number-columns-spanned="2" table:number-rows-spanned="2"') + covered)}${row(covered + covered)}${row(string('b'), 'table:visibility="filter" table:number-rows-repeated="2"')}</table:table><table:table table:name="off" table:style-name="off">${row(string('x'))}</table:table><table:table table:name="P" table:protected="true">${row(string('x'))}</table:table>`, STYLES)
  t.match(sheetsOf(editable), [
    { name: 'S', merged: ['A1:B2'], hiddenRows: [3, 4], hiddenColumns: [2, 3], widths: { 1: 25 } },
    { name: 'P', locked: [{ why: 'This sheet is protected' }] }
  ])
  for (const cell of ['B1', 'A2', 'B2', 'off!A1', 'P!A1', 'P!Z99', 'nothing', 'XFE1', 'missing!A1']) t.equal(set(editable, cell, 'y'), null, cell)
  t.ok(set(editable, 'A1', 'y'))
})

t.test('formulas are locked, and lose their value when what they read changes', async t => {
  const tables = `<table:table table:name="S">${row(number(1) + formula('[.A1]*2', 2) + formula('[.B1]+1', 3))}${row(number(1) + formula('SUM([$\'It\'\'s\'.A1:.A2])', 5))}${row(string('x') + formula('SUM([.A1:.A2];&quot;;[.A9]&quot;)', 2, 'table:number-matrix-columns-spanned="2" table:number-matrix-rows-spanned="1"') + number(2))}</table:table><table:table table:name="It's">${row(number(5) + formula('[S.A1]', 1))}</table:table><table:database-ranges/><table:data-pilot-tables><table:data-pilot-table table:target-range-address="S.A9:S.B12"/></table:data-pilot-tables>`
  const editable = openRows(tables)
  t.strictSame(cellAt(editable, 'B2'), { value: "=SUM('It''s'!A1:A2)", text: '5', align: 'right' })
  t.strictSame(sheetsOf(editable)[0]!.locked, [
    { range: 'B1:B2', why: 'Formulas of .ods files are not edited here' },
    { range: 'C1', why: 'Formulas of .ods files are not edited here' },
    { range: 'B3:C3', why: 'One formula fills these cells' },
    { range: 'A9:B12', why: 'A pivot table fills these cells' }
  ])
  for (const cell of ['B1', 'C3', 'A9']) t.equal(set(editable, cell, '1'), null, cell)
  t.strictSame(Object.keys((set(editable, 'A1', '7') as CellOperation).others!), ['S!B1', 'S!B3', "It's!B1", 'S!C1'])
  t.match(cellAt(editable, 'C1'), { value: '=B1+1', text: '3', stale: true })
  t.match(rowsOf(editable), '<table:table-cell table:formula="of:=[.A1]*2"/>')
  t.match(cellAt(editable, 'B2'), { text: '5' }, 'a formula that reads something else')
  t.match(cellAt(open(editable.bytes()), 'C1'), { text: '=B1+1', stale: true })
})

t.test('empty files can be typed into', async t => {
  const editable = open(emptyTemplate('ods'))
  for (const [cell, value] of [['A1', 'a'], ['C4', '5'], ['A2', '=']] as const) t.ok(set(editable, cell, value))
  t.strictSame(Object.entries(sheetsOf(open(editable.bytes()))[0]!.cells).map(([cell, { text }]) => `${cell} ${text}`), ['A1 a', 'A2 =', 'C4 5'])
})

t.test('a sheet of any size shows its beginning, and hostile numbers do no harm', async t => {
  const repeats = (rows: string, columns: string) =>
    row(string('a', `table:number-columns-repeated="${columns}"`), `table:number-rows-repeated="${rows}"`)
  const [{ cells, ...size }] = sheetsOf(openRows(repeats('1048576', '16384'))) as [GridSheet]
  t.match(size, { rows: 1001, columns: 100, omitted: /of 1,048,576 rows/ })
  t.equal(Object.keys(cells).length, 100_000)
  for (const count of ['1e300', '-1', '0.5', 'x', '']) t.equal(sheetsOf(openRows(repeats(count, count)))[0]!.cells.A1!.text, 'a')
  t.equal(openRows('<table:table-row><table:table-cell>'.repeat(200) + '</table:table-cell></table:table-row>'.repeat(200)).view().kind, 'readonly')
  t.equal(openRows(row('<table:table-cell/>'.repeat(400_000))).view().kind, 'readonly')
  const text = textBlocks('ods', openSheetFile(repeats('9', '9') + row(string('b') + '<table:covered-table-cell/>' + string('c'))))
  t.strictSame(text, [{ text: Array(9).fill('a').join('\t') }, { text: 'b\t\tc' }])
})

t.test('many edits in repeated rows and cells leave what a simple model of the sheet has', async t => {
  const columns = 'ABCDEFGH'
  const model = new Map<string, string>()
  let repeated = ''
  for (const [at, [rows, cells]] of [[3, [2, 1, 3]], [1, [1, 1]], [4, [4]]].entries() as Iterable<[number, [number, number[]]]>) {
    const first = [1, 4, 5][at]!
    let column = 0
    let xml = ''
    for (const count of cells) {
      xml += string(`v${at}${column}`, `table:number-columns-repeated="${count}"`)
      for (let c = column; c < column + count; c++) {
        for (let r = first; r < first + rows; r++) model.set(`${columns[c]}${r}`, `v${at}${column}`)
      }
      column += count
    }
    repeated += row(xml, `table:number-rows-repeated="${rows}"`)
  }
  const value = fc.constantFrom('', '1', '-2.5', 'text', 'two\nlines', ' blanks  ', 'TRUE', '<&>')
  const edit = fc.tuple(fc.constantFrom(...columns), fc.integer({ min: 1, max: 12 }), value)
  fc.assert(fc.property(fc.array(edit, { minLength: 200, maxLength: 200 }), edits => {
    const editable = openRows(repeated)
    const now = new Map(model)
    for (const [column, row, value] of edits) {
      set(editable, `${column}${row}`, value)
      now.set(`${column}${row}`, value)
    }
    const expected = [...now].filter(([, value]) => value !== '').sort()
    for (const of of [editable, open(editable.bytes())]) {
      const cells = Object.entries(sheetsOf(of)[0]!.cells).map(([cell, { value }]) => [cell, value]).sort()
      if (JSON.stringify(cells) !== JSON.stringify(expected)) throw new Error(JSON.stringify([cells, expected]))
    }
  }), { numRuns: 10, endOnFailure: true })
})
