import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import { createGridEditing } from '../../lib/page/browser/grid/editing.js'

type Editing = ReturnType<typeof createGridEditing>
type Content = Parameters<Editing['opened']>[0]

/** A page that shows cells nowhere. */
function openPage () {
  const sent: Array<{ readonly batch: number, readonly operations: object[] }> = []
  let valueOf = (_cell: string) => ''
  const editing = createGridEditing({
    send: message => Boolean(sent.push(message as typeof sent[number])),
    show (_content, { cellAt }) {
      valueOf = cell => cellAt(`Sheet1!${cell}`).value
      return {
        changed () {}, renew () {}, focus () {}, commit () {}, isOpen: () => false, cancel () {}, cell: () => '', place: () => null, mark () {}
      }
    },
    dirty () {}
  })
  return { editing, sent, valueOf: (cell: string) => valueOf(cell) }
}

const content = openEditable('csv', Buffer.from('a,b\n')).view() as Content
const theirs = { op: 'cell' as const, sheet: 'Sheet1', cell: 'A1', value: 'theirs', shown: { value: 'theirs', text: 'theirs' } }
const mine = { op: 'cell' as const, sheet: 'Sheet1', cell: 'A1', value: 'mine', shown: { value: 'mine', text: 'mine' } }

t.test('a value on its way stays visible while others set the cell; then what the document server has is shown', async t => {
  const { editing, sent, valueOf } = openPage()
  editing.opened(content, '', -1)
  editing.setCell('Sheet1!A1', 'mine')
  editing.push()
  t.match(sent, [{ operations: [{ cell: 'A1', value: 'mine' }] }])
  editing.apply(theirs, false)
  t.equal(valueOf('A1'), 'mine')
  editing.apply(mine, true)
  editing.received(1)
  t.equal(valueOf('A1'), 'mine')
  editing.apply(theirs, false)
  t.equal(valueOf('A1'), 'theirs')
  editing.setCell('Sheet1!B1', 'refused')
  editing.push()
  editing.received(2)
  t.equal(valueOf('B1'), 'b')
  t.equal(editing.isUnsent(), false)
})

t.test('without a connection it waits; what did not arrive is sent again, once, and later typing wins', async t => {
  for (const arrived of [false, true]) {
    const { editing, sent } = openPage()
    editing.opened(content, '', -1)
    editing.setCell('Sheet1!A1', 'mine')
    editing.push()
    editing.cut()
    editing.setCell('Sheet1!B1', 'later')
    editing.push()
    t.equal(sent.length, 1)
    editing.opened(content, '', arrived ? 1 : 0)
    t.strictSame(sent[1]!.operations.map(operation => (operation as { value: string }).value).sort(), arrived ? ['later'] : ['later', 'mine'])
  }
})
