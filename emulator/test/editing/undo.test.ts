import { unzipSync } from 'fflate'
import t from 'tap'
import { createHistory } from '../../lib/browser/writing/history.js'
import { openPages, type Page } from './pages.js'
import { randomNumbers } from './simulation.js'

t.test('a user\'s own last edit is undone and redone; later edits of others stay, even in the same paragraph', async t => {
  for (const fileType of ['docx', 'txt'] as const) {
    const { editable, pages: [ada, grace], settle } = await openPages(fileType, 2, 'one two three')
    ada!.type(0, 3, ' AND A HALF')
    settle()
    grace!.type(0, 0, 'zero ')
    grace!.type(0, grace!.texts()[0]!.length, ' four')
    settle()
    ada!.editing.undo()
    settle()
    for (const page of [ada, grace]) t.strictSame(page!.texts(), ['zero one two three four'], fileType)
    ada!.editing.undo()
    settle()
    t.strictSame(grace!.texts(), ['zero one two three four'], 'nothing else of hers is left')
    ada!.editing.redo()
    settle()
    for (const page of [ada, grace]) t.strictSame(page!.texts(), ['zero one AND A HALF two three four'])
    grace!.editing.undo()
    settle()
    t.match(JSON.stringify(editable.view()), 'one AND A HALF two three', 'and her edits do not count as his')
    t.strictSame(ada!.texts(), ['one AND A HALF two three'], 'all that was typed without a pause')
  }
})

t.test('edits of others inside the undone text stay', async t => {
  const { pages: [ada, grace], settle } = await openPages('docx', 2, 'one')
  ada!.type(0, 3, ' two three')
  settle()
  grace!.type(0, 7, ', hers,')
  settle()
  ada!.editing.undo()
  settle()
  t.strictSame(grace!.texts(), ['one, hers,'])
})

t.test('edits of others in a paragraph while it was joined with another stay when the join is undone', async t => {
  const { pages: [ada, grace], settle } = await openPages('docx', 2, 'one\ntwo')
  grace!.type(1, 0, 'hers', 3)
  grace!.step('up')
  ada!.join(1)
  settle()
  ada!.editing.undo()
  settle()
  for (const page of [ada, grace]) t.match(page!.texts().join(), /^one,.*hers/)
})

t.test('concurrent insertions at the same position are told apart, even if they are the same word', async t => {
  for (const fileType of ['docx', 'txt'] as const) {
    for (const base of ['', 'one ']) {
      for (const [mine, theirs] of [['an', 'and'], ['a', 'aba'], ['ban', 'an'], ['the', 'the'], [' ab', ' aab']] as const) {
        for (const order of [['ada', 'grace'], ['grace', 'ada']] as const) {
          const { pages: [ada, grace], settle } = await openPages(fileType, 2, base)
          const by = { ada: ada!, grace: grace! }
          ada!.type(0, base.length, mine)
          grace!.type(0, base.length, theirs)
          for (const name of order) by[name].step('up')
          settle()
          ada!.editing.undo()
          settle()
          t.strictSame([ada!.texts(), grace!.texts()], [[base + theirs], [base + theirs]], JSON.stringify({ fileType, mine, theirs, order }))
        }
      }
    }
  }
})

t.test('typing continues while others edit: only the user\'s own text is undone', async t => {
  const { pages: [ada, grace], settle } = await openPages('txt', 2, 'x')
  for (const letter of 'abc') {
    ada!.type(0, ada!.texts()[0]!.length, letter)
    grace!.type(0, 0, letter.toUpperCase())
    settle()
  }
  t.strictSame(grace!.texts(), ['CBAxabc'])
  ada!.editing.undo()
  settle()
  t.strictSame(grace!.texts(), ['CBAx'])
})

t.test('undo restores a split paragraph, a joined one, and formatting and links', async t => {
  const { editable, pages: [ada, grace], settle } = await openPages('docx', 2)
  const before = editable.view()
  const rich = before.kind === 'paragraphs' ? before.paragraphs[1]! : null
  for (const act of [
    () => ada!.split(1, 77),
    () => ada!.split(1, 20),
    () => ada!.join(1),
    () => ada!.type(1, 70, '', 45),
    () => ada!.bold(1, 0, 10)
  ]) {
    act()
    settle()
    const edited = JSON.stringify(editable.view())
    t.not(edited, JSON.stringify(before))
    ada!.editing.undo()
    settle()
    t.strictSame(editable.view(), before)
    t.strictSame(grace!.shown[1]!.marks, rich?.marks)
    ada!.editing.redo()
    settle()
    t.match(JSON.stringify(editable.view()).replace(/"id":"[^"]*"/g, ''), edited.replace(/"id":"[^"]*"/g, ''))
    ada!.editing.undo()
    settle()
    t.strictSame(editable.view(), before)
  }
  const xml = Buffer.from(unzipSync(editable.bytes())['word/document.xml']!).toString()
  t.match(xml, '<w:rtl w:val="true"/>', 'a value the page does not know')
  t.match(xml, /<w:hyperlink r:id="rId2">.*<w:t>link<\/w:t>/)
})

