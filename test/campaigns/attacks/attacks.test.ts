import t from 'tap'
import { attacks } from './attacks.js'
import { testOutcomes } from './attack.js'

// An attack succeeds when it has an effect: bytes were read or replaced, a forbidden connection was made, a file
// outside was touched, work was lost, script would run, a limit was exceeded. The status of the answer is not
// considered. ablation.long.test.ts proves that each option which is said to stop an attack does so alone,
// processes.long.test.ts runs the attacks that are missing here.

/** Hundreds of services are started. */
t.setTimeout(300_000)

testOutcomes(t, attacks.filter(({ startsProcesses }) => startsProcesses !== true))

t.test('there are at least 40 attacks, and no two have the same title', async t => {
  const titles = attacks.map(({ title }) => title)
  t.ok(titles.length >= 40)
  t.equal(new Set(titles).size, titles.length)
})
