import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** One request to the object store. */
export interface StoreRequest {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  /** From 1. */
  readonly number: number
}

/** What becomes of a request; `undefined`: nothing is wrong. */
export type StoreFault =
  /** The connection is closed before the store sees the request. */
  | 'refused'
  /** The store does it, and the connection is closed instead of an answer. */
  | 'lost'
  /** The connection is closed; the store does it when the test calls `deliver`. */
  | 'late'
  /** The store does not see the request: this is the answer. */
  | { readonly status: number, readonly code?: string }
  /** The store does it: this is the answer nevertheless. */
  | { readonly doneWithStatus: number }
  /** The connection is closed after so many bytes of the body. */
  | { readonly cutAfter: number }
  /** The body stops after so many bytes, and the connection stays open. */
  | { readonly stallAfter: number }
  /** Resolves when the request may go on. */
  | { readonly until: Promise<unknown> }

export interface StoreProxy {
  readonly endpoint: string
  /** All requests so far. */
  readonly requests: StoreRequest[]
  /** Of the bodies so far, in both directions. */
  bytes: number
  /** Decides about each request. */
  onRequest: (request: StoreRequest) => StoreFault | undefined
  /** Lets the late requests arrive. */
  deliver (): Promise<void>
}

/** A proxy between a client and the object store at `endpoint`, which lets requests fail. */
export async function s3Proxy (t: Test, endpoint: string): Promise<StoreProxy> {
  const target = new URL(endpoint)
  const agent = new http.Agent({ keepAlive: true })
  const requests: StoreRequest[] = []
  const late: Array<() => Promise<unknown>> = []
  const server = http.createServer((request, response) => { serve(request, response).catch(() => request.socket.destroy()) })
  server.keepAliveTimeout = 120_000
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise(resolve => { server.close(resolve) })
    agent.destroy()
  })
  const proxy: StoreProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bytes: 0,
    onRequest: () => undefined,
    deliver: async () => { for (const send of late.splice(0)) await send() }
  }
  return proxy

  async function serve (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const seen: StoreRequest = { method, url, headers, number: requests.length + 1 }
    requests.push(seen)
    const fault = proxy.onRequest(seen)
    if (fault === 'refused') {
      request.socket.destroy()
      return
    }
    const body = await bodyOf(request)
    proxy.bytes += body.length
    if (typeof fault === 'object' && 'status' in fault) return answer(response, fault.status, fault.code)
    if (fault === 'late') {
      request.socket.destroy()
      late.push(async () => await bodyOf(await forward(request, body)))
      return
    }
    if (typeof fault === 'object' && 'until' in fault) await fault.until
    const upstream = await forward(request, body)
    if (fault === 'lost') {
      await bodyOf(upstream)
      request.socket.destroy()
    } else if (typeof fault === 'object' && 'doneWithStatus' in fault) {
      await bodyOf(upstream)
      answer(response, fault.doneWithStatus)
    } else {
      response.writeHead(upstream.statusCode!, upstream.rawHeaders)
      const limit = typeof fault === 'object' ? 'cutAfter' in fault ? fault.cutAfter : 'stallAfter' in fault ? fault.stallAfter : Infinity : Infinity
      if (limit === Infinity) {
        upstream.on('data', (chunk: Buffer) => { proxy.bytes += chunk.length })
        upstream.pipe(response)
        return
      }
      response.write((await bodyOf(upstream)).subarray(0, limit), () => { if ('cutAfter' in (fault as object)) request.socket.destroy() })
    }
  }

  async function forward ({ method, url, rawHeaders }: http.IncomingMessage, body: Buffer): Promise<http.IncomingMessage> {
    return await new Promise((resolve, reject) => {
      const request = http.request({ host: target.hostname, port: target.port, method, path: url, agent }, resolve)
      for (let index = 0; index < rawHeaders.length; index += 2) {
        if (!/^(connection|expect|transfer-encoding)$/i.test(rawHeaders[index]!)) request.setHeader(rawHeaders[index]!, rawHeaders[index + 1]!)
      }
      request.on('error', reject)
      request.end(body)
    })
  }
}

function answer (response: http.ServerResponse, status: number, code = status === 503 ? 'SlowDown' : 'InternalError'): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': text.length }).end(text)
}

async function bodyOf (message: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
