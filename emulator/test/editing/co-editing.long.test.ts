import type { Node } from 'prosemirror-model'
import { TextSelection } from 'prosemirror-state'
import t from 'tap'
import { createTextEditing } from '../../lib/page/browser/text/editing.js'
import { schema } from '../../lib/text/schema.js'
import { openPages, type Page, paragraphs, randomNumbers } from './pages.js'

const FIRST_WORD = 0x4E00

function withTable (): Node {
  const cell = (text: string) => schema.node('table_cell', null, [schema.node('paragraph', null, [schema.text(text)])])
  const row = (...texts: string[]) => schema.node('table_row', null, texts.map(cell))
  const [first, second] = paragraphs('one two three', 'four five six').children
  return schema.node('doc', null, [first!, schema.node('table', null, [row('a b', 'c d'), row('e f', 'g h')]), second!])
}

function isSame (one: Node, other: Node): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

t.test('pages that type at the same time end with the same text, and every word is there exactly once, even with cut connections', async t => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = randomNumbers(seed)
    const { authority, pages, settle } = openPages(withTable(), 3)
    let typed = ''
    for (let round = 0; round < 60; round++) {
      const page = pages[random(pages.length)]!
      const index = random(page.texts().length)
      const word = String.fromCodePoint(FIRST_WORD + round)
      typed += word
      page.type(index, random(page.texts()[index]!.length + 1), word)
      if (random(5) === 0) page.split(index, random(page.texts()[index]!.length + 1))
      if (random(12) === 0) page.cut()
      for (let steps = random(6); steps > 0; steps--) pages[random(pages.length)]!.step(random(2) === 0 ? 'up' : 'down')
    }
    settle()
    for (const page of pages) if (!isSame(page.state().doc, authority.doc())) t.strictSame(page.texts(), authority.doc().textContent, `seed ${seed}`)
    const text = authority.doc().textContent
    for (const word of typed) if (text.split(word).length !== 2) t.equal(text.split(word).length - 1, 1, `seed ${seed}: ${word}`)
  }
  t.ok(t.passing())
})

/** Any edit, also of several paragraphs and cells. */
function editAtRandom (page: Page, random: (below: number) => number): void {
  const { doc } = page.state()
  const place = () => TextSelection.near(doc.resolve(random(doc.content.size + 1))).from
  const [from = 0, to = 0] = [place(), place()].sort((a, b) => a - b)
  const actions: Array<() => void> = [
    () => page.edit(tr => tr.insertText(`<${random(1000)}>`, from)),
    () => page.edit(tr => tr.delete(from, to)),
    () => page.edit(tr => tr.deleteRange(from, to)),
    () => page.edit(tr => tr.split(from)),
    () => page.edit(tr => tr.addMark(from, to, schema.mark('bold'))),
    () => page.edit(tr => tr.removeMark(from, to, schema.mark('bold'))),
    () => page.edit(tr => tr.setNodeAttribute(doc.resolve(from).before(), 'list', random(2) === 0 ? 'bullet' : null)),
    () => page.edit(tr => tr.replace(to, to, doc.slice(from, to))),
    () => page.edit(tr => tr.insert(from, schema.node('hard_break'))),
    page.editing.undo,
    page.editing.redo
  ]
  actions[random(3) > 0 ? 0 : random(actions.length)]!()
}

t.test('pages that edit anything at random end with the document that the server has, and with a valid one', async t => {
  for (let seed = 1; seed <= 2; seed++) {
    const random = randomNumbers(seed)
    const { authority, pages, settle } = openPages(withTable(), 2 + seed % 2)
    for (let round = 0; round < 300; round++) {
      const page = pages[random(pages.length)]!
      editAtRandom(page, random)
      if (random(40) === 0) page.cut()
      for (let steps = random(4); steps > 0; steps--) pages[random(pages.length)]!.step(random(2) === 0 ? 'up' : 'down')
    }
    settle()
    for (const page of pages) {
      if (!isSame(page.state().doc, authority.doc())) t.equal(String(page.state().doc), String(authority.doc()), `seed ${seed}`)
      if (page.editing.isUnsent()) t.fail(`seed ${seed}: something was not sent`)
    }
  }
  t.ok(t.passing())
})

