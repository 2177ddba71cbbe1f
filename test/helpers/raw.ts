import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'
import { type Listener, listen } from '../kit/http.js'

/** A server that answers every request with fixed bytes, then closes: for answers no HTTP library would send. */
export function startRawUpstream (t: Test, answer: string | Uint8Array): Promise<Listener> {
  return listen(t, net.createServer(socket => {
    socket.once('data', () => socket.end(answer))
  }))
}

/** Sends bytes as they stand and resolves to all that comes back, as Latin-1 text. */
export async function exchange (t: Test, origin: string, request: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.write(request, 'latin1')
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** A GET with `Connection: close`, its target as it stands. */
export function exchangeGet (t: Test, origin: string, target: string, headers: Record<string, string> = {}): Promise<string> {
  const lines = Object.entries({ Host: new URL(origin).host, Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return exchange(t, origin, `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}
