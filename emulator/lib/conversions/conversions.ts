import type { Time } from '../clock/time.js'
import { isDocumentServerError } from '../errors.js'
import type { FaultRegistry } from '../faults/registry.js'
import { CrashedError, type OutboundClient } from '../outbound/client.js'
import { DOWNLOAD_TOO_LARGE, download } from '../outbound/download.js'
import type { ResultFiles } from '../result-files/files.js'
import { ConversionCode } from './error-codes.js'
import type { Convert } from './converter/convert.js'
import { type ConversionRequest, conversionRequest } from './request.js'
import { isEncrypted, sourceType } from './source-type.js'

export type ConversionOutcome =
  | { readonly path: string, readonly fileType: string }
  | { readonly error: number }
  | 'pending'

/** Converts documents; each pair of key and output type only once. */
export interface Conversions {
  /** Starts a conversion, or joins the one under way. A synchronous request resolves when it is done, an asynchronous one at once. */
  convert (fields: Record<string, unknown>): Promise<ConversionOutcome>
}

interface Job {
  readonly finished: Promise<void>
  outcome: ConversionOutcome
}

interface Parts {
  readonly client: OutboundClient
  readonly time: Time
  readonly files: ResultFiles
  readonly faults: FaultRegistry
  readonly convert: Convert
  readonly closing: AbortSignal
  readonly log: { error: (details: object, message: string) => void }
}

// Source: recorded. A synchronous request is answered after whole seconds and times out after two minutes.
const POLL_MS = 1000
const TIMEOUT_MS = 120_000

export function conversions ({ client, time, files, faults, convert, closing, log }: Parts): Conversions {
  const jobs = new Map<string, Job>()

  async function run ({ key, from: given, to, toNumber, title, url }: ConversionRequest): Promise<ConversionOutcome> {
    const fault = faults.take('conversion')
    if (typeof url !== 'string' || url === '') return { error: ConversionCode.conversion }
    try {
      const source = await download(client, time, url, given)
      const from = sourceType(source, given)
      if (fault?.type === 'slow') await time.pause(fault.ms, closing)
      if (fault?.type === 'error') return { error: fault.error }
      if (isEncrypted(source, from)) return { error: ConversionCode.password }
      const result = await convert(source, from, to)
      if (result === null) return { error: ConversionCode.conversion }
      const folder = `data/conv_${key}_${toNumber}/output.${to}`
      return { path: files.put(folder, `${title}.${to}`, result, to), fileType: to }
    } catch (error) {
      if (error instanceof CrashedError) return { error: ConversionCode.unknown }
      if (isDocumentServerError(error)) {
        return { error: error.code === DOWNLOAD_TOO_LARGE ? ConversionCode.tooLarge : ConversionCode.download }
      }
      log.error({ err: error, key }, 'conversion failed')
      return { error: ConversionCode.conversion }
    }
  }

  function start (id: string, source: ConversionRequest): Job {
    const running = time.during(async () => await run(source))
    const job: Job = { outcome: 'pending', finished: running.then(outcome => { job.outcome = outcome }) }
    jobs.set(id, job)
    return job
  }

  /** The next request gets an error, and the one after it may start the job again. Only the error -3 is permanent. */
  function outcomeOf (id: string, { outcome }: Job): ConversionOutcome {
    if (isTransient(outcome)) jobs.delete(id)
    return outcome
  }

  async function answerOf (id: string, job: Job): Promise<ConversionOutcome> {
    for (let waited = 0; waited < TIMEOUT_MS && !closing.aborted; waited += POLL_MS) {
      await time.wait(POLL_MS, closing)
      if (job.outcome !== 'pending') return jobs.get(id) === job ? outcomeOf(id, job) : job.outcome
    }
    return { error: ConversionCode.timeout }
  }

  return {
    async convert (fields) {
      const request = conversionRequest(fields)
      if ('error' in request) return request
      const id = `${request.key}_${request.toNumber}_${request.to}`
      const known = jobs.get(id)
      if (known !== undefined && known.outcome !== 'pending') return outcomeOf(id, known)
      const job = known ?? start(id, request)
      return request.isAsync ? 'pending' : await answerOf(id, job)
    }
  }
}

function isTransient (outcome: ConversionOutcome): boolean {
  return typeof outcome === 'object' && 'error' in outcome && outcome.error !== ConversionCode.conversion
}
