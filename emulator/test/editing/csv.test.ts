import fc from 'fast-check'
import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import { cellAt, set, sheetsOf } from './cells.js'

const open = (text: string) => openEditable('csv', Buffer.from(text))
const textOf = (editable: ReturnType<typeof open>) => Buffer.from(editable.bytes()).toString()

t.test('an edited CSV file is written as the document server does: a byte order mark, commas, line feeds, numbers anew, an empty cell more', async t => {
  for (const [before, cell, value, after] of [
    ['\uFEFFa,ż\r\n1,2\r\n', 'B2', '3', '\uFEFFa,ż,\n1,3,\n'],
    ['"a","b"\n"1,5", 2 \n', 'A1', 'x', '\uFEFFx,b,\n"1,5", 2 ,\n'],
    ['a,b\n007,2.50', 'B2', '1e3', '\uFEFFa,b,\n7,1000,\n'],
    ['"a,",b\n', 'B1', 'true', '\uFEFF"a,",TRUE,\n'],
    ['a,b\n"say ""hi""",2\n', 'B2', '"quoted", and\nmore', '\uFEFFa,b,\n"say ""hi""","""quoted"", and\nmore",\n'],
    ['a,b"c,d\n', 'A1', 'x', '\uFEFFx,"b""c",d,\n'],
    ['a,b\n', 'D1', 'x', '\uFEFFa,b,,x,\n'],
    ['a,b\r\n1', 'A4', 'x', '\uFEFFa,b,\n1,\n,,\nx,,\n'],
    ['', 'B1', 'x', '\uFEFF,x,\n'],
    ['a,\n', 'B1', 'x', '\uFEFFa,x,\n']
  ] as const) {
    const editable = open(before)
    t.ok(set(editable, cell, value), JSON.stringify(before))
    t.equal(textOf(editable), after)
  }
})

t.test('a CSV file is one sheet of strings, with commas between them whatever they contain; numbers are right-aligned', async t => {
  const [sheet] = sheetsOf(open('name,n\na;b,1.5\n\n"x ""y""",007\n'))
  t.strictSame(sheet!.cells, {
    A1: { value: 'name', text: 'name' },
    B1: { value: 'n', text: 'n' },
    A2: { value: 'a;b', text: 'a;b' },
    B2: { value: '1.5', text: '1.5', align: 'right' },
    A4: { value: 'x "y"', text: 'x "y"' },
    B4: { value: '007', text: '007', align: 'right' }
  })
})

t.test('an edit that changes nothing or is out of range leaves the file unchanged', async t => {
  const bytes = Buffer.from('a,"b"\n')
  const editable = openEditable('csv', bytes)
  for (const [cell, value] of [['B1', 'b'], ['C9', ''], ['A5000', 'x'], ['XFD1', 'x'], ['nothing', 'x']] as const) {
    t.equal(set(editable, cell, value), null, cell)
  }
  t.equal(editable.bytes(), bytes)
})

t.test('setting any cell stores its value and keeps those of all others', async t => {
  const field = fc.oneof(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é') }), fc.integer().map(String))
  const file = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(file, fc.nat(7), fc.nat(5), field, fc.constantFrom('\n', '\r\n'), (rows, row, column, value, end) => {
      const quoted = rows.map(fields => fields.map(field => `"${field.replaceAll('"', '""')}"`).join(',')).join(end) +
        end
      const editable = open(quoted)
      const cell = `${'ABCDEF'[column]}${row + 1}`
      if (set(editable, cell, value) === null) return
      const again = open(textOf(editable))
      if (
        (cellAt(again, cell)?.value ?? '').replace(/\r\n?/g, '\n') !== value.replace(/\r\n?/g, '\n')
      ) throw new Error(JSON.stringify([textOf(editable), cell]))
      const others = (of: ReturnType<typeof open>) =>
        JSON.stringify(
          Object.entries(sheetsOf(of)[0]!.cells).filter(([name, { value }]) => name !== cell && value !== '')
        )
      if (others(again) !== others(open(quoted))) throw new Error(JSON.stringify(textOf(editable)))
    }),
    { numRuns: 60 }
  )
  t.pass()
})
