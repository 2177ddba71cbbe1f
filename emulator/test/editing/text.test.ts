import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import { openText } from './prose.js'

t.test('byte order mark and line ends survive an edit; so do characters that XML cannot contain', async t => {
  const writer = openText('txt', Buffer.from('\uFEFFa,ż\r\n1,2\f\r\n'))
  t.match(writer.editable.view(), { kind: 'prose', plain: true, levels: [], lists: [] })
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
