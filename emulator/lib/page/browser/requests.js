/** @import { ServerMessage } from './protocol.js' */

/** The document server refused a request of the page. */
export class RefusedError extends Error {
  /** @param {number} code of the editor's `onError` @param {string} message */
  constructor (code, message) {
    super(message)
    this.code = code
  }
}

/**
 * Requests over the page's connection, each with one answer.
 *
 * @param {(message: object) => boolean} send
 */
export function createRequests (send) {
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let last = 0

  return {
    /** @param {object} message @returns {Promise<any>} */
    request: message => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      if (!send({ ...message, id: last })) {
        waiting.delete(last)
        reject(new RefusedError(-1, 'There is no connection to the document server.'))
      }
    }),
    /** @param {Extract<ServerMessage, { type: 'answer' }>} message */
    answered ({ id, result, error }) {
      const request = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) request?.resolve(result)
      else request?.reject(new RefusedError(error.code, error.message))
    },
    /** The connection was cut: no answer will come. */
    cut () {
      for (const { reject } of waiting.values()) reject(new RefusedError(-1, 'The connection was lost.'))
      waiting.clear()
    }
  }
}
