import type { Socket } from 'node:net'
import { errors } from 'undici'

/**
 * Delays the end of a connection until undici has read everything before it. undici 7 crashes the process when a connection ends
 * or is reset while a body waits to be read, and makes complete bodies fail (nodejs/undici#5360). Can go with undici 8, which
 * needs Node.js 22.
 */
export function deferSocketEnd<Connection extends Socket> (socket: Connection): Connection {
  const { push, read, destroy } = socket
  let isEnded = false
  let isNotifying = false

  /** Makes undici read, unless a body is waiting: then undici ignores the event. */
  function notify (): void {
    isNotifying = true
    socket.emit('readable')
    isNotifying = false
  }

  return Object.assign(socket, {
    push (chunk: unknown, encoding?: BufferEncoding) {
      isEnded ||= chunk === null
      return push.call(socket, chunk, encoding)
    },

    read (size?: number) {
      if (!isEnded || isNotifying) return read.call(socket, size)
      if (size === 0) return null // a call by Node.js, which would emit the end
      if (socket.readableLength > 0) return read.call(socket, socket.readableLength) // reading more would emit the end, too
      process.nextTick(notify) // the data read before may make a body wait again: then the end has to wait as well
      return null
    },

    /** undici takes an ECONNRESET for the end of a body without a length. */
    destroy: (error?: NodeJS.ErrnoException) => destroy.call(socket, error?.code === 'ECONNRESET' ? new errors.SocketError(error.message) : error)
  })
}
