import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Destroys a response when the client reads nothing for so many milliseconds, or at most twice as many. Time in which there is
 * nothing to write does not count: the storage may be slow.
 */
export function endWhenIdle ({ raw: { socket, httpVersionMajor } }: FastifyRequest, { raw }: FastifyReply, milliseconds: number): void {
  if (httpVersionMajor > 1) { // an HTTP/2 connection is shared, but each of its streams has a timeout
    raw.setTimeout(milliseconds, () => raw.destroy())
    return
  }
  if (raw.closed || raw.destroyed) return
  let written = 0
  const timer = setInterval(() => {
    if (raw.writableNeedDrain && socket.bytesWritten === written) socket.destroy()
    written = socket.bytesWritten
  }, milliseconds)
  timer.unref()
  raw.once('close', () => clearInterval(timer))
}
