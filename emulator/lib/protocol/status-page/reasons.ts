import { isAccepted } from '../outbound/callbacks.js'
import type { SentRequest, ReceivedRequest } from '../../../types/document-server.js'

const CONVERSION_ERRORS: Readonly<Record<string, string>> = {
  '-1': 'unknown',
  '-2': 'the conversion timed out',
  '-3': 'the document could not be converted',
  '-4': 'the document could not be downloaded',
  '-5': 'the password is missing or wrong',
  '-6': 'a database error',
  '-7': 'the request is incomplete or invalid',
  '-8': 'the token is missing, invalid or expired',
  '-9': 'the output type is ambiguous',
  '-10': 'the document is too large'
}

const COMMAND_ERRORS: Readonly<Record<string, string>> = {
  1: 'the key is missing or unknown',
  2: 'the callback URL is incorrect',
  3: 'the command failed',
  4: 'there is nothing new to save',
  5: 'there is no such command',
  6: 'the token is missing or invalid',
  7: 'the token has expired'
}

/**
 * Explains the error in an answer of the conversion, builder or command service, which always has HTTP status 200;
 * `null` without an error.
 */
export function reasonOfAnswer ({ url, answer }: ReceivedRequest): string | null {
  const error = typeof answer === 'object' && answer !== null && 'error' in answer
    ? answer.error
    : /<Error>(-?\d+)</.exec(String(answer))?.[1]
  if (!/^-?[1-9]\d*$/.test(String(error))) return null
  const meanings = /^\/(converter|convertservice\.ashx|docbuilder)\b/i.test(url) ? CONVERSION_ERRORS : COMMAND_ERRORS
  return `Error ${error}: ${meanings[String(error)] ?? 'unknown'}.`
}

/** Explains why the application's answer was not accepted; `null` if it was. */
export function reasonOf (request: SentRequest): string | null {
  const { method, answer, error } = request
  if (answer === null) return `No answer: ${error?.message || 'the connection ended'}.`
  return method === 'GET' ? reasonOfDownload(answer.status) : reasonOfCallback(answer)
}

function reasonOfDownload (status: number): string | null {
  return status === 200 || status === 206 ? null : `HTTP ${status} is not a document. The status must be 200 or 206.`
}

function reasonOfCallback ({ status, body }: { readonly status: number, readonly body: unknown }): string | null {
  if (isAccepted(status, body)) return null
  if (status >= 200 && status < 300 && status !== 200) {
    return `HTTP ${status} is not accepted. The answer must be HTTP 200 with the JSON {"error":0}.`
  }
  if (status !== 200) return `HTTP ${status} is not accepted.`
  if (body === '' || body === null) return 'The body is empty. It must be the JSON {"error":0}.'
  if (typeof body !== 'object') return 'The body is not JSON. It must be {"error":0}.'
  return 'error' in body ? 'Refused: error is not 0.' : 'The JSON has no error field. It must be {"error":0}.'
}
