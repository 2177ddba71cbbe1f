import t from 'tap'
import { outcome, rulesOf, defaultsWithout } from './attack.js'
import { attacks } from './attacks.js'

// Each option that is named stops its attack alone, and without all of them the attack succeeds.

t.setTimeout(300_000)

for (const attack of attacks) {
  t.test(`${attack.title}: succeeds only without what stops it`, async t => {
    const rules = rulesOf(attack)
    t.equal(await outcome(t, `without ${rules.join(', ')}`, attack.run, defaultsWithout(rules)), true, 'it succeeds without these rules')
    for (const rule of rules.length > 1 ? rules : []) {
      const others = rules.filter(other => other !== rule)
      t.equal(await outcome(t, `without ${others.join(', ')}`, attack.run, defaultsWithout(others)), false, `${rule} stops it alone`)
    }
  })
}
