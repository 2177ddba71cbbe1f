import fc from 'fast-check'
import type { Test } from 'tap'

/** The sum of the shares of all files. */
const SHARES = 315
/** Inputs over all files, unless `RUNS` says otherwise. */
const TOTAL = 500
/** Of one file. */
export const TIMEOUT_MS = 300_000 + Number(process.env.RUNS ?? TOTAL) * 50
const SHRINKING_MS = 30_000
/** With fewer inputs chance decides what is among them. */
const ENOUGH = 150

export interface Fuzz<Input> {
  /** What the inputs are of: names the runs in what is printed. One word. */
  readonly name: string
  /** Of a thousand inputs over all files, so many are of this kind. */
  readonly share: number
  readonly input: fc.Arbitrary<Input>
  /** Throws when a property does not hold; resolves to a word for what became of the input. */
  readonly check: (input: Input) => Promise<string>
  /**
   * Outcomes that must be seen, each with the part of the inputs that must have had it: a fuzz that sees refusals only
   * proves nothing.
   */
  readonly seen: Readonly<Record<string, number>>
}

/**
 * Tries so many inputs. `SEED` chooses them. A failure prints what tries its smallest input alone again:
 * `SEED` with `REPLAY`, which names the runs and the way to the input.
 */
export async function fuzz<Input> (t: Test, { name, share, input, check, seen }: Fuzz<Input>): Promise<void> {
  const replay = process.env.REPLAY?.split(' ')
  if (replay && replay[0] !== name) {
    t.comment(`${name}: not what is replayed`)
    return
  }
  const seed = Number(process.env.SEED ?? 1)
  const numRuns = Math.max(1, Math.round(Number(process.env.RUNS ?? TOTAL) * share / SHARES))
  t.setTimeout(TIMEOUT_MS)
  const counts: Record<string, number> = {}
  let failedAt: number | undefined

  const property = fc.asyncProperty(input, async value => {
    fc.pre(failedAt === undefined || Date.now() - failedAt < SHRINKING_MS)
    try {
      const outcome = await check(value)
      if (failedAt === undefined) counts[outcome] = (counts[outcome] ?? 0) + 1
    } catch (error) {
      failedAt ??= Date.now()
      throw error
    }
  })
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, { seed, numRuns, ...(replay && { path: replay[1] ?? '' }) })

  if (failed) {
    const { message } = errorInstance as Error
    t.fail(`SEED=${seed} REPLAY='${name} ${counterexamplePath}': ${message}\n${fc.stringify(counterexample?.[0])}`)
    return
  }
  t.comment(`${name}: ${replay ? 1 : numRuns} inputs, seed ${seed}: ${Object.entries(counts).sort().map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`)
  if (!replay && numRuns >= ENOUGH) {
    const rare = Object.entries(seen).filter(([outcome, part]) => (counts[outcome] ?? 0) < part * numRuns).map(([outcome]) => outcome)
    t.strictSame(rare, [], `${name}: every kind of input occurred`)
  }
  t.pass(`${name}: ${numRuns} inputs`)
}

/** One of these, and now and then another. */
export function mostly<Value> (usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>, weight = 4): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })
}
