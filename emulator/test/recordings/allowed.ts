import { createHash } from 'node:crypto'
import type { Json, JsonObject } from './recording.js'
import type { Log } from './log.js'

/*
 * All that may differ between a recording and the emulator:
 *
 * origins, ports                     replaced; that of the host is never that of the document server
 * md5 of a URL                       must look like one, and be the same for the same file and expiry
 * <n> of data/<key>_<n>/             numbered by first appearance: what is one folder in the recording must be one here
 * expires, iat, created, lastsave    a second; exp must follow its iat as recorded
 * documentSha256                     must look like one
 * versions and dates of the build    must look like them
 * Date, Last-Modified                must look like one
 * Content-Length, ETag               must be those of the body; of a file, its length may be another
 * content of files                   ours is no copy of theirs
 * Connection                         upper and lower case
 * times of requests and answers      compare.ts: 0.6 s faster
 * pending answer of a conversion     order.ts: before or after the download it starts
 * close of an editor that is dropped or can't open    order.ts: at once
 * order of answers to calls that overlap      order.ts: by when they were asked
 * start of the converter             order.ts: it is running
 * events of editors                  events.ts: what the scripting API has
 * rows and files of the database     whether there is a forgotten file; kept changes show when somebody opens
 * shardkey                           in conversions that name none; the recorded server took that of an earlier one
 */

/** A value without what may differ, and the times that were in it, in milliseconds. */
export interface Normal {
  readonly text: string
  readonly times: readonly number[]
}

export type Normalize = (value: Json, name: string, parent: Json) => Normal

const BUILD: Record<string, RegExp> = {
  serverVersion: /^\d+(\.\d+)+$/,
  version: /^\d+(\.\d+)+$/,
  buildVersion: /^\d+(\.\d+)+$/,
  buildNumber: /^\d+$/,
  buildDate: /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/,
  start_date: /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/,
  documentSha256: /^[0-9a-f]{64}$/,
  date: /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
  'last-modified': /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/
}

/** Keeps in mind which folders it has seen: one for each log, which is read in order. */
export function normalizer (origins: Log['origins']): Normalize {
  const folders = new Map<string, string>()
  const signatures = new Map<string, string>()

  function folder (whole: string, start: string, number: string): string {
    const name = folders.get(whole) ?? `${start}_<n${folders.size + 1}>/`
    folders.set(whole, name)
    return number.length > 4 ? whole : name
  }

  function signature (whole: string, path: string, md5: string, expires: string): string {
    const known = signatures.get(path + expires) ?? md5
    signatures.set(path + expires, known)
    return `${path}md5=<${known === md5 ? 'md5' : 'another md5'}>${expires}`
  }

  return (value, name, parent) => {
    if (BUILD[name]?.test(String(value)) === true) return plain(`<${name}>`)
    if (name === 'iat' && typeof value === 'number') return { text: '<time>', times: [value * 1000] }
    if (name === 'exp' && typeof value === 'number') return plain(`iat + ${value - Number((parent as JsonObject).iat)}`)
    if (name === 'connection') return plain(JSON.stringify(value).toLowerCase())
    if (name === 'host' && value === new URL(origins.host).host) return plain('<host>')
    if (typeof value !== 'string' || !/\d/.test(value)) return plain(JSON.stringify(value))
    const text = value.replaceAll(origins.host, '<host>').replaceAll(origins.server, '<server>')
      .replaceAll(/(\/cache\/[^?]*\?)md5=([\w-]{22})(&(?:amp;)?expires=\d+)/g, signature)
      .replaceAll(/(data\/(?!conv_)[\w.=-]+)_(\d+)\//g, folder)
    return withTimes(JSON.stringify(text))
  }
}

function withTimes (text: string): Normal {
  const times: number[] = []
  function take (kind: string, time: number): string {
    times.push(time)
    return `<${kind}>`
  }
  const rest = text
    .replaceAll(/expires=(\d{10})(?!\d)/g, (_, seconds: string) => take('expires', Number(seconds) * 1000))
    .replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?![\d.])/g, (_, day: string, time: string) => take('time', Date.parse(`${day}T${time}Z`)))
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})Z/g, (date, fraction) => take(fraction === '.000' ? 'time.000' : 'time.mmm', Date.parse(date)))
  return { text: rest, times }
}

function plain (text: string): Normal {
  return { text, times: [] }
}

/** An answer whose headers about its body say whether they are right. */
export function aboutBody (answer: JsonObject): JsonObject {
  const { headers, body, shard, ...rest } = answer as { headers: Record<string, string>, body: Json, shard: string } & JsonObject
  const checked = { ...headers }
  const file = isFile(body) ? body : null
  const text = file === null ? typeof body === 'string' ? body : JSON.stringify(body) : ''
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1]
  const length = file?.bytes ?? Buffer.byteLength(text)

  if (headers['content-length'] === String(length)) checked['content-length'] = '<length of the body>'
  if (total !== undefined) checked['content-range'] = headers['content-range']!.replace(`/${total}`, '/<length of the file>')
  if (file === null) {
    const tag = `W/"${length.toString(16)}-${createHash('sha1').update(text).digest('base64').slice(0, 27)}"`
    if (headers.etag === tag) checked.etag = '<tag of the body>'
  } else {
    const size = Number(total ?? length).toString(16)
    if (new RegExp(`^W/"${size}-[0-9a-f]+"$`).test(headers.etag ?? '')) checked.etag = '<tag of the file>'
  }
  const isWhole = file?.sha256 !== undefined
  const shown = shard === 'any' ? anyShard(body) : body
  return { ...rest, headers: checked, body: isWhole ? '<file>' : shown }
}

function isFile (body: Json): body is { bytes: number, sha256?: string } {
  return typeof body === 'object' && body !== null && /^bytes(,sha256)?$/.test(Object.keys(body).join())
}

function anyShard (body: Json): Json {
  return JSON.parse(JSON.stringify(body).replaceAll(/(fileUrl"?>?:?"?[^"<]*?shardkey=)[\w.=-]+/gi, '$1<any>')) as Json
}
