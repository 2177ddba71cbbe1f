import type { FastifyReply, FastifyRequest } from 'fastify'

type ServerResponse = FastifyReply['raw']

export interface IdleClients {
  /**
   * Destroys a response when the client reads nothing for so many milliseconds, or at most twice as many. Time in which there is
   * nothing to write does not count: the storage may be slow.
   */
  endWhenIdle (request: FastifyRequest, reply: FastifyReply): void
}

/** The timer may look at a new response at once: that does not count. */
const NOT_SEEN = -1

/** One timer for all responses: it ends when it finds none. */
export function idleClients (milliseconds: number): IdleClients {
  /** What their connections had written at the latest look. */
  const written = new Map<ServerResponse, number>()
  let timer: NodeJS.Timeout | undefined

  function look (): void {
    if (written.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    for (const [response, before] of written) {
      const { socket } = response.req
      if (isWaiting(response) && socket.bytesWritten === before) socket.destroy()
      else written.set(response, socket.bytesWritten)
    }
  }

  return {
    endWhenIdle ({ raw: { httpVersionMajor } }, { raw: response }) {
      if (httpVersionMajor > 1) { // an HTTP/2 connection is shared, but each of its streams has a timeout
        response.setTimeout(milliseconds, () => response.destroy())
        return
      }
      if (response.closed || response.destroyed) return
      written.set(response, NOT_SEEN)
      response.once('close', () => written.delete(response))
      timer ??= setInterval(look, milliseconds).unref()
    }
  }
}

/** For the client: a response that has ended needs no `drain`, but its end may still be on the way to the operating system. */
function isWaiting (response: ServerResponse): boolean {
  return response.writableNeedDrain || response.req.socket.writableLength > 0
}
