import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'

t.test('byte order mark and line ends survive an edit', async t => {
  const editable = await openEditable('txt', Buffer.from('\uFEFFa,ż\r\n1,2\r\n'))
  t.strictSame(editable.view(), { kind: 'text', text: 'a,ż\n1,2\n' })
  t.equal(editable.apply({ op: 'text', text: 'a,ż\n1,2\n' }), null)
  t.ok(editable.apply({ op: 'text', text: 'a,ż\n1,3\n' }))
  t.equal(Buffer.from(editable.bytes()).toString(), '\uFEFFa,ż\r\n1,3\r\n')
})

t.test('text in an encoding other than UTF-8 is read-only', async t => {
  const latin1 = Buffer.from([0x61, 0xE9, 0x62])
  const editable = await openEditable('txt', latin1)
  t.match(editable.view(), { kind: 'readonly', note: /cannot be read/ })
  t.equal(editable.apply({ op: 'text', text: 'x' }), null)
  t.throws(() => editable.replaceText('x'), TypeError)
  t.equal(editable.bytes(), latin1)
})
