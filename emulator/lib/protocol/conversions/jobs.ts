import type { Time } from '../clock/time.js'
import { ConversionCode, type Failure } from './failures.js'

export type Outcome<Result extends object> = Result | Failure | 'pending'

// Source: recorded. A synchronous request is answered after whole seconds and times out after two minutes.
const POLL_MS = 1000
const TIMEOUT_MS = 120_000

/** Work that is done once and asked for repeatedly. */
export function createJobs<Result extends object> (time: Time, closing: AbortSignal) {
  const jobs = new Map<string, { outcome: Outcome<Result> }>()

  function start (id: string, run: () => Promise<Result | Failure>): { outcome: Outcome<Result> } {
    const job: { outcome: Outcome<Result> } = { outcome: 'pending' }
    jobs.set(id, job)
    time.during(run).then(outcome => {
      job.outcome = outcome
    }, () => {
      job.outcome = { error: ConversionCode.unknown }
    })
    return job
  }

  /** The next request gets an error, and the one after it may start the job again. Only the error -3 is permanent. */
  function take (id: string, { outcome }: { outcome: Outcome<Result> }): Outcome<Result> {
    if (isTransient(outcome)) jobs.delete(id)
    return outcome
  }

  async function untilDone (id: string, job: { outcome: Outcome<Result> }): Promise<Outcome<Result>> {
    for (let waited = 0; waited < TIMEOUT_MS && !closing.aborted; waited += POLL_MS) {
      await time.wait(POLL_MS, closing)
      if (job.outcome !== 'pending') return jobs.get(id) === job ? take(id, job) : job.outcome
    }
    return { error: ConversionCode.timeout }
  }

  return {
    /**
     * Starts a job, or joins the one under way. A synchronous request resolves when it is done, an asynchronous one at
     * once. For an unknown job without `run` it is the error `unknown`.
     */
    async outcomeOf (
      id: string,
      isAsync: boolean,
      unknown: (() => Promise<Result | Failure>) | Failure
    ): Promise<Outcome<Result>> {
      const job = jobs.get(id)
      if (job !== undefined && job.outcome !== 'pending') return take(id, job)
      if (job === undefined && typeof unknown === 'object') return unknown
      const started = job ?? start(id, unknown as () => Promise<Result | Failure>)
      return isAsync ? 'pending' : await untilDone(id, started)
    }
  }
}

function isTransient (outcome: object | 'pending'): boolean {
  return typeof outcome === 'object' && 'error' in outcome && outcome.error !== ConversionCode.conversion
}
