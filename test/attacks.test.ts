import { readFile, writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { type Attack, type Run, secureWithout, type TargetOptions } from './attacks/attack.js'
import { attacks } from './attacks/attacks.js'
import { type Measured, rulesOf, tableOf } from './attacks/table.js'

const PAGE = new URL('./attacks.md', import.meta.url)

/** Hundreds of services are started. */
t.setTimeout(120_000)

/** Runs in a test of its own, so that everything it started is gone before the next. */
async function outcome (t: Test, name: string, run: Run, options: TargetOptions): Promise<boolean> {
  let succeeded = false
  await t.test(name, async t => { succeeded = await run(t, options) })
  return succeeded
}

/** What the table claims beyond the outcomes: that each rule which is named stops the attack, and that the attack can succeed. */
async function expectProof (t: Test, attack: Attack): Promise<void> {
  if ('because' in attack) {
    for (const profile of ['classic', 'secure'] as const) {
      t.equal(await outcome(t, `nothing in its way, ${profile}`, attack.control, { profile }), true, 'with nothing in its way it is seen to succeed')
    }
    return
  }
  const rules = rulesOf(attack)
  t.equal(await outcome(t, `secure without ${rules.join(', ')}`, attack.run, secureWithout(rules)), true, 'it succeeds without these rules')
  for (const rule of rules.length > 1 ? rules : []) {
    const others = rules.filter(other => other !== rule)
    t.equal(await outcome(t, `secure without ${others.join(', ')}`, attack.run, secureWithout(others)), false, `${rule} stops it alone`)
  }
}

const results: Measured[] = []

for (const [index, attack] of attacks.entries()) {
  t.test(`attack ${index + 1}: ${attack.title}`, async t => {
    const classic = await outcome(t, 'classic', attack.run, { profile: 'classic' })
    const secure = await outcome(t, 'secure', attack.run, { profile: 'secure' })
    t.equal(secure, false, 'it fails in secure')
    t.equal(classic, 'stoppedBy' in attack, 'classic')
    await expectProof(t, attack)
    results.push({ attack, classic, secure })
  })
}

t.test('test/attacks.md says what was measured', async t => {
  const measured = tableOf(results)
  t.equal(results.length, attacks.length)
  if (process.env.UPDATE === '1' && results.length === attacks.length) await writeFile(PAGE, measured)
  t.equal(await readFile(PAGE, 'utf8').catch(() => ''), measured, 'UPDATE=1 writes it anew')
})

t.test('there are at least 40 attacks, and no two with one title', async t => {
  const titles = attacks.map(({ title }) => title)
  t.ok(titles.length >= 40)
  t.equal(new Set(titles).size, titles.length)
})
