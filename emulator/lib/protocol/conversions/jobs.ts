import type { Time } from '../clock/time.js'
import { ConversionCode } from './error-codes.js'

export interface Failure {
  readonly error: number
}

export type Outcome<Result extends object> = Result | Failure | 'pending'

/** Work that is done once and asked for repeatedly. */
export interface Jobs<Result extends object> {
  /**
   * Starts a job, or joins the one under way. A synchronous request resolves when it is done, an asynchronous one at
   * once. Without `run` it starts nothing, and resolves to `undefined` for an unknown job.
   */
  outcomeOf (id: string, isAsync: boolean, run: () => Promise<Result | Failure>): Promise<Outcome<Result>>
  outcomeOf (id: string, isAsync: boolean): Promise<Outcome<Result> | undefined>
}

interface Job<Result extends object> {
  outcome: Outcome<Result>
}

// Source: recorded. A synchronous request is answered after whole seconds and times out after two minutes.
const POLL_MS = 1000
const TIMEOUT_MS = 120_000

export function createJobs<Result extends object> (time: Time, closing: AbortSignal): Jobs<Result> {
  const jobs = new Map<string, Job<Result>>()

  function start (id: string, run: () => Promise<Result | Failure>): Job<Result> {
    const job: Job<Result> = { outcome: 'pending' }
    jobs.set(id, job)
    time.during(run).then(outcome => {
      job.outcome = outcome
    }, () => {
      job.outcome = { error: ConversionCode.unknown }
    })
    return job
  }

  /** The next request gets an error, and the one after it may start the job again. Only the error -3 is permanent. */
  function take (id: string, { outcome }: Job<Result>): Outcome<Result> {
    if (isTransient(outcome)) jobs.delete(id)
    return outcome
  }

  async function untilDone (id: string, job: Job<Result>): Promise<Outcome<Result>> {
    for (let waited = 0; waited < TIMEOUT_MS && !closing.aborted; waited += POLL_MS) {
      await time.wait(POLL_MS, closing)
      if (job.outcome !== 'pending') return jobs.get(id) === job ? take(id, job) : job.outcome
    }
    return { error: ConversionCode.timeout }
  }

  async function outcomeOf (
    id: string,
    isAsync: boolean,
    run?: () => Promise<Result | Failure>
  ): Promise<Outcome<Result> | undefined> {
    const known = jobs.get(id)
    if (known !== undefined && known.outcome !== 'pending') return take(id, known)
    const job = known ?? (run === undefined ? undefined : start(id, run))
    if (job === undefined) return undefined
    return isAsync ? 'pending' : await untilDone(id, job)
  }

  return { outcomeOf: outcomeOf as Jobs<Result>['outcomeOf'] }
}

function isTransient (outcome: object | 'pending'): boolean {
  return typeof outcome === 'object' && 'error' in outcome && outcome.error !== ConversionCode.conversion
}
