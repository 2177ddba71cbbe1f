import http from 'node:http'
import net, { type AddressInfo } from 'node:net'

export interface ConformanceServer {
  /** A URL of the server, with this path and query. */
  url (path?: string): URL
  /** Path and query of every request received. */
  readonly requests: readonly string[]
  /** Number of connections accepted, with or without a request. */
  connections (): number
  /** Resolves when no connection is open. */
  allClosed (): Promise<void>
}

export interface ConformanceServers {
  /** Starts an HTTP server. */
  serve (listener: http.RequestListener): Promise<ConformanceServer>
  /** Starts a server that responds to anything with these bytes, then closes the connection. */
  serveBytes (answer: string | Uint8Array): Promise<ConformanceServer>
  close (): Promise<void>
}

/** Starts servers on 127.0.0.1. `close()` closes all of them. */
export function startServers (): ConformanceServers {
  const closers: Array<() => Promise<void>> = []

  async function start (server: net.Server, requests: readonly string[]): Promise<ConformanceServer> {
    const sockets = new Set<net.Socket>()
    let connections = 0
    let lastClosed = () => {}
    server.on('connection', (socket: net.Socket) => {
      connections++
      sockets.add(socket)
      socket.on('error', () => {}) // some tests make the client close the connection
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size === 0) lastClosed()
      })
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
      allClosed: () => new Promise(resolve => {
        if (sockets.size === 0) resolve()
        else lastClosed = resolve
      })
    }
  }

  return {
    serve (listener) {
      const requests: string[] = []
      return start(http.createServer((request, response) => {
        requests.push(request.url ?? '')
        listener(request, response)
      }), requests)
    },
    serveBytes (answer) {
      const requests: string[] = []
      return start(net.createServer(socket => {
        socket.once('data', data => {
          requests.push(data.toString('latin1').split(' ')[1] ?? '')
          socket.end(answer)
        })
      }), requests)
    },
    async close () {
      await Promise.all(closers.map(close => close()))
    }
  }
}
