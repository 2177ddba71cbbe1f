import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { HttpClient, HttpRequest, HttpResponse } from '../../../types/http.js'
import type { ConformanceServers } from './servers.js'

export interface ConformanceContext extends Pick<ConformanceServers, 'serve' | 'serveBytes'> {
  readonly client: HttpClient
}

export interface ConformanceCase {
  readonly name: string
  run (context: ConformanceContext): Promise<void>
}

const TIME_LIMIT_MS = 3000

/** Rejects if the promise is not settled within the time limit, so that no test hangs. */
export async function inTime<Value> (promise: Promise<Value>, event: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${event} must happen within ${TIME_LIMIT_MS} ms` })), TIME_LIMIT_MS)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes a request, a GET unless `request` says otherwise, and handles errors of the body from the beginning, as every caller must. */
export async function send (client: HttpClient, url: URL, request: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  const response = await inTime(client.request({ purpose: 'proxy', method: 'GET', url, signal: new AbortController().signal, ...request }), 'the response')
  if (response.body instanceof Readable) response.body.on('error', () => {})
  return response
}

export async function bytesOf (body: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  async function read () {
    for await (const chunk of body) chunks.push(chunk)
  }
  await inTime(read(), 'the end of the body')
  return Buffer.concat(chunks)
}

/** Asserts that the body ends with an error, whatever it yields before. */
export async function assertBodyFails (body: Readable, reason: string): Promise<void> {
  const outcome = await bytesOf(body).then(bytes => `it ended without one after ${bytes.length} bytes`, (error: unknown) => error)
  assert.ok(isErrorOfClient(outcome), `the body must end with an error (${reason}), but ${String(outcome)}`)
}

export async function assertRejects (response: Promise<HttpResponse>, reason: string): Promise<void> {
  const outcome = await inTime(response, 'the rejection').then(({ status }) => `it resolved with status ${status}`, (error: unknown) => error)
  assert.ok(isErrorOfClient(outcome), `request must reject with an error (${reason}), but ${String(outcome)}`)
}

/** Not the error of an exceeded time limit. */
function isErrorOfClient (outcome: unknown): boolean {
  return outcome instanceof Error && !(outcome instanceof assert.AssertionError)
}
