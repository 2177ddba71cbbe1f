import { Node } from 'prosemirror-model'
import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import { schema } from '../../lib/text/schema.js'
import { fixture } from '../support.js'
import { openText } from './prose.js'

for (const [name, ...texts] of [
  ['report.odt', 'Quarterly report — Q3 2026', 'Currency is EUR.'],
  ['deck.odp', 'Title slide', 'Second slide'],
  ['orders.ods', 'region', 'East']
] as const) {
  t.test(`${name} can be read, and is saved as it is`, async t => {
    const bytes = fixture(name)
    const editable = openEditable(name.split('.').at(-1)!, bytes)
    const view = editable.view()
    if (view.kind !== 'readonly') return t.fail(view.kind)
    t.match(view.note, 'cannot edit')
    const doc = Node.fromJSON(schema, view.doc)
    doc.check()
    for (const text of texts) t.match(doc.textContent, text)
    t.equal(editable.apply({ op: 'steps', version: 0, client: 'a', steps: [] }), null)
    t.equal(editable.apply({ op: 'cell', sheet: 'Sheet1', cell: 'A1', value: '1' }), null)
    t.throws(() => editable.replaceText('x'), TypeError)
    t.equal(editable.bytes(), bytes)
  })
}

t.test('byte order mark and line ends survive an edit; so do characters that XML cannot contain', async t => {
  const writer = openText('txt', Buffer.from('\uFEFFa,ż\r\n1,2\f\r\n'))
  t.match(writer.editable.view(), { kind: 'prose', plain: true, levels: {} })
  t.strictSame(writer.state.doc.children.map(({ textContent }) => textContent), ['a,ż', '1,2\f', ''])
  writer.edit(tr => tr.insertText('3', 8, 9))
  t.equal(Buffer.from(writer.editable.bytes()).toString(), '\uFEFFa,ż\r\n1,3\f\r\n')
  t.match(writer.editable.replaceText('x\r\ny\n'), { op: 'steps' })
  t.equal(Buffer.from(writer.editable.bytes()).toString(), '\uFEFFx\r\ny\r\n')
})

t.test('text in an encoding other than UTF-8 is read-only', async t => {
  const latin1 = Buffer.from([0x61, 0xE9, 0x62])
  const editable = openEditable('txt', latin1)
  t.match(editable.view(), { kind: 'readonly', note: /cannot be read/ })
  t.equal(editable.apply({ op: 'steps', version: 0, client: 'a', steps: [] }), null)
  t.throws(() => editable.replaceText('x'), TypeError)
  t.equal(editable.bytes(), latin1)
})
