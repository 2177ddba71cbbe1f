import { createHmac } from 'node:crypto'
import {
  type Headers, isCall, isRequest, type Json, type JsonObject, RECORDED, type Recording, type RequestStep, SECRET
} from './recording.js'
import { recordedEvents } from './events.js'
import { answeredAt, unordered, waitedBeforeClosing, waitedForConverter } from './order.js'

/** One thing that can be compared, and when it was, in milliseconds since the start. */
export interface Entry {
  readonly at: number
  readonly name: string
  readonly value: Json
}

/** All that is compared of an exchange, recorded or played. */
export interface Log {
  readonly origins: { readonly host: string, readonly server: string }
  /** What the document server asked and answered, in one order. */
  readonly exchanges: readonly Entry[]
  /** The messages each editor received. */
  readonly events: Readonly<Record<string, readonly Entry[]>>
  /** Whether there was a forgotten file, where that was looked up. */
  readonly forgotten: readonly Entry[]
}

export function recordedLog (recording: Recording): Log {
  const exchanges = recording.steps.flatMap((step, index, steps): Entry[] => {
    const waited = waitedForConverter(steps, index) + waitedBeforeClosing(steps, index)
    if (isRequest(step)) return [requestEntry(step.at - waited, earlier(step, waited))]
    if (isCall(step)) return [answerEntry(answeredAt(step, steps) - waited, step.request, step.answer)]
    return []
  })
  return {
    origins: RECORDED,
    exchanges: unordered(exchanges.toSorted((one, other) => one.at - other.at)),
    events: recordedEvents(recording.steps),
    forgotten: recording.steps.flatMap(step => step.kind === 'database'
      ? [forgottenEntry(step.at, step.key, step.storage.some(file => file.startsWith(`forgotten/${step.key}:`)))]
      : [])
  }
}

/** Its tokens are dated by when it was sent. */
function earlier (step: RequestStep, waited: number): RequestStep {
  const seconds = Math.round(waited / 1000)
  const dated = (claims: JsonObject): JsonObject => ({ ...claims, iat: Number(claims.iat) - seconds, exp: Number(claims.exp) - seconds })
  if (seconds === 0) return step
  return { ...step, headerClaims: dated(step.headerClaims), ...(step.bodyClaims === undefined ? {} : { bodyClaims: dated(step.bodyClaims) }) }
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly headerClaims: JsonObject
  readonly body?: JsonObject
  readonly bodyClaims?: JsonObject
}

export function requestEntry (at: number, { method, path, headers, headerClaims, body, bodyClaims }: SeenRequest): Entry {
  const given = { headers: byName(headers), headerClaims, ...(body === undefined ? {} : { body }), ...(bodyClaims === undefined ? {} : { bodyClaims }) }
  return { at, name: `${method} ${path}`, value: { method, path, ...given } }
}

export interface SeenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export function answerEntry (at: number, { method, path }: { method: string, path: string }, { status, headers, body }: SeenAnswer): Entry {
  // Where a conversion does not name a shard, the document server names that of an earlier one.
  const shard = path.includes('shardkey=') ? 'named' : 'any'
  return { at, name: `answer to ${method} ${path.split('?')[0]!}`, value: { status, headers: byName(headers), shard, body } }
}

export function forgottenEntry (at: number, key: string, exists: boolean): Entry {
  return { at, name: `forgotten file of ${key}`, value: exists }
}

function byName (headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]).toSorted())
}

/** Claims of a token that must be signed with the shared secret under the recorded header. */
export function claimsOf (token: string): JsonObject {
  const [header = '', claims = '', signature] = token.split('.')
  const parsed = JSON.parse(Buffer.from(claims, 'base64url').toString()) as JsonObject
  if (Buffer.from(header, 'base64url').toString() !== '{"alg":"HS256","typ":"JWT"}') return { ...parsed, header: 'not the recorded one' }
  if (createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url') !== signature) return { ...parsed, signature: 'wrong' }
  return parsed
}
