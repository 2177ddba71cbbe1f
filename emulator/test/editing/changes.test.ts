import type { Node } from 'prosemirror-model'
import t from 'tap'
import { changesBetween } from '../../lib/page/browser/text/changes.js'
import { paragraphs, randomNumbers } from './pages.js'

const WORDS = ['a', 'b', 'c', '', 'one two', 'one three']

/** What is removed and added. */
function shown (before: Node, after: Node): string[][] {
  return changesBetween(before, after).map(({ fromA, toA, fromB, toB }) => [
    before.textBetween(fromA, toA, '|'),
    after.textBetween(fromB, toB, '|')
  ])
}

t.test('changed words are found in changed paragraphs; moved parts of the file are no changes', async t => {
  t.strictSame(shown(paragraphs('first', 'shared'), paragraphs('second', 'shared')), [['first', 'second']])
  t.strictSame(shown(paragraphs('one two', 'x'), paragraphs('new', 'one, two', 'x')).flat().join('').replace('|', ''), 'new,')
  t.strictSame(shown(paragraphs('gone', 'x', 'y'), paragraphs('x', 'y')), [['gone', '']])
  t.strictSame(shown(paragraphs('same'), paragraphs('same')), [])
})

t.test('everything besides the changes is the same in both, for any two documents', async t => {
  const random = randomNumbers(4711)
  const any = () => paragraphs('start', ...Array.from({ length: random(8) }, () => WORDS[random(WORDS.length)]!))
  for (let round = 0; round < 300; round++) {
    const [before, after] = [any(), any()]
    const changes = [...changesBetween(before, after), { fromA: before.content.size, toA: 0, fromB: after.content.size, toB: 0 }]
    let [doneA, doneB] = [0, 0]
    for (const { fromA, toA, fromB, toB } of changes) {
      const [a, b] = [before.textBetween(doneA, fromA, '|'), after.textBetween(doneB, fromB, '|')]
      if (a !== b) t.equal(a, b, `${String(before)} ${String(after)}`)
      doneA = toA
      doneB = toB
    }
  }
  t.ok(t.passing())
})

t.test('of long documents whole paragraphs are compared, or, if they have nothing in common, the whole', async t => {
  const long = (word: string, last = 'end') =>
    paragraphs('start', ...Array.from({ length: 3000 }, (_, index) => `${word} ${index}`), last)
  t.strictSame(changesBetween(long('old'), long('new')).length, 1)
  t.strictSame(shown(long('old'), long('old', 'the end')), [['', 'the ']])
})
