import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Time } from '../clock/time.js'
import { decrypted } from '../../documents/office/protected/decrypt.js'
import type { FaultRegistry } from '../faults/registry.js'
import type { OutboundClient } from '../outbound/client.js'
import { download } from '../outbound/download.js'
import type { ResultFiles } from '../result-files/files.js'
import { ConversionCode } from './error-codes.js'
import type { Convert } from '../../documents/converter/convert.js'
import { failureOf } from './failures.js'
import { SEPARATED } from '../../formats.js'
import { isImage } from '../../documents/images/render.js'
import { createJobs, type Failure, type Outcome } from './jobs.js'
import { readablePlain } from '../../documents/plain-source.js'
import { type ConversionRequest, conversionRequest } from './request.js'
import { isProtected, sourceType } from './source-type.js'

interface Converted {
  readonly path: string
  /** Of a protected source. */
  readonly password?: string
  readonly fileType: string
}

export type ConversionOutcome = Outcome<Converted>

/** Converts documents; each pair of key and output type only once. */
export interface Conversions {
  /**
   * Starts a conversion, or joins the one under way. A synchronous request resolves when it is done, an asynchronous
   * one at once.
   */
  convert (fields: Record<string, unknown>): Promise<ConversionOutcome>
  /** The same for a source that came with the request. Without one it only asks for the conversion under way. */
  convertFile (fields: Record<string, unknown>, source: Uint8Array | undefined): Promise<ConversionOutcome>
}

/** What converts and builds documents works with. */
export interface ConversionParts {
  readonly client: OutboundClient
  readonly time: Time
  readonly files: ResultFiles
  readonly faults: FaultRegistry
  readonly convert: Convert
  readonly closing: AbortSignal
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>
}

interface Parts extends ConversionParts {
  /** Whether downloads carry a token. */
  readonly isSigned: boolean
}

export function conversions ({ client, time, files, faults, convert, closing, isSigned, log }: Parts): Conversions {
  const jobs = createJobs<Converted>(time, closing)

  async function run (
    { key, from: given, to, toNumber, title, url, thumbnail, plain, password = '' }: ConversionRequest,
    sent?: Uint8Array
  ): Promise<Converted | Failure> {
    const fault = faults.take('conversion')
    if (sent === undefined && (typeof url !== 'string' || url === '')) return { error: ConversionCode.conversion }
    try {
      const source = sent ?? await download(client, time, url as string, given, { signed: isSigned })
      const from = await sourceType(source, given)
      if (fault?.type === 'slow') await time.pause(fault.ms, closing)
      if (fault?.type === 'error') return { error: fault.error }
      const isLocked = isProtected(source, from)
      const readable = isLocked ? unlocked(source, password) : readablePlain(source, from, plain)
      if (readable === null) return { error: ConversionCode.password }
      const read = SEPARATED.has(from) ? 'csv' : from
      const result = isImage(to)
        ? await (await import('../../documents/images/thumbnail.js')).imagesOf(convert, readable, read, to, thumbnail)
        : { bytes: await convert(readable, read, to), extension: to }
      if (result === null || result.bytes === null) {
        convert.explain(from, to)
        return { error: ConversionCode.conversion }
      }
      const { bytes, extension } = result
      const folder = `data/conv_${key}_${toNumber}/output.${extension}`
      return {
        path: files.put(folder, `${title}.${extension}`, bytes, extension),
        fileType: extension,
        ...(isLocked && { password })
      }
    } catch (error) {
      return failureOf(error, key, log)
    }
  }

  async function outcomeOf (
    fields: Record<string, unknown>,
    run?: (request: ConversionRequest) => Promise<Converted | Failure>
  ): Promise<ConversionOutcome> {
    const request = conversionRequest(fields)
    if ('error' in request) return request
    const id = `${request.key}_${request.toNumber}_${request.to}`
    const outcome = run
      ? await jobs.outcomeOf(id, request.isAsync, async () => await run(request))
      : await jobs.outcomeOf(id, request.isAsync) ?? { error: ConversionCode.input }
    return isForOthers(outcome, request) ? { error: ConversionCode.password } : outcome
  }

  return {
    convert: async fields => await outcomeOf(fields, run),
    // A request without a key is joined by no other one: two files have nothing else that tells them apart.
    convertFile: async (fields, source) =>
      await outcomeOf(
        { ...fields, key: fields.key || randomUUID() },
        source && (async request => await run(request, source))
      )
  }
}

/** Decrypts a protected source; `null` if it can't. */
function unlocked (source: Uint8Array, password: string): Uint8Array | null {
  try {
    return password === '' ? null : decrypted(source, password)
  } catch {
    return null // malformed
  }
}

/** The result of a protected source is only for those who know its password. */
function isForOthers (outcome: ConversionOutcome, { password }: ConversionRequest): boolean {
  return typeof outcome === 'object' && 'path' in outcome && outcome.password !== undefined &&
    outcome.password !== password
}
