import { EventEmitter, once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'
import {
  type DocumentServer, type DocumentServerOptions, type FakeClock, fakeClock, type Session
} from 'onlyoffice-emulator'
import { type FakeHost, startDocumentServer, startFakeHost } from '../../../emulator/test/support.js'

export const CONTENT = 'The quick brown fox jumps over the lazy dog.'

export interface Saved {
  readonly host: FakeHost
  readonly server: DocumentServer
  /** Stands still. */
  readonly clock: FakeClock
  readonly session: Session
  /** Address of a saved file, whose bytes are `CONTENT`. */
  readonly url: string
}

/** A document server with a file that was saved by force and can be fetched. */
export async function startSaved (t: Test, options: Partial<DocumentServerOptions> = {}): Promise<Saved> {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock, ...options })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit(CONTENT)
  await session.forceSave()
  return { host, server, clock, session, url: String(server.sentRequests.at(-1)!.body!.url) }
}

export interface RawGet {
  /** What arrived so far. */
  head (): string
  header (name: string): string | undefined
  body (): string
  /** Waits until so many bytes of the body are there. */
  bodyOf (length: number): Promise<string>
  /** How the connection ended: `closed`, or the error's code. `null` as long as it is open. */
  ending (): string | null
  ended (): Promise<string>
  leave (): void
}

/** A GET without any HTTP library in between: all that is on the wire, and how it ends. */
export function rawGet (t: Test, url: string): RawGet {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const progress = new EventEmitter()
  let bytes = Buffer.alloc(0)
  let ending: string | null = null
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk])
    progress.emit('progress')
  })
  const end = (how: string) => {
    ending ??= how
    progress.emit('progress')
    progress.emit('ended')
  }
  socket.on('end', () => end('closed'))
  socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))

  const split = () => {
    const text = bytes.toString('latin1')
    const gap = text.indexOf('\r\n\r\n')
    return gap === -1 ? { head: '', body: '' } : { head: text.slice(0, gap), body: text.slice(gap + 4) }
  }
  return {
    head: () => split().head,
    header: name => new RegExp(`^${name}: (.*)$`, 'im').exec(split().head)?.[1]?.trim(),
    body: () => split().body,
    async bodyOf (length) {
      while (split().head === '' || split().body.length < length) {
        if (ending !== null) throw new Error(`The connection ended (${ending}) after ${bytes.length} bytes`)
        await once(progress, 'progress')
      }
      return split().body
    },
    ending: () => ending,
    async ended () {
      if (ending === null) await once(progress, 'ended')
      return String(ending)
    },
    leave: () => { socket.destroy() }
  }
}

/** The server has answered another request meanwhile: what it had to send before has had its time. */
export async function afterAnotherAnswer (server: DocumentServer): Promise<void> {
  const response = await fetch(`${server.url}/healthcheck`)
  await response.text()
}

/** A route's right answer. */
export async function expectRight (t: Test, url: string): Promise<void> {
  const response = await fetch(url)
  t.equal(response.status, 200, 'the next answer is right')
  t.equal(await response.text(), CONTENT, 'and whole')
}
