import t from 'tap'
import { libreOffice } from '../../lib/documents/converter/libre-office.js'
import { openEditable } from '../../lib/documents/open.js'
import { partOf, richWorkbook } from '../../../test/fixtures/workbook.js'
import { cellAt, set } from './cells.js'

const rich = richWorkbook()
const ORDERS = 'xl/worksheets/sheet1.xml'
const open = (bytes: Uint8Array = rich) => openEditable('xlsx', bytes)

const office = await libreOffice(undefined)
t.test('an office suite opens the saved workbook and calculates the new values', {
  skip: office === null ? 'LibreOffice is not installed' : false
}, async t => {
  const workbook = open()
  for (const [cell, value] of [['C2', '1000'], ['Summary!F9', '=Summary!B2+C2'], ['B2', 'Ünï <&>'], [
    'E2', '2027-01-05'
  ]] as const) set(workbook, cell, value)
  const before = [...partOf(rich, ORDERS).matchAll(/<c r="C(\d+)"[^>]* t="n"><v>(\d+)/g)].reduce(
    (sum, [, row, units]) => sum + (row === '2' ? 0 : Number(units)),
    0
  )
  const calculated = open((await office!(workbook.bytes(), 'xlsx', 'xlsx'))!)
  const sum = before + 1000
  t.equal(cellAt(calculated, 'Summary!B2')?.text, String(sum))
  t.match(cellAt(calculated, 'Summary!B3'), { value: '=B2*2', text: `${(2 * sum).toLocaleString('en')}.00` })
  t.equal(cellAt(calculated, 'Summary!F9')?.text, String(sum + 0.25))
  t.equal(cellAt(calculated, 'Summary!A6')?.text, 'low')
  t.equal(cellAt(calculated, 'B2')?.text, 'Ünï <&>')
  t.equal(cellAt(calculated, 'E2')?.text, '2027-01-05')
})
