import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Ends an answer that nobody has read from for so many milliseconds, or at most twice as many, and with it what it is read from.
 * Time in which there is nothing to write does not count: the storage may be slow.
 */
export function endWhenIdle ({ raw: { socket, httpVersionMajor } }: FastifyRequest, { raw }: FastifyReply, milliseconds: number): void {
  if (httpVersionMajor > 1) { // the timeout is the stream's there, not the connection's
    raw.setTimeout(milliseconds, () => raw.destroy())
    return
  }
  let written = 0
  const timer = setInterval(() => {
    if (raw.writableNeedDrain && socket.bytesWritten === written) socket.destroy()
    written = socket.bytesWritten
  }, milliseconds)
  timer.unref()
  raw.once('close', () => clearInterval(timer))
}
