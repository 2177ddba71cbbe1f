import http from 'node:http'
import type { Test } from 'tap'
import { type Listener, listen } from '../kit/http.js'

export interface Inside extends Listener {
  /** How often somebody connected, whether or not a request came. */
  connections (): number
}

/** A server on loopback that an address of the outside must not lead to. It answers `inside`. */
export async function startInside (t: Test): Promise<Inside> {
  let connections = 0
  const server = http.createServer((_request, response) => { response.end('inside') })
  server.on('connection', () => { connections++ })
  return { ...await listen(t, server), connections: () => connections }
}
