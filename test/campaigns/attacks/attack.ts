import type { Test } from 'tap'
import type { EditorOptions, Profile } from '../../../lib/index.js'
import type { HostOptions } from '../../kit/host.js'

export type TargetOptions = Omit<HostOptions, 'clock'> & { readonly profile: Profile }

/** Attacks a service with these options. Resolves to whether the attack had its effect. */
export type Run = (t: Test, options: TargetOptions) => Promise<boolean>

interface Described {
  readonly title: string
  /** What the attacker has. */
  readonly has: string
  /** Takes seconds. */
  readonly startsProcesses?: true
  readonly run: Run
}

/** Succeeds in `classic`. */
export interface StoppedByOptions extends Described {
  /** The options of `secure` each of which stops it alone, with how. Without all of them it succeeds there, too. */
  readonly stoppedBy: Partial<Record<Rule, string>>
}

/** Fails in both profiles. */
export interface AlwaysStopped extends Described {
  /** What no option takes away. */
  readonly because: string
  /** The same steps with nothing in their way: succeeds, or `run` couldn't tell. */
  readonly control: Run
}

export type Attack = StoppedByOptions | AlwaysStopped

const LIFTED = {
  requireToken: { requireToken: false },
  signedUrls: { signedUrls: false },
  allowPrivateAddresses: { allowPrivateAddresses: true },
  allowWeakSecret: { allowWeakSecret: true },
  'policies.corrupted': { policies: { corrupted: 'discard' } },
  'policies.missingFile': { policies: { missingFile: 'acknowledge' } },
  'policies.conflict': { policies: { conflict: 'overwrite' } },
  'documentServer.origins': { documentServer: { origins: 'any' } },
  'proxy.allow': { proxy: { allow: 'any' } },
  'proxy.requireToken': { proxy: { requireToken: false } },
  'proxy.crossOrigin': { proxy: { crossOrigin: true } },
  'tls.rejectUnauthorized': { tls: { rejectUnauthorized: false } },
  'tls.minVersion': { tls: { minVersion: 'TLSv1' } }
} as const satisfies Record<string, Partial<EditorOptions>>

/** An option, as the documentation names it. */
export type Rule = keyof typeof LIFTED

/** `secure`, but for some options, which are as in `classic`. */
export function secureWithout (rules: readonly Rule[]): TargetOptions {
  const lifted: Array<Partial<EditorOptions>> = rules.map(rule => LIFTED[rule])
  return {
    profile: 'secure',
    ...Object.assign({}, ...lifted),
    ...merged('documentServer', lifted),
    ...merged('policies', lifted),
    ...merged('proxy', lifted),
    ...merged('tls', lifted)
  }
}

function merged (name: 'documentServer' | 'policies' | 'proxy' | 'tls', options: ReadonlyArray<Partial<EditorOptions>>): object {
  const values = options.flatMap(option => option[name] ?? [])
  return values.length > 0 ? { [name]: Object.assign({}, ...values) } : {}
}

/**
 * Runs an attack in a subtest, so that everything it started is closed before the next. Resolves to whether it
 * succeeded.
 */
export async function outcome (t: Test, name: string, run: Run, options: TargetOptions): Promise<boolean> {
  let succeeded = false
  await t.test(name, async t => { succeeded = await run(t, options) })
  return succeeded
}

/** The options that stop an attack. */
export function rulesOf (attack: Attack): Rule[] {
  return 'because' in attack ? [] : Object.keys(attack.stoppedBy) as Rule[]
}

/** What stops an attack in `secure`, with the options that do. */
function reasonOf (attack: Attack): string {
  if ('because' in attack) return attack.because
  return rulesOf(attack).map(rule => `${attack.stoppedBy[rule]} (${rule})`).join('; ')
}

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
