import t from 'tap'
import { attacks } from './attacks.js'
import { rulesOf } from './attack.js'

// An attack succeeds when it has an effect: bytes were read or replaced, a forbidden connection was made, work was
// lost, script would run. The status of the answer is not considered. ablation.long.test.ts proves that each option
// which is said to stop an attack does so alone.

/** Many services are started. */
t.setTimeout(300_000)

for (const attack of attacks) {
  t.test(`${attack.title}: fails`, async t => {
    const reasons = rulesOf(attack).map(rule => `${attack.stoppedBy[rule]} (${rule})`)
    t.equal(await attack.run(t, {}), false, `an attacker with ${attack.has} fails: ${reasons.join('; ')}`)
  })
}
