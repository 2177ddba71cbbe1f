import type { Test } from 'tap'
import http from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import net from 'node:net'

export interface Listener {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly origin: string
}

/** Listens on a port of the system's choice until the test ends, then ends every connection. */
export async function listen (t: Test, server: Server, host = '127.0.0.1'): Promise<Listener> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  t.teardown(() => new Promise<void>(resolve => {
    for (const socket of sockets) socket.destroy()
    server.close(() => resolve())
  }))
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

export interface Upstream extends Listener {
  /** Path and query of every request it got. */
  readonly requests: string[]
}

/** An HTTP server standing where the document server, or a proxied site, would be. */
export async function startUpstream (t: Test, handler: http.RequestListener): Promise<Upstream> {
  const requests: string[] = []
  const listener = await listen(t, http.createServer((request, response) => {
    requests.push(request.url ?? '')
    handler(request, response)
  }))
  return { ...listener, requests }
}
