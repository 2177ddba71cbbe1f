import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { HttpClient, HttpRequest, HttpResponse } from '../../../types/http.js'
import type { ConformanceServers } from './servers.js'

export interface ConformanceContext extends Pick<ConformanceServers, 'serve' | 'serveBytes'> {
  readonly client: HttpClient
}

export interface ConformanceCase {
  /** The sentence of the contract it proves. */
  readonly name: string
  run (context: ConformanceContext): Promise<void>
}

/** Milliseconds after which what should have happened by itself counts as never happening. */
const PATIENCE = 3000

/** Fails when the promise is still pending long after it should have been settled: a case must not hang. */
export async function soon<Value> (promise: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const never = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what}: still not after ${PATIENCE} ms` })), PATIENCE)
  })
  try {
    return await Promise.race([promise, never])
  } finally {
    clearTimeout(timer)
  }
}

/** A GET, in all that a case does not care about. As whoever makes a request does, it listens for errors of the body at once. */
export async function get (client: HttpClient, url: URL, request: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  const response = await soon(client.request({ purpose: 'proxy', method: 'GET', url, signal: new AbortController().signal, ...request }), 'the response')
  if (response.body instanceof Readable) response.body.on('error', () => {})
  return response
}

export async function bytesOf (body: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  async function read () {
    for await (const chunk of body) chunks.push(chunk)
  }
  await soon(read(), 'the end of the body')
  return Buffer.concat(chunks)
}

/** Asserts that the body ends in an error, whatever it delivers before. */
export async function assertBodyFails (body: Readable, why: string): Promise<void> {
  const outcome = await bytesOf(body).then(bytes => `it ended well after ${bytes.length} bytes`, (error: unknown) => error)
  assert.ok(outcome instanceof Error && !(outcome instanceof assert.AssertionError), `${why}: the body must error, but ${String(outcome)}`)
}

/** Asserts that there is no response. */
export async function assertRejects (response: Promise<HttpResponse>, why: string): Promise<void> {
  const outcome = await soon(response, why).then(({ status }) => `it resolved with status ${status}`, (error: unknown) => error)
  assert.ok(outcome instanceof Error && !(outcome instanceof assert.AssertionError), `${why}: the request must reject, but ${String(outcome)}`)
}
