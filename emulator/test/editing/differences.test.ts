import t from 'tap'
import { differences } from '../../lib/browser/host/differences.js'

const LETTERS = ['a', 'b', 'c', '']

/** Always the same numbers. */
function numbers (seed: number): (below: number) => number {
  return below => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
}

t.test('the differences of two texts lead from one to the other, keep the lines that both have, and are shown as a whole for long texts', async t => {
  t.strictSame(differences(['a', 'b', 'c'], ['b', 'x', 'c']).map(({ text, change }) => `${change} ${text}`), ['removed a', 'same b', 'added x', 'same c'])
  t.strictSame(differences([], []), [])
  const next = numbers(4711)
  const random = () => Array.from({ length: next(12) }, () => LETTERS[next(LETTERS.length)]!)
  for (let round = 0; round < 300; round++) {
    const [before, after] = [random(), random()]
    const made = differences(before, after)
    t.strictSame(made.filter(({ change }) => change !== 'added').map(({ text }) => text), before)
    t.strictSame(made.filter(({ change }) => change !== 'removed').map(({ text }) => text), after)
  }
  const long = (word: string) => ['start', ...Array.from({ length: 3000 }, (_, index) => `${word} ${index}`), 'end']
  const made = differences(long('old'), long('new'))
  t.strictSame([made.length, made[0], made.at(-1)], [6002, { text: 'start', change: 'same' }, { text: 'end', change: 'same' }])
})
