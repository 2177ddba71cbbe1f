import t from 'tap'
import { openPages, type Page, paragraphs, randomNumbers } from './pages.js'

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

t.test('of two who wrote the same word at one place, each takes back the own one', async t => {
  for (const base of ['', 'one ']) {
    for (const [mine, theirs] of [['an', 'and'], ['a', 'aba'], ['ban', 'an'], ['the', 'the'], [' ab', ' aab']] as const) {
      for (const order of [['ada', 'grace'], ['grace', 'ada']] as const) {
        const { pages: [ada, grace], settle } = openPages(paragraphs(base), 2)
        const by = { ada: ada!, grace: grace! }
        ada!.type(0, base.length, mine)
        grace!.type(0, base.length, theirs)
        for (const name of order) by[name].step('up')
        settle()
        ada!.editing.undo()
        settle()
        t.strictSame([ada!.texts(), grace!.texts()], [[base + theirs], [base + theirs]], JSON.stringify({ mine, theirs, order }))
      }
    }
  }
})

t.test('undo restores a split paragraph, a joined one, deleted text and formats', async t => {
  const { authority, pages: [ada, grace], settle } = openPages(paragraphs('one two three', 'four five six'), 2)
  const before = authority.doc()
  for (const act of [
    () => ada!.split(1, 4),
    () => ada!.join(1),
    () => ada!.type(0, 2, '', 7),
    () => ada!.bold(1, 0, 6)
  ]) {
    act()
    settle()
    const edited = authority.doc()
    t.notOk(edited.eq(before))
    ada!.editing.undo()
    settle()
    for (const { doc } of [grace!.state(), { doc: authority.doc() }]) t.ok(doc.eq(before))
    ada!.editing.redo()
    settle()
    t.ok(grace!.state().doc.eq(edited))
    ada!.editing.undo()
    settle()
  }
})

t.test('an edit made before the connection was cut can be undone after reconnecting', async t => {
  const { pages: [ada, grace], settle } = openPages(paragraphs('one two'), 2)
  ada!.type(0, 3, ' AND')
  ada!.cut()
  grace!.type(0, 0, 'hers: ')
  settle()
  ada!.cut()
  ada!.editing.undo()
  settle()
  t.strictSame(grace!.texts(), ['hers: one two'])
})

t.test('undoing everything a user typed keeps what others typed, and redoing restores it', async t => {
  for (let seed = 1; seed <= 15; seed++) {
    const random = randomNumbers(seed)
    const { pages, settle } = openPages(paragraphs('one two three', 'four five six'), 2)
    const typed = ['', '']
    for (let round = 0; round < 30; round++) {
      const number = random(2)
      const page = pages[number]!
      const index = random(page.texts().length)
      // Each in a half: what somebody types into the text that another takes back goes with it.
      const middle = page.texts()[index]!.indexOf(index === 0 ? 'two' : 'five')
      const word = String.fromCodePoint(0x4E00 + round)
      typed[number] += word
      page.type(index, number === 0 ? random(middle + 1) : middle + 1 + random(page.texts()[index]!.length - middle), word)
      if (random(5) === 0) page.editing.undo()
      if (random(12) === 0) page.cut()
      for (let steps = random(5); steps > 0; steps--) pages[random(2)]!.step(random(2) === 0 ? 'up' : 'down')
    }
    for (let count = 0; count < 40; count++) pages[0]!.editing.redo()
    settle()
    const before = wordsOf(pages[0]!)
    for (let count = 0; count < 40; count++) pages[0]!.editing.undo()
    settle()
    t.strictSame(wordsOf(pages[1]!), before.filter(word => typed[1]!.includes(word)), `seed ${seed}: undone`)
    for (let count = 0; count < 40; count++) pages[0]!.editing.redo()
    settle()
    t.strictSame(wordsOf(pages[1]!), before, `seed ${seed}: done again`)
    t.strictSame(pages[0]!.texts(), pages[1]!.texts(), `seed ${seed}`)
  }
})

function wordsOf (page: Page): string[] {
  return [...page.texts().join('').replace(/[^\u4E00-\u5000]/g, '')].sort()
}
