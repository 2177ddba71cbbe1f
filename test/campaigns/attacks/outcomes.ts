import type { Test } from 'tap'
import { type Attack, outcome, reasonOf } from './attack.js'

/** Runs each attack against a listening service of each profile. */
export function testOutcomes (t: Pick<Test, 'test'>, attacks: readonly Attack[]): void {
  for (const attack of attacks) {
    const inClassic = 'stoppedBy' in attack
    t.test(`${attack.title}: ${inClassic ? 'succeeds in classic, fails in secure' : 'fails in both profiles'}`, async t => {
      const classic = await outcome(t, 'classic', attack.run, { profile: 'classic' })
      const secure = await outcome(t, 'secure', attack.run, { profile: 'secure' })
      t.equal(secure, false, `an attacker with ${attack.has} fails in secure: ${reasonOf(attack)}`)
      t.equal(classic, inClassic, inClassic ? 'the attack succeeds in classic' : 'the attack fails in classic')
    })
  }
}