t.test('an edit made before the connection was cut can be undone after reconnecting', async t => {
  const { pages: [ada, grace], settle } = await openPages('docx', 2, 'one two')
  ada!.type(0, 3, ' AND')
  ada!.cut()
  grace!.type(0, 0, 'hers: ')
  settle()
  ada!.bold(0, 0, 3)
  ada!.editing.push()
  ada!.cut()
  settle()
  t.match(grace!.shown, [{ text: 'hers: one AND two', marks: [{ from: 0, to: 3, bold: true }] }], 'edits that did not arrive are sent again')
  grace!.type(0, 0, 'again ')
  grace!.step('up')
  ada!.cut()
  ada!.editing.undo()
  ada!.editing.undo()
  settle()
  t.match(grace!.shown, [{ text: 'again hers: one two', marks: [] }])
})

t.test('undoing everything a user typed keeps what others typed, and redoing restores it', async t => {
  for (const fileType of ['docx', 'txt'] as const) {
    for (let seed = 1; seed <= 15; seed++) {
      const random = randomNumbers(seed)
      const { pages, settle } = await openPages(fileType, 2, 'one two three\nfour five six')
      const typed = ['', '']
      for (let round = 0; round < 30; round++) {
        const number = random(2)
        const page = pages[number]!
        const index = random(page.shown.length)
        const text = page.texts()[index]!
        // Each behind words of a half: what two write at one place, and one takes back, is not told apart for certain.
        const all = [...text.matchAll(/(?<=\S)(?=\s|$)/g)].map(({ index }) => index)
        const ends = number === 0 ? all.slice(0, all.length >> 1) : all.slice(all.length >> 1)
        const word = String.fromCodePoint(0x4E00 + round)
        typed[number] += word
        page.type(index, ends[random(ends.length)] ?? 0, ` ${word}`)
        if (random(5) === 0) page.editing.undo()
        if (random(12) === 0) page.cut()
        for (let steps = random(5); steps > 0; steps--) pages[random(2)]!.step(random(2) === 0 ? 'up' : 'down')
      }
      for (let count = 0; count < 30; count++) pages[0]!.editing.redo()
      settle()
      const before = wordsOf(pages[0]!)
      for (let count = 0; count < 30; count++) pages[0]!.editing.undo()
      settle()
      const left = wordsOf(pages[1]!)
      const expected = [...before].filter(word => typed[1]!.includes(word)).sort().join('')
      if ([...left].sort().join('') !== expected) t.equal([...left].sort().join(''), expected, `${fileType}, seed ${seed}: undone`)
      for (let count = 0; count < 30; count++) pages[0]!.editing.redo()
      settle()
      const again = wordsOf(pages[1]!)
      if ([...again].sort().join('') !== [...before].sort().join('')) {
        t.equal([...again].sort().join(''), [...before].sort().join(''), `${fileType}, seed ${seed}: done again`)
      }
      if (pages[0]!.texts().join('\n') !== pages[1]!.texts().join('\n')) {
        t.strictSame(pages[0]!.texts(), pages[1]!.texts(), `seed ${seed}`)
      }
    }
  }
  t.ok(t.passing())
})

function wordsOf (page: Page): string {
  return page.texts().join('').replace(/[^\u4E00-\u5000]/g, '')
}

t.test('a pause, another paragraph, or deleting after typing starts a new undo step', async t => {
  let now = 0
  const history = createHistory(() => now)
  const steps = () => {
    let count = 0
    while (history.take('undo') !== undefined) count++
    return count
  }
  const edit = (id: string, before: string, after: string) => history.changed(id, { text: before, marks: [] }, after)
  edit('a', '', '1')
  edit('a', '1', '12')
  t.equal(steps(), 1)
  edit('a', '', '1')
  now += 1000
  edit('a', '1', '12')
  t.equal(steps(), 2)
  edit('a', '', '1')
  edit('b', '', '1')
  t.equal(steps(), 2)
  edit('a', '', '1')
  edit('a', '1', '')
  t.equal(steps(), 2)
  edit('a', 'same', 'same')
  t.equal(steps(), 0)
})
