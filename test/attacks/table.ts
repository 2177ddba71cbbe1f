import type { Attack, Rule } from './attack.js'

export interface Measured {
  readonly attack: Attack
  readonly classic: boolean
  readonly secure: boolean
}

const HEADER = `# Attacks under \`classic\` and under \`secure\`

Written by \`test/attacks.test.ts\`, which runs every attack against a listening service of each profile and fails when this
page says anything else than what it measured. \`UPDATE=1 npx tap --disable-coverage test/attacks.test.ts\` writes it anew.

An attack **succeeds** when its effect is there: bytes were got or replaced, a connection was begun to where none may go, a
file outside was touched, work was lost, script would run, a limit was passed. What the service answered is not asked.
\`classic\` behaves like the original control, which checks nothing. In \`secure\` every attack must fail.

An option that is named stops the attack alone: each was taken back to what it is in \`classic\`, first all but one (the
attack fails), then all of them (it succeeds). Where no option is named nothing takes the protection away; there the same
steps were run with nothing in their way, and succeeded.

| # | attack | what the attacker has | classic | secure |
|---|---|---|---|---|
`

/** The page test/attacks.md. */
export function tableOf (results: readonly Measured[]): string {
  return HEADER + results.map((result, index) => `${rowOf(result, index + 1)}\n`).join('')
}

function rowOf ({ attack, classic, secure }: Measured, number: number): string {
  const outcome = (succeeds: boolean) => succeeds ? '**succeeds**' : `fails: ${reasonOf(attack)}`
  return `| ${[number, attack.title, attack.has, outcome(classic), outcome(secure)].map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

function reasonOf (attack: Attack): string {
  if ('because' in attack) return attack.because
  return rulesOf(attack).map(rule => `${attack.stoppedBy[rule]} (\`${rule}\`)`).join('; ')
}

/** The options that stop an attack. */
export function rulesOf (attack: Attack): Rule[] {
  return 'because' in attack ? [] : Object.keys(attack.stoppedBy) as Rule[]
}
