import type { Test } from 'tap'
import { run } from './run.js'
import { shrink } from './shrink.js'
import { type Step, stepsOf } from './steps.js'
import { startWorld, type WorldOptions } from './world.js'

export interface RunsOptions extends WorldOptions {
  readonly runs: number
}

const STEPS = 20

/**
 * Plays so many random lives of a document, each in its own file of the same two instances. Each has a seed of its own:
 * `SEED=17 RUNS=1` plays number 17 again, another `SEED` plays others than usual.
 */
export async function playRuns (t: Test, { runs, ...options }: RunsOptions): Promise<void> {
  const first = Number(process.env.SEED ?? 1)
  const last = first + Number(process.env.RUNS ?? runs) - 1
  const world = await startWorld(t, options)
  for (let seed = first; seed <= last; seed++) {
    const steps = stepsOf(seed, STEPS)
    const failure = await run(world, steps).catch((error: Error) => error)
    if (failure === undefined) continue
    t.comment(`seed ${seed}: ${failure.message}`)
    return await explain(t, seed, steps, options)
  }
  t.pass(`${last - first + 1} runs of ${STEPS} steps, seeds ${first} to ${last}`)
}

/** Fails with the fewest steps that still go wrong. */
async function explain (t: Test, seed: number, steps: readonly Step[], options: WorldOptions): Promise<void> {
  const shortest = await shrink(steps, async some => await failureOf(t, some, options) !== undefined)
  const failure = await failureOf(t, shortest, options)
  const list = shortest.map((step, index) => `\n  ${index + 1}. ${described(step)}`)
  t.fail(`SEED=${seed} RUNS=1: ${failure?.message ?? 'it went wrong once, not again'}${list.join('')}`)
}

async function failureOf (t: Test, steps: readonly Step[], options: WorldOptions): Promise<Error | undefined> {
  let failure: Error | undefined
  await t.test('fewer steps', async t => {
    const world = await startWorld(t, options)
    failure = await run(world, steps).then(() => undefined, error => error)
  })
  return failure
}

function described ({ does, side, ...more }: Step): string {
  return `${does} at ${side} ${JSON.stringify(more)}`
}
