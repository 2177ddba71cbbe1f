import type { Socket } from 'node:net'
import { errors } from 'undici'

/**
 * A connection whose end waits for undici to read on. Version 7 ends the process when one ends, or is reset, while a body waits
 * for someone to read it (nodejs/undici#5360; version 8 needs Node.js 22), and has a whole body fail where it does not.
 */
export function patient<Connection extends Socket> (socket: Connection): Connection {
  const { push, read, destroy } = socket
  let isAtEnd = false
  let isAsking = false

  /** As long as a body waits, undici reads nothing when it is told that there is something. */
  function ask (): void {
    isAsking = true
    socket.emit('readable')
    isAsking = false
  }

  return Object.assign(socket, {
    push (chunk: unknown, encoding?: BufferEncoding) {
      isAtEnd ||= chunk === null
      return push.call(socket, chunk, encoding)
    },

    read (size?: number) {
      if (!isAtEnd || isAsking) return read.call(socket, size)
      if (size === 0) return null // Node.js itself, to tell of the end
      if (socket.readableLength > 0) return read.call(socket, socket.readableLength) // with more it would tell of it, too
      process.nextTick(ask) // what was read before may have a body wait again
      return null
    },

    /** undici takes a reset for the end of the body. */
    destroy: (error?: NodeJS.ErrnoException) => destroy.call(socket, error?.code === 'ECONNRESET' ? new errors.SocketError(error.message) : error)
  })
}
