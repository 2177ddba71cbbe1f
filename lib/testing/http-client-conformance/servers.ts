import http from 'node:http'
import net, { type AddressInfo } from 'node:net'

export interface ConformanceServer {
  /** The server's address, with the path and query given. */
  url (path?: string): URL
  /** Path and query of every request it got. */
  readonly requests: readonly string[]
  /** How many connections it got, with a request or without. */
  connections (): number
  /** Resolves when the last of its connections is closed. */
  allClosed (): Promise<void>
}

export interface ConformanceServers {
  /** A server that answers as the listener does. */
  serve (listener: http.RequestListener): Promise<ConformanceServer>
  /** A server that sends fixed bytes to whatever arrives, then closes the connection. */
  serveBytes (answer: string | Uint8Array): Promise<ConformanceServer>
  close (): Promise<void>
}

/** Servers on loopback, all closed by `close()`. */
export function startServers (): ConformanceServers {
  const closers: Array<() => Promise<void>> = []

  async function start (server: net.Server, requests: readonly string[]): Promise<ConformanceServer> {
    const sockets = new Set<net.Socket>()
    let connections = 0
    let lastClosed = () => {}
    server.on('connection', (socket: net.Socket) => {
      connections++
      sockets.add(socket)
      socket.on('error', () => {}) // a client that goes away is what some of the cases want
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
