import type { Test } from 'tap'
import type { FastifyOnlyofficeOptions } from '../../../lib/index.js'
import type { HostOptions } from '../../kit/host.js'

export type TargetOptions = Omit<HostOptions, 'clock'>

/** Attacks a service with these options. Resolves to whether the attack had its effect. */
export type Run = (t: Test, options: TargetOptions) => Promise<boolean>

export interface Attack {
  readonly title: string
  /** What the attacker has. */
  readonly has: string
  /** The options each of which stops it alone, with how. Without all of them it succeeds. */
  readonly stoppedBy: Partial<Record<Rule, string>>
  readonly run: Run
}

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
} as const satisfies Record<string, Partial<FastifyOnlyofficeOptions>>

/** An option, as the documentation names it. */
export type Rule = keyof typeof LIFTED

/** The defaults, but for these protections. */
export function defaultsWithout (rules: readonly Rule[]): TargetOptions {
  const lifted: Array<Partial<FastifyOnlyofficeOptions>> = rules.map(rule => LIFTED[rule])
  return {
    ...Object.assign({}, ...lifted),
    ...merged('documentServer', lifted),
    ...merged('policies', lifted),
    ...merged('proxy', lifted),
    ...merged('tls', lifted)
  }
}

function merged (name: 'documentServer' | 'policies' | 'proxy' | 'tls', options: ReadonlyArray<Partial<FastifyOnlyofficeOptions>>): object {
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
export function rulesOf ({ stoppedBy }: Attack): Rule[] {
  return Object.keys(stoppedBy) as Rule[]
}
