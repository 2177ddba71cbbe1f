import t from 'tap'
import { changes, merge, movedOffset } from '../../lib/browser/writing/merge.js'

t.test('concurrent changes to one text are merged: no insertion is lost, every deletion takes effect', async t => {
  for (const [base, theirs, mine, merged, why] of [
    ['one two', 'one two', 'one 2', 'one 2', 'only one has changed it'],
    ['one two', 'ONE two', 'one TWO', 'ONE TWO', 'different places'],
    ['one', 'one, two', 'one, three', 'one, two, three', 'both have written at the end'],
    ['', 'left', 'right', 'leftright', 'both have written into nothing'],
    ['abc def ghi', 'abc ghi', 'abc deXf ghi', 'abc Xghi', 'written into what the other has deleted'],
    ['one two three', 'One two Three', 'one, two! three', 'One, two! Three', 'several words of one line'],
    ['teh same', 'the same', 'the same', 'the same', 'the same change'],
    ['same', 'the same', 'the same', 'the the same', 'the same, written by both'],
    ['gone', '', 'gone and back', ' and back', 'all of it deleted meanwhile'],
    ['1\n2\n3\n4\n5\n', '1\n2\nthree\n4\n5\n', 'one\n2\n3\n4\nfive\n', 'one\n2\nthree\n4\nfive\n', 'a line between two changed ones'],
    ['a😀', 'a😁', 'b😀', 'b😁', 'halves of a character stay together']
  ] as const) {
    t.equal(merge(base, theirs, mine), merged, why)
  }
  t.equal(merge('same', 'the same and', 'the same', true), 'the same and', 'one already has the other\'s change')
})

t.test('the changes computed between two texts turn one into the other, whatever their lines are', async t => {
  const texts = [
    '',
    'a',
    'a\nb\nc',
    'a\nc',
    'x\na\nb\ny\nc\n',
    '\n\n',
    'c\nb\na',
    'a\nb\nc\na\nb\nc',
    '😀\n😁\n',
    'one two three',
    'one 2 three',
    'two three one'
  ]
  for (const base of texts) {
    for (const text of texts) {
      const made = changes(base, text).reduceRight((so, { from, to, text }) => so.slice(0, from) + text + so.slice(to), base)
      t.equal(made, text, JSON.stringify([base, text]))
    }
  }
})

t.test('a position in a text moves with insertions before it and not with those after it', async t => {
  for (const [offset, base, text, moved] of [
    [3, 'one two', 'so: one two', 7],
    [3, 'one two', 'one, two', 3],
    [7, 'one two', 'one', 3],
    [5, 'one two', 'one', 3],
    [6, 'a\nb\nc\nd', 'A A\nb\nC\nd', 8]
  ] as const) {
    t.equal(movedOffset(offset, base, text), moved, JSON.stringify([offset, base, text]))
  }
})
