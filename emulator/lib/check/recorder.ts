import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Fields } from '../editing.js'

/**
 * Another host, for which the document server makes genuine callbacks that a scenario can alter before it posts them to
 * the examined host. It refuses them: their keys can be opened again. And a foreign origin, from which a host must not
 * fetch.
 */
export interface Recorder {
  readonly url: string
  readonly port: number
  /** What a GET of a path gives. */
  readonly files: Map<string, Uint8Array>
  /** Paths of all GETs. */
  readonly fetched: string[]
  /** The callbacks that were posted to a path. */
  callbacks (path: string): readonly Fields[]
  close (): void
}

export async function startRecorder (host: string): Promise<Recorder> {
  const files = new Map<string, Uint8Array>()
  const fetched: string[] = []
  const posted = new Map<string, Fields[]>()
  const server = http.createServer(async (request, response) => {
    const path = request.url!.split('?', 1)[0]!
    if (request.method === 'POST') {
      posted.set(path, [...posted.get(path) ?? [], await json(request).catch(() => ({})) as Fields])
      response.setHeader('Content-Type', 'application/json').end('{"error":1}')
    } else {
      fetched.push(path)
      request.resume()
      response.writeHead(files.has(path) ? 200 : 404).end(files.get(path))
    }
  })
  await once(server.listen(0, host), 'listening')
  const { port, address, family } = server.address() as AddressInfo
  const name = /^(0\.0\.0\.0|::)$/.test(address) ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return {
    url: `http://${name}:${port}`,
    port,
    files,
    fetched,
    callbacks: path => posted.get(path) ?? [],
    close () {
      server.close()
      server.closeAllConnections()
    }
  }
}
