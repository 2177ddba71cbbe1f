import type { FastifyInstance } from 'fastify'
import { shown } from '../doctor/plain-text.js'
import { type Listening, UsageError } from './options.js'

/** Reached from this machine only. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const EVERY_INTERFACE = '::'

/**
 * Waits for the document server's requests where it sends them, or says why the application itself is expected to answer
 * there. Resolves to one sentence for the user. Throws a `UsageError` if it cannot listen where the user says.
 */
export async function listenFor (app: FastifyInstance, publicBaseUrl: string, listen: Listening): Promise<string> {
  const expected = `the application is expected to answer at ${shown(publicBaseUrl)}, with the same secret and path`
  if (listen === 'none') return `Not listening: ${expected}.`
  if (listen) {
    const { host = EVERY_INTERFACE, port } = listen
    try {
      return listeningAt(await listenOn(app, host, port))
    } catch (error) {
      throw new UsageError(`--listen: cannot listen on port ${port} of ${host}: ${reasonOf(error)}`)
    }
  }

  const { protocol, hostname, port: given } = new URL(publicBaseUrl)
  if (protocol === 'https:') return `Not listening, because --public-base-url is https: ${expected}. Behind a reverse proxy, --listen waits at the port to which the proxy forwards.`
  const port = Number(given || 80)
  const host = LOOPBACK.has(hostname) ? hostname.replace(/^\[|\]$/g, '') : EVERY_INTERFACE
  try {
    return listeningAt(await listenOn(app, host, port))
  } catch (error) {
    return `Not listening, because port ${port} cannot be used (${reasonOf(error)}): ${expected}.`
  }
}

async function listenOn (app: FastifyInstance, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (host !== EVERY_INTERFACE || (error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error
    await app.listen({ host: '0.0.0.0', port })
  }
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : port // 0 means any free port
}

function listeningAt (port: number): string {
  return `Listening on port ${port} for requests of the document server.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EACCES: 'no permission',
  EADDRNOTAVAIL: 'this machine does not have that IP address',
  ENOTFOUND: 'no such host'
}

function reasonOf (error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return reasons[code] ?? code
}
