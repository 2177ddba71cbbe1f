import { randomUUID } from 'node:crypto'
import { decrypted } from '../../documents/office/protected/decrypt.js'
import { download } from '../outbound/download.js'
import type { Parts } from '../parts.js'
import { ConversionCode, type Failure, failureOf } from './failures.js'
import { SEPARATED } from '../../formats.js'
import { isImage } from '../../documents/images/render.js'
import { createJobs, type Outcome } from './jobs.js'
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
export function conversions ({ client, time, files, faults, convert, closing, tokens, log }: Parts) {
  const jobs = createJobs<Converted>(time, closing)

  async function run (
    { key, from: given, to, toNumber, title, url, thumbnail, plain, password }: ConversionRequest,
    sent?: Uint8Array
  ): Promise<Converted | Failure> {
    const fault = faults.take('conversion')
    if (sent === undefined && (typeof url !== 'string' || url === '')) return { error: ConversionCode.conversion }
    try {
      const source = sent ?? await download(client, time, url as string, given, { signed: tokens.areRequired })
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
    if (request.error !== undefined) return request
    const id = `${request.key}_${request.toNumber}_${request.to}`
    const otherwise = run ? async () => await run(request) : { error: ConversionCode.input }
    const outcome = await jobs.outcomeOf(id, request.isAsync, otherwise)
    return isForOthers(outcome, request) ? { error: ConversionCode.password } : outcome
  }

  return {
    /**
     * Starts a conversion, or joins the one under way. A synchronous request resolves when it is done, an asynchronous
     * one at once.
     */
    convert: async (fields: Record<string, unknown>) => await outcomeOf(fields, run),
    /**
     * The same for a source that came with the request. Without one it only asks for the conversion under way. A
     * request without a key is joined by no other one: two files have nothing else that tells them apart.
     */
    convertFile: async (fields: Record<string, unknown>, source: Uint8Array | undefined) =>
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
