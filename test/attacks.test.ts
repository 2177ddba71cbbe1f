import t from 'tap'
import { outcome, reasonOf } from './attacks/attack.js'
import { attacks } from './attacks/attacks.js'

// Every attack runs against a listening service of each profile. It succeeds when it has an effect: bytes were read or
// replaced, a forbidden connection was made, a file outside was touched, work was lost, script would run, a limit was
// exceeded. The status of the answer is not considered. attacks/ablation.long.test.ts proves that each option which is said to
// stop an attack does so alone.

/** Hundreds of services are started. */
t.setTimeout(300_000)

for (const attack of attacks) {
  const inClassic = 'stoppedBy' in attack
  t.test(`${attack.title}: ${inClassic ? 'succeeds in classic, fails in secure' : 'fails in both profiles'}`, async t => {
    const classic = await outcome(t, 'classic', attack.run, { profile: 'classic' })
    const secure = await outcome(t, 'secure', attack.run, { profile: 'secure' })
    t.equal(secure, false, `an attacker with ${attack.has} fails in secure: ${reasonOf(attack)}`)
    t.equal(classic, inClassic, inClassic ? 'the attack succeeds in classic' : 'the attack fails in classic')
  })
}

t.test('there are at least 40 attacks, and no two have the same title', async t => {
  const titles = attacks.map(({ title }) => title)
  t.ok(titles.length >= 40)
  t.equal(new Set(titles).size, titles.length)
})
