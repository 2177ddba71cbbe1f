import t from 'tap'
import { libreOffice } from '../../lib/documents/converter/libre-office.js'
import { openEditable } from '../../lib/documents/open.js'
import { withParts } from '../../../test/fixtures/workbook.js'
import { fixture } from '../support.js'
import { cellAt, set, sheetsOf } from './cells.js'
import { formula, row, string } from './ods.js'

const office = await libreOffice(undefined)
t.test('LibreOffice opens the saved .ods and calculates the formulas that read an edited cell', {
  skip: office === null ? 'LibreOffice is not installed' : false
}, async t => {
  const formulas = row(formula('SUM([.C2:.C3])', 524) + formula('[.A1]*2', 1048) + formula('IF([.B1]&gt;1100;&quot;big&quot;;&quot;small&quot;)', 0))
  const orders = withParts(fixture('orders.ods'), {
    'content.xml': xml => xml.replace('<table:table-row ', `${formulas}<table:table-row `).replace('[.C2:.C3]', '[.C3:.C4]')
      .replace('</table:table><', `${row(string('a', 'table:number-columns-repeated="3"'), 'table:number-rows-repeated="3"')}</table:table><`)
  })
  const editable = openEditable('ods', orders)
  const last = Number(Object.keys(sheetsOf(editable)[0]!.cells).at(-1)!.slice(1))
  for (const [cell, value] of [
    ['C3', '1000'], ['B3', 'Ünï  <&>\nline'], ['E3', '2027-01-05'], ['E4', 'soon'], ['G9', '50%'], ['H9', '2027-02-03'], ['I9', 'TRUE'],
    [`B${last - 1}`, 'b'], [`D${last + 5}`, '7']
  ] as const) t.ok(set(editable, cell, value), cell)
  const calculated = openEditable('xlsx', (await office!(editable.bytes(), 'ods', 'xlsx'))!)
  for (const [cell, text] of [
    ['A1', '1038'], ['B1', '2076'], ['C1', 'big'], ['C3', '1000'], ['B3', 'Ünï  <&>\nline'], ['E3', '2027-01-05'],
    ['E4', 'soon'], ['G9', '50%'], ['I9', 'TRUE'], [`A${last - 1}`, 'a'], [`B${last - 1}`, 'b'], [`B${last}`, 'a'],
    [`D${last + 5}`, '7']
  ] as const) t.equal(cellAt(calculated, cell)?.text, text, cell)
  t.equal(cellAt(calculated, 'H9')?.value, '2027-02-03')
})