t.test('what was typed without a connection arrives afterwards, once; what the others typed meanwhile is there', async t => {
  const { authority, pages: [ada, grace], settle } = openPages(paragraphs('one two'), 2)
  ada!.editing.cut()
  ada!.type(0, 3, ' AND')
  ada!.editing.push()
  t.equal(ada!.editing.isTyped(), true)
  grace!.type(0, 0, 'hers: ')
  settle()
  t.equal(authority.doc().textContent, 'hers: one two')
  ada!.cut()
  settle()
  t.strictSame([ada!.texts(), grace!.texts()], [['hers: one AND two'], ['hers: one AND two']])
  ada!.type(0, 0, '!')
  ada!.step('up')
  ada!.cut() // before the answer
  settle()
  t.strictSame(grace!.texts(), ['!hers: one AND two'])
  t.equal(ada!.editing.isUnsent(), false)
})

t.test('a replaced document is shown as it is', async t => {
  const { authority, pages: [ada, grace], settle } = openPages(paragraphs('one'), 2)
  ada!.type(0, 3, ' typed')
  authority.replace(paragraphs('another', 'document'))
  for (const page of [ada!, grace!]) page.editing.replaced(authority.content())
  settle()
  t.strictSame(ada!.texts(), ['another', 'document'])
  grace!.type(1, 8, 's')
  settle()
  t.strictSame(ada!.texts(), ['another', 'documents'])
})

t.test('steps that the document server does not take are not sent again and again', async t => {
  const sent: Array<{ readonly batch: number }> = []
  let dispatch: Parameters<Parameters<typeof createTextEditing>[0]['show']>[2] = () => {}
  let shown: Parameters<Parameters<typeof createTextEditing>[0]['show']>[1] | undefined
  const editing = createTextEditing({
    send (message) {
      sent.push(message as typeof sent[number])
      return true
    },
    show (_content, state, make) {
      [shown, dispatch] = [state, make]
      return { update (next) { shown = next }, destroy () {}, focus () {}, caret: () => '', place: () => null, mark () {}, reveal () {} }
    },
    dirty () {}
  })
  editing.opened({ kind: 'prose', epoch: 'e', version: 0, doc: paragraphs('a').toJSON(), plain: false, levels: {} }, 'me')
  dispatch(shown!.tr.insertText('x', 1))
  editing.push()
  editing.received(sent[0]!.batch)
  t.equal(sent.length, 1)
  dispatch(shown!.tr.insertText('y', 1))
  editing.push()
  t.equal(sent.length, 2, 'with the next edit')
})

t.test('a user\'s own last edit is undone and redone; later edits of others stay, even in the same paragraph', async t => {
  const { authority, pages: [ada, grace], settle } = openPages(paragraphs('one two three'), 2)
  ada!.type(0, 3, ' AND A HALF')
  settle()
  grace!.type(0, 0, 'zero ')
  grace!.type(0, grace!.texts()[0]!.length, ' four')
  settle()
  ada!.editing.undo()
  settle()
  for (const page of [ada, grace]) t.strictSame(page!.texts(), ['zero one two three four'])
  ada!.editing.undo()
  settle()
  t.strictSame(grace!.texts(), ['zero one two three four'], 'nothing else of hers is left')
  ada!.editing.redo()
  settle()
  for (const page of [ada, grace]) t.strictSame(page!.texts(), ['zero one AND A HALF two three four'])
  for (let count = 0; count < 2; count++) grace!.editing.undo()
  settle()
  t.equal(authority.doc().textContent, 'one AND A HALF two three', 'and her edits do not count as his')
})
