import { extname } from 'node:path'
import { knownExtensions } from '../../document-server/formats.js'
import type { Clock } from './clock.js'
import { DOWNLOAD_TOO_LARGE, download } from './download.js'
import { isDocumentServerError } from './errors.js'
import type { HostClient } from './host.js'
import type { Convert } from './pdf/convert.js'
import type { ResultFiles } from './result-files.js'

/** Source: the document server's conversion error codes. */
export const ConversionCode = { conversion: -3, download: -4, input: -7, token: -8, tooLarge: -10 } as const

export type ConversionOutcome =
  | { readonly path: string, readonly fileType: string }
  | { readonly error: number }
  | 'pending'

/** Converts documents, each pair of key and output type once. */
export interface Conversions {
  /** Starts or joins the conversion. A synchronous request resolves when it is done, an asynchronous one at once. */
  convert (request: Record<string, unknown>): Promise<ConversionOutcome>
}

interface Job {
  readonly finished: Promise<void>
  outcome: ConversionOutcome
}

interface Parts {
  readonly host: HostClient
  readonly clock: Clock
  readonly files: ResultFiles
  readonly convert: Convert
  readonly log: { error: (details: object, message: string) => void }
}

// After these errors the next request for the key starts again; -3 stays.
const RESTARTED = new Set<number>([ConversionCode.download, ConversionCode.tooLarge])

// Numbers the document server gives to formats in folder names. Source: recorded conversions.
const FORMAT_NUMBERS: Record<string, number> = { docx: 65, txt: 69, pdf: 513 }

export function conversions ({ host, clock, files, convert, log }: Parts): Conversions {
  const jobs = new Map<string, Job>()

  async function run (key: string, from: string, to: string, title: string, url: unknown): Promise<ConversionOutcome> {
    if (typeof url !== 'string' || !URL.canParse(url)) return { error: ConversionCode.conversion }
    try {
      const result = await convert(await download(host, clock, url), from, to)
      if (result === null) return { error: ConversionCode.conversion }
      const folder = `data/conv_${key}_${FORMAT_NUMBERS[to] ?? knownExtensions.indexOf(to)}/output.${to}`
      return { path: files.put(folder, `${title}.${to}`, result, to), fileType: to }
    } catch (error) {
      if (isDocumentServerError(error)) {
        return { error: error.code === DOWNLOAD_TOO_LARGE ? ConversionCode.tooLarge : ConversionCode.download }
      }
      log.error({ err: error, key }, 'conversion failed')
      return { error: ConversionCode.conversion }
    }
  }

  function start (id: string, ...request: Parameters<typeof run>): Job {
    const running = run(...request)
    const job: Job = { outcome: 'pending', finished: running.then(outcome => { job.outcome = outcome }) }
    jobs.set(id, job)
    return job
  }

  return {
    async convert (request) {
      const { filetype: from, outputtype: to, key = '', title, url, async: isAsync } = request
      if (!isFormat(from) || !isFormat(to) || typeof key !== 'string' || !/^[0-9A-Za-z._=-]{0,128}$/.test(key)) {
        return { error: ConversionCode.input }
      }
      const name = typeof title === 'string' && title !== '' ? title : 'output'
      const id = `${key}/${to}`
      const known = jobs.get(id)
      const job = known === undefined || isRestarted(known.outcome)
        ? start(id, key || 'undefined', from, to, name.slice(0, name.length - extname(name).length), url)
        : known
      if (isAsync !== true) await job.finished
      return job.outcome
    }
  }
}

function isFormat (value: unknown): value is string {
  return typeof value === 'string' && knownExtensions.includes(value)
}

function isRestarted (outcome: ConversionOutcome): boolean {
  return typeof outcome === 'object' && 'error' in outcome && RESTARTED.has(outcome.error)
}
