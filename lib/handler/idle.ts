import type { FastifyReply } from 'fastify'

/** Ends an answer that nobody has read from for so many milliseconds, and with it what it is read from. */
export function endWhenIdle ({ raw }: FastifyReply, milliseconds: number): void {
  const { socket } = raw
  if (typeof socket?.setTimeout !== 'function') return // app.inject() has no connection
  const before = socket.timeout ?? 0
  raw.setTimeout(milliseconds, () => raw.destroy())
  // The connection may carry other requests afterwards. First: Node.js then sets the time it keeps one open for them.
  raw.prependOnceListener('finish', () => { socket.setTimeout(before) })
}
