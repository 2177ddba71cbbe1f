import { once } from 'node:events'
import type { Test } from 'tap'
import { type MessageEvent, WebSocket } from 'undici'
import type { DocumentServer } from '../../lib/index.js'

/** A connection as an editor page has one. */
export async function connect (t: Test, { url }: DocumentServer) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/doc/socket`)
  const received: Array<Record<string, unknown>> = []
  const arrivals = new EventTarget()
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    received.push(JSON.parse(String(data)) as Record<string, unknown>)
    arrivals.dispatchEvent(new Event('arrival'))
  })
  t.teardown(() => socket.close())
  await once(socket, 'open')
  return {
    send: (message: unknown) => socket.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message)),
    /** The next message with these fields; waits for it. */
    async message (fields: Record<string, unknown>): Promise<Record<string, unknown>> {
      for (;;) {
        const index = received.findIndex(message => Object.entries(fields).every(([name, value]) => message[name] === value))
        if (index !== -1) return received.splice(index, 1)[0]!
        await once(arrivals, 'arrival')
      }
    }
  }
}
