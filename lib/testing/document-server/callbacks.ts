import type { HostClient } from './host.js'
import { jsonOrText } from './host.js'
import type { CallbackResult } from './types.js'

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
  readonly userdata?: string | undefined
  readonly lastsave?: string | undefined
  readonly notmodified?: boolean | null | undefined
  readonly forcesavetype?: number | undefined
  readonly filetype?: string | undefined
}

// Source: field order of the recorded callbacks; the token stands before the file type.
const ORDER = ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'userdata', 'lastsave', 'notmodified', 'forcesavetype', 'filetype'] as const

const HEADER_TOKEN_LIMIT = 7168

/**
 * Posts a callback with both tokens. A header token that would be too long loses `changesurl` and `history`,
 * and so does the plain body; the body's token keeps them.
 */
export async function sendCallback (host: HostClient, url: string, fields: CallbackFields): Promise<CallbackResult> {
  const complete = ordered(fields)
  const token = host.token(complete)
  let plain = complete
  let headerToken = host.token({ payload: complete })
  if (headerToken.length >= HEADER_TOKEN_LIMIT) {
    const { changesurl, ...rest } = complete
    plain = 'history' in rest ? { ...rest, history: {} } : rest
    headerToken = host.token({ payload: plain })
  }
  const { filetype, ...before } = plain
  const body = filetype === undefined ? { ...before, token } : { ...before, token, filetype }
  try {
    const { status, bytes } = await host.post(url, body, headerToken)
    return { status: fields.status, httpStatus: status, answer: jsonOrText(bytes) }
  } catch {
    return { status: fields.status, httpStatus: null, answer: null }
  }
}

/** Only HTTP 200 with a JSON `error` of 0 (`"0"` passes) counts as done. */
export function isAccepted ({ httpStatus, answer }: CallbackResult): boolean {
  if (httpStatus !== 200 || typeof answer !== 'object' || answer === null || !('error' in answer)) return false
  return answer.error === 0 || answer.error === '0'
}

function ordered (fields: CallbackFields): Record<string, unknown> {
  return Object.fromEntries(ORDER.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}
