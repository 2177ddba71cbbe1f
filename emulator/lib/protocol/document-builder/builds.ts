import { randomInt } from 'node:crypto'
import type { ConversionParts } from '../conversions/conversions.js'
import { ConversionCode } from '../conversions/error-codes.js'
import { failureOf } from '../conversions/failures.js'
import { createJobs, type Failure, type Outcome } from '../conversions/jobs.js'
import { writtenAs } from '../../formats.js'
import { download } from '../outbound/download.js'
import { bytesOf } from './drafts.js'
import { runScript, type SavedDraft } from './script.js'
import { ScriptError } from './syntax.js'

/** The files that a script has saved. */
interface Built {
  /** Paths by name. */
  readonly paths: ReadonlyMap<string, string>
}

export interface Build {
  readonly key: unknown
  readonly outcome: Outcome<Built>
}

/** Builds documents from scripts. */
export interface Builds {
  /**
   * Starts a build, of the script at the `url` or of one that came with the request; with a `key`, asks for the one
   * that has this key.
   */
  build (fields: Record<string, unknown>, script?: Uint8Array): Promise<Build>
}

export function builds ({ client, time, files, faults, convert, closing, log }: ConversionParts): Builds {
  const jobs = createJobs<Built>(time, closing)

  async function run (key: string, url: unknown, argument: unknown, sent?: Uint8Array): Promise<Built | Failure> {
    const fault = faults.take('building')
    // Source: the document server takes a request without a url as the script, which is none.
    if (sent === undefined && (typeof url !== 'string' || url === '')) return { error: ConversionCode.conversion }
    try {
      const script = Buffer.from(sent ?? await download(client, time, url as string, 'docbuilder')).toString('utf8')
      if (fault?.type === 'slow') await time.pause(fault.ms, closing)
      if (fault?.type === 'error') return { error: fault.error }
      const paths = new Map<string, string>()
      for (const saved of await runScript(script, isObject(argument) ? argument : {})) {
        const bytes = await fileOf(saved)
        if (bytes === null) return { error: ConversionCode.conversion }
        paths.set(
          saved.name,
          files.put(`data/${key}/output/${encodeURIComponent(saved.name)}`, saved.name, bytes, saved.format)
        )
      }
      return paths.size === 0 ? { error: ConversionCode.conversion } : { paths }
    } catch (error) {
      if (!(error instanceof ScriptError)) return failureOf(error, key, log)
      log.warn({ key, reason: error.message }, 'the script could not be run')
      return { error: ConversionCode.conversion }
    }
  }

  async function fileOf ({ draft, format }: SavedDraft): Promise<Uint8Array | null> {
    const extension = writtenAs(format)
    if (extension === undefined) return null
    const bytes = await convert(await bytesOf(draft), draft.fileType, extension)
    if (bytes === null) convert.explain(draft.fileType, extension)
    return bytes
  }

  return {
    async build ({ key: given, url, argument, async: asynchronous }, script) {
      const isAsync = typeof asynchronous === 'string' ? asynchronous === 'true' : Boolean(asynchronous)
      if (given) {
        return {
          key: given,
          outcome: await jobs.outcomeOf(String(given), isAsync) ?? { error: ConversionCode.unknown }
        }
      }
      const key = `bld_${randomInt(10_000_000, 99_999_999)}`
      return { key, outcome: await jobs.outcomeOf(key, isAsync, async () => await run(key, url, argument, script)) }
    }
  }
}

function isObject (value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
