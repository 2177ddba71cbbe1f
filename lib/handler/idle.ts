import type { FastifyReply } from 'fastify'
import { Socket } from 'node:net'

/** Ends an answer that nobody has read from for so many milliseconds, and with it what it is read from. */
export function endWhenIdle ({ raw }: FastifyReply, milliseconds: number): void {
  const { socket } = raw
  if (!(socket instanceof Socket)) return // app.inject() has none
  const before = socket.timeout ?? 0
  raw.setTimeout(milliseconds, () => raw.destroy())
  // The connection may carry other requests afterwards. First: Node.js then sets the time it keeps one open for them.
  raw.prependOnceListener('finish', () => { socket.setTimeout(before) })
}
