import { randomInt } from 'node:crypto'
import { ConversionCode, type Failure, failureOf } from '../conversions/failures.js'
import { createJobs, type Outcome } from '../conversions/jobs.js'
import { writtenAs } from '../../formats.js'
import { download } from '../outbound/download.js'
import type { Parts } from '../parts.js'
import { builderCalls } from './script.js'

/** The files that a script has saved: paths by name. */
interface Built {
  readonly paths: ReadonlyMap<string, string>
}

export interface Build {
  readonly key: unknown
  readonly outcome: Outcome<Built>
}

/**
 * Starts a build, of the script at the `url` or of one that came with the request; with a `key`, asks for the one that
 * has this key.
 */
export type StartBuild = (fields: Readonly<Record<string, unknown>>, script?: Uint8Array) => Promise<Build>

interface Document {
  readonly fileType: string
  readonly bytes: Uint8Array
}

const MAX_FILES = 100
/** What a new file of a type is made as. */
const NEW_FILES = new Map([['docx', 'docx'], ['pdf', 'docx'], ['xlsx', 'xlsx'], ['pptx', 'pptx']])

/** Builds documents from scripts. */
export function builds ({ client, time, files, faults, convert, closing, log }: Parts): StartBuild {
  const jobs = createJobs<Built>(time, closing)

  async function run (key: string, url: unknown, sent?: Uint8Array): Promise<Built | Failure> {
    const fault = faults.take('building')
    // Source: the document server takes a request without a url as the script, which is none.
    if (sent === undefined && (typeof url !== 'string' || url === '')) return { error: ConversionCode.conversion }
    try {
      const script = Buffer.from(sent ?? await download(client, time, url as string, 'docbuilder')).toString('utf8')
      if (fault?.type === 'slow') await time.pause(fault.ms, closing)
      if (fault?.type === 'error') return { error: fault.error }
      const paths = await built(key, script)
      if (paths !== null && paths.size > 0) return { paths }
      log.warn({ key }, 'the script saves no file that the emulated document builder can make')
      return { error: ConversionCode.conversion }
    } catch (error) {
      return failureOf(error, key, log)
    }
  }

  /** What a script does with files; `null` if it cannot be done. */
  async function built (key: string, script: string): Promise<Map<string, string> | null> {
    const paths = new Map<string, string>()
    let open: Document | undefined
    let saves = 0
    for (const { method, given: [first = '', second = ''] } of builderCalls(script)) {
      if (method === 'CreateFile') open = await created(first)
      else if (method === 'OpenFile') open = await opened(first)
      else if (method === 'CloseFile') open = undefined
      if (method !== 'SaveFile') continue
      const [name, extension] = [second.split(/[/\\]/).at(-1)!, writtenAs(first)]
      if (open === undefined || extension === undefined || name === '' || ++saves > MAX_FILES) return null
      const bytes = await convert(open.bytes, open.fileType, extension)
      if (bytes === null) {
        convert.explain(open.fileType, extension)
        return null
      }
      paths.set(name, files.put(`data/${key}/output/${encodeURIComponent(name)}`, name, bytes, first))
    }
    return paths
  }

  async function opened (url: string): Promise<Document | undefined> {
    if (!URL.canParse(url)) return undefined
    const fileType = new URL(url).pathname.split('.').at(-1)!.toLowerCase()
    return { fileType, bytes: await download(client, time, url, fileType) }
  }

  return async ({ key: given, url, async: asynchronous }, script) => {
    const isAsync = typeof asynchronous === 'string' ? asynchronous === 'true' : Boolean(asynchronous)
    if (given) {
      return { key: given, outcome: await jobs.outcomeOf(String(given), isAsync, { error: ConversionCode.unknown }) }
    }
    const key = `bld_${randomInt(10_000_000, 99_999_999)}`
    return { key, outcome: await jobs.outcomeOf(key, isAsync, async () => await run(key, url, script)) }
  }
}

async function created (type: string): Promise<Document | undefined> {
  const fileType = NEW_FILES.get(type)
  if (fileType === undefined) return undefined
  const { emptyTemplate } = await import('../../documents/empty.js')
  return { fileType, bytes: emptyTemplate(fileType) }
}
