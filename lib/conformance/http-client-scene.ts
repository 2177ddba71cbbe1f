import assert from 'node:assert/strict'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { EditorHttpClient, EditorHttpRequest, EditorHttpResponse } from '../../types/http.js'
import { withTimeout } from '../util/limits.js'

/** What a case gets. */
export interface HttpClientScene extends Pick<Servers, 'serve' | 'serveBytes'> {
  readonly client: EditorHttpClient
}

/** The requirements of the contract, and what tests them. */
export type HttpClientCases = Readonly<Record<string, (scene: HttpClientScene) => Promise<void>>>

const TIME_LIMIT_MS = 10_000

/** Rejects if the promise is not settled within the time limit, so that no test hangs. */
export async function inTime<Value> (promise: Promise<Value>, event: string): Promise<Value> {
  const timeoutError = () => new assert.AssertionError({ message: `${event} must happen within ${TIME_LIMIT_MS} ms` })
  return await withTimeout(() => promise, { milliseconds: TIME_LIMIT_MS, timeoutError })
}

/**
 * Makes a request, a GET unless `request` says otherwise, and handles errors of the body from the beginning, as every
 * caller must.
 */
export async function send (
  client: EditorHttpClient, url: URL, request: Partial<EditorHttpRequest> = {}
): Promise<EditorHttpResponse> {
  const response = await inTime(
    client.request({ purpose: 'proxy', method: 'GET', url, signal: new AbortController().signal, ...request }),
    'the response'
  )
  if (response.body instanceof Readable) response.body.on('error', () => {})
  return response
}

export async function bytesOf (body: Readable): Promise<Buffer> {
  return Buffer.concat(await inTime(body.toArray(), 'the end of the body'))
}

/** Makes a request and reads the body to its end. */
export async function receive (client: EditorHttpClient, url: URL, request: Partial<EditorHttpRequest> = {}) {
  const { status, header, body } = await send(client, url, request)
  return { status, header, bytes: await bytesOf(body) }
}

/** Asserts that the body ends with an error, whatever it yields before. */
export async function assertBodyFails (body: Readable, reason: string): Promise<void> {
  const outcome = bytesOf(body).then(bytes => `it ended without one after ${bytes.length} bytes`)
  await assertFails(outcome, `the body must end with an error (${reason})`)
}

export async function assertRejects (response: Promise<EditorHttpResponse>, reason: string): Promise<void> {
  const outcome = inTime(response, 'the rejection').then(({ status }) => `it resolved with status ${status}`)
  await assertFails(outcome, `request must reject with an error (${reason})`)
}

async function assertFails (result: Promise<string>, requirement: string): Promise<void> {
  const outcome: unknown = await result.catch(error => error)
  const isTimeLimit = outcome instanceof assert.AssertionError
  assert.ok(outcome instanceof Error && !isTimeLimit, `${requirement}, but ${String(outcome)}`)
}

interface Server {
  /** A URL of the server, with this path and query. */
  url (path?: string): URL
  /** Path and query of every HTTP request received. */
  readonly requests: readonly string[]
  /** Number of connections accepted, with or without a request. */
  connections (): number
  /** Resolves when no connection is open. */
  allClosed (): Promise<void>
}

interface Servers {
  /** Starts an HTTP server. */
  serve (listener: http.RequestListener): Promise<Server>
  /** Starts a server that responds to anything with these bytes, then closes the connection. */
  serveBytes (answer: string | Uint8Array): Promise<Server>
  close (): Promise<void>
}

/** Starts servers on 127.0.0.1. `close()` closes all of them. */
export function startServers (): Servers {
  const closers: Array<() => Promise<void>> = []

  async function start (server: net.Server, requests: readonly string[] = []): Promise<Server> {
    const sockets = new Set<net.Socket>()
    let connections = 0
    server.on('connection', (socket: net.Socket) => {
      connections++
      sockets.add(socket)
      socket.on('error', () => {}) // some tests make the client close the connection
      socket.once('close', () => sockets.delete(socket))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => new Promise(resolve => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    }))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      url: (path = '/') => new URL(path, origin),
      requests,
      connections: () => connections,
      async allClosed () {
        for (const socket of sockets) await new Promise(resolve => socket.once('close', resolve))
      }
    }
  }

  return {
    async serve (listener) {
      const requests: string[] = []
      return await start(http.createServer((request, response) => {
        requests.push(request.url ?? '')
        listener(request, response)
      }), requests)
    },
    serveBytes: async answer => await start(net.createServer(socket => {
      socket.once('data', () => socket.end(answer))
    })),
    async close () {
      await Promise.all(closers.map(close => close()))
    }
  }
}
