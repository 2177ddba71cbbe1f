import type { HostRequest, ReceivedRequest } from '../../types/document-server.js'

/** A request to the host, as JSON. Bytes are told by their number. */
export function sentEntry ({ method, url, headers, body, answer, error }: HostRequest): object {
  return {
    method,
    url,
    headers,
    body,
    answer: answer === null ? null : { status: answer.status, body: withoutBytes(answer.body) },
    ...(error !== undefined && { error: error.message })
  }
}

export function receivedEntry ({ method, url, headers, body, status, answer }: ReceivedRequest): object {
  return { method, url, headers, body: withoutBytes(body), status, answer: withoutBytes(answer) }
}

function withoutBytes (value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: value.byteLength } : value
}
