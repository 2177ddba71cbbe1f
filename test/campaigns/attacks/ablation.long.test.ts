import t from 'tap'
import { outcome, rulesOf, secureWithout } from './attack.js'
import { attacks } from './attacks.js'

// Each option that is named stops its attack alone, and without all of them the attack succeeds. Where no option is
// named, the same steps succeed once the protection is out of the way: the attack itself works.

t.setTimeout(300_000)

for (const attack of attacks) {
  t.test(`${attack.title}: ${'because' in attack ? 'succeeds without the protection' : 'succeeds only without what stops it'}`, async t => {
    if ('because' in attack) {
      for (const profile of ['classic', 'secure'] as const) {
        t.equal(await outcome(t, `nothing in its way, ${profile}`, attack.control, { profile }), true, 'it succeeds without the protection')
      }
      return
    }
    const rules = rulesOf(attack)
    t.equal(await outcome(t, `secure without ${rules.join(', ')}`, attack.run, secureWithout(rules)), true, 'it succeeds without these rules')
    for (const rule of rules.length > 1 ? rules : []) {
      const others = rules.filter(other => other !== rule)
      t.equal(await outcome(t, `secure without ${others.join(', ')}`, attack.run, secureWithout(others)), false, `${rule} stops it alone`)
    }
  })
}
