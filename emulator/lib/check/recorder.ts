import { once } from 'node:events'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import type { Fields } from '../editing.js'
import { localUrlOf } from '../url.js'

export type Recorder = Awaited<ReturnType<typeof startRecorder>>

/**
 * Another host, for which the document server makes genuine callbacks that a scenario can alter before it posts them to
 * the examined host. It refuses them: their keys can be opened again. And a foreign origin, from which a host must not
 * fetch.
 */
export async function startRecorder (host: string) {
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
  const url = localUrlOf(server)
  return {
    url,
    port: new URL(url).port,
    /** What a GET of a path gives. */
    files,
    /** Paths of all GETs. */
    fetched,
    /** The callbacks that were posted to a path. */
    callbacks: (path: string): readonly Fields[] => posted.get(path) ?? [],
    close (): void {
      server.close()
      server.closeAllConnections()
    }
  }
}
