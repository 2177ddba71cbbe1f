import type { CallbackResult } from '../../../types/session.js'
import { jsonOrText } from '../../json.js'
import { CrashedError, named, type OutboundClient } from './client.js'

export interface Action {
  readonly type: 0 | 1 | 2
  readonly userid: string
}

/** The fields of a callback. A field without a value is absent. */
export interface CallbackFields {
  readonly key: string
  readonly status: 1 | 2 | 3 | 4 | 6 | 7
  readonly url?: string | undefined
  readonly changesurl?: string | undefined
  readonly history?: object | undefined
  readonly users?: readonly string[] | undefined
  readonly actions?: readonly Action[] | undefined
  readonly userdata?: unknown
  readonly lastsave?: string | undefined
  readonly notmodified?: boolean | null | undefined
  readonly forcesavetype?: number | undefined
  readonly encrypted?: boolean | undefined
  readonly formsdataurl?: string | undefined
  readonly filetype?: string | undefined
}

// Source: field order of the recorded callbacks. The token comes before the last two.
const BEFORE_TOKEN = [
  'key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'userdata', 'lastsave', 'notmodified',
  'forcesavetype', 'encrypted'
] as const
const AFTER_TOKEN = ['formsdataurl', 'filetype'] as const

const HEADER_TOKEN_LIMIT = 7168

/** No callback was sent: there was no callback URL, or nothing to report. */
export const NOTHING_SENT: CallbackResult = { status: null, httpStatus: null, answer: null, accepted: false }

/**
 * Posts a callback with both tokens, if tokens are sent. `changesurl` and `history` are left out of a header token that
 * would be too long and of the plain body; the body token keeps them. Rejects only when the server crashed meanwhile.
 */
export async function sendCallback (
  client: OutboundClient,
  url: string,
  fields: CallbackFields
): Promise<CallbackResult> {
  const { operations } = client
  const token = client.token({ ...presentFields(fields), ...named(operations.body) })
  const headerTokenOf = (fields: CallbackFields) =>
    client.token({ payload: { ...presentFields(fields), ...named(operations.payload) }, ...named(operations.header) })
  let plain = fields
  let headerToken = headerTokenOf(plain)
  if (headerToken !== undefined && headerToken.length >= HEADER_TOKEN_LIMIT) {
    plain = { ...fields, changesurl: undefined, history: fields.history === undefined ? undefined : {} }
    headerToken = headerTokenOf(plain)
  }
  const body = { ...pick(plain, BEFORE_TOKEN), ...(token !== undefined && { token }), ...pick(plain, AFTER_TOKEN) }
  try {
    const { status, bytes } = await client.post(url, body, headerToken)
    const answer = jsonOrText(bytes)
    return { status: fields.status, httpStatus: status, answer, accepted: isAccepted(status, answer) }
  } catch (error) {
    if (error instanceof CrashedError) throw error
    return { status: fields.status, httpStatus: null, answer: null, accepted: false }
  }
}

/**
 * Only HTTP 200 with JSON whose `error` equals 0 by JavaScript's `==` accepts a callback: `"0"`, `""`, `false` and `[]`
 * do, too.
 */
export function isAccepted (httpStatus: number, answer: unknown): boolean {
  if (httpStatus !== 200 || typeof answer !== 'object' || answer === null || !('error' in answer)) return false
  return answer.error !== null && Number(answer.error) === 0
}

/** 429, 5xx and a missing answer are transient failures. */
export function isTransient ({ httpStatus }: CallbackResult): boolean {
  return httpStatus === null || httpStatus === 429 || (httpStatus >= 500 && httpStatus <= 599)
}

function presentFields (fields: CallbackFields): Record<string, unknown> {
  return pick(fields, [...BEFORE_TOKEN, ...AFTER_TOKEN])
}

function pick (fields: CallbackFields, names: ReadonlyArray<keyof CallbackFields>): Record<string, unknown> {
  return Object.fromEntries(names.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}
